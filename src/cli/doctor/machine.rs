//! The programs and rights on this machine that the server needs.

use std::path::Path;

use super::Finding::{self, Fine, Note, Wrong};
use crate::cli::{EnvMode, NAME, Options};
use crate::fs::workspace::shown;
use crate::process::environment::Environment;
use crate::process::{self, sandbox};
use crate::tools::error::reason;

/// Commands that can run at once, below which a note is given: others then wait.
const FEW_COMMANDS: u32 = 16;

/// Says of each thing that the server needs how it is.
pub(super) fn look(options: &Options, binary: &Path, say: &mut dyn FnMut(Finding)) {
    say(Fine(format!("{NAME} {} is {}", env!("CARGO_PKG_VERSION"), binary.display())));
    say(on_path(binary));
    options.roots.iter().for_each(|root| say(root_can_be_used(root)));
    match options.shared() {
        Err(message) => say(Wrong(message)),
        Ok(shared) => {
            let commands = &shared.commands;
            say(match commands.shell.as_path() {
                shell if shell.is_absolute() && !process::is_program(shell) => {
                    Wrong(format!("there is no bash: {} can't be started", shell.display()))
                }
                shell if shell.file_stem() == Some("bash".as_ref()) => {
                    Fine(format!("commands run by {}", shell.display()))
                }
                shell => {
                    let name = shell.file_name().unwrap_or_default().display();
                    Note(format!("there is no bash on PATH: commands run by {name}"))
                }
            });
            say(match commands.store.try_out() {
                Ok(folder) => {
                    Fine(format!("whole outputs are saved in {}", String::from_utf8_lossy(&shown(&folder))))
                }
                Err(error) => Wrong(format!("whole outputs can't be saved: {}", reason(&error))),
            });
            if let (Some(sandbox), Ok(workspace)) = (&commands.sandbox, options.workspace(&shared)) {
                let (held, _) = sandbox.found_starters(&workspace.roots);
                if !held.is_empty() {
                    let held = sandbox::listed(&held);
                    say(Fine(format!(
                        "for sandboxed commands, what starts programs later is read-only: {held}"
                    )));
                }
                if let Some(warning) = sandbox.warning(&workspace.roots) {
                    say(Note(warning));
                }
            }
            if let Some(warning) = commands.warning() {
                say(Note(warning.to_owned()));
            }
            if commands.at_once() < FEW_COMMANDS {
                let most = commands.at_once();
                say(Note(format!("{most} commands at once: the limit on open files is low (ulimit -n)")));
            }
        }
    }
    let probed = sandbox::probe();
    say(match &probed {
        Ok(()) => Fine("commands can be held by --sandbox".to_owned()),
        Err(error) => Note(format!("--sandbox can't be had here: {error}")),
    });
    let secrets = Environment::filtered(&options.env_keep);
    let secrets: Vec<_> = secrets.left_out.iter().map(|name| name.display().to_string()).collect();
    if options.env == EnvMode::Inherited && !secrets.is_empty() {
        let names = secrets.join(", ");
        say(Fine(format!("commands see {names}, with what they hold: --env filtered leaves them out")));
    }
    let unix_sockets_are_open = options.sandbox != sandbox::Mode::ReadOnly && options.sandbox_deny.is_empty();
    if probed.is_ok() && !sandbox::knows_unix_sockets() && unix_sockets_are_open {
        let open = "under --sandbox workspace-write each program of this user that listens on a UNIX socket is a full \
                    way out: --sandbox-deny unix-sockets keeps commands from them";
        say(if options.sandbox == sandbox::Mode::Off {
            Fine(open.to_owned())
        } else {
            Note(open.to_owned())
        });
    }
}

fn on_path(binary: &Path) -> Finding {
    let name = binary.file_name().unwrap_or_default();
    match process::on_path(name) {
        Some(path) if path.canonicalize().ok() == binary.canonicalize().ok() => {
            Fine(format!("{} is on PATH", name.display()))
        }
        Some(other) => Note(format!("on PATH there is another: {}", other.display())),
        None => {
            Note(format!("it is not on PATH: a client needs its whole path, which `{NAME} config` gives"))
        }
    }
}

/// Says if a folder that is given as a root can be used.
pub(super) fn root_can_be_used(root: &Path) -> Finding {
    match std::fs::read_dir(root) {
        Ok(_) => Fine(format!("--root {} is a folder that can be read", root.display())),
        Err(error) => Wrong(format!("--root {}: {}", root.display(), reason(&error))),
    }
}
