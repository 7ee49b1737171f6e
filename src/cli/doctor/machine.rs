//! Checks the programs and permissions on this machine that the server needs.

use std::path::Path;

use super::Finding::{self, Fine, Note, Wrong};
use crate::cli::{NAME, Options, is_same};
use crate::fs::workspace::shown;
use crate::process::environment::Environment;
use crate::process::{self, sandbox};
use crate::tools::Shared;
use crate::tools::error::reason;

/// Checks all programs and permissions that the server needs.
pub(super) fn look(options: &Options, binary: &Path, say: &mut dyn FnMut(Finding)) {
    say(Fine(format!("{NAME} {} is {}", env!("CARGO_PKG_VERSION"), binary.display())));
    say(on_path(binary));
    for root in &options.roots {
        let fine = format!("--root {} is a folder that can be read", root.display());
        say(check_root(root).map_or_else(Wrong, |()| Fine(fine)));
    }
    match options.shared() {
        Err(error) => say(Wrong(error.to_string())),
        Ok(shared) => look_at_commands(options, &shared, say),
    }
    let probed = sandbox::probe();
    say(match &probed {
        Ok(()) => Fine("--sandbox can restrict commands".to_owned()),
        Err(error) => Note(format!("--sandbox is not available here: {error}")),
    });
    let secrets = Environment::filtered(&options.env_keep);
    let secrets: Vec<_> = secrets.removed.iter().map(|name| name.display().to_string()).collect();
    if !options.filters_environment && !secrets.is_empty() {
        let names = secrets.join(", ");
        say(Note(format!("commands see the values of {names}: --env filtered removes them")));
    }
    let unix_sockets_are_open = options.sandbox != sandbox::Mode::ReadOnly && options.sandbox_deny.is_empty();
    if probed.is_ok() && !sandbox::knows_unix_sockets() && unix_sockets_are_open {
        let open = "under --sandbox workspace-write a command can bypass the sandbox through any program of this user that \
                    listens on a UNIX socket: --sandbox-deny unix-sockets prevents that";
        say(Note(open.to_owned()));
    }
}

/// Reports the shell, the folder of saved outputs and the sandbox.
fn look_at_commands(options: &Options, shared: &Shared, say: &mut dyn FnMut(Finding)) {
    let commands = &shared.commands;
    let shell = commands.shell.display();
    say(if commands.shell.is_absolute() && !process::is_program(&commands.shell) {
        Wrong(format!("there is no bash: {shell} can't be started"))
    } else if commands.shell.file_stem() == Some("bash".as_ref()) {
        Fine(format!("commands run by {shell}"))
    } else {
        let name = commands.shell.file_name().unwrap_or_default().display();
        Note(format!("there is no bash on PATH: commands run by {name}"))
    });
    say(match commands.store.try_out() {
        Ok(folder) => Fine(format!("full outputs are saved in {}", String::from_utf8_lossy(shown(&folder)))),
        Err(error) => Wrong(format!("full outputs cannot be saved: {}", reason(&error))),
    });
    if let (Some(sandbox), Ok(workspace)) = (&commands.sandbox, options.workspace(shared)) {
        let (held, _) = sandbox.found_autorun_files(&workspace.roots);
        if !held.is_empty() {
            let held = sandbox::listed(&held);
            say(Fine(format!("for sandboxed commands, what starts programs later is read-only: {held}")));
        }
        if let Some(warning) = sandbox.warning(&workspace.roots) {
            say(Note(warning));
        }
    }
    if let Some(warning) = commands.warning() {
        say(Note(warning.to_owned()));
    }
}

fn on_path(binary: &Path) -> Finding {
    let name = binary.file_name().unwrap_or_default();
    match process::on_path(name) {
        Some(path) if is_same(&path, binary) => Fine(format!("{} is on PATH", name.display())),
        Some(other) => Note(format!("on PATH there is another: {}", other.display())),
        None => {
            Note(format!("it is not on PATH: a client needs its whole path, which `{NAME} config` gives"))
        }
    }
}

/// Returns an error if a folder is not usable as a root.
pub(super) fn check_root(root: &Path) -> Result<(), String> {
    let refused = |error| format!("--root {}: {}", root.display(), reason(&error));
    std::fs::read_dir(root).map(drop).map_err(refused)
}
