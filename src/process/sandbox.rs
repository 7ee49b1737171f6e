//! `--sandbox`: the kernel (Landlock, seccomp, mounts) restricts which changes a command can make on this machine.
//!
//! The server starts a command as `cutline sandboxed bash -c …`. That process restricts itself and then becomes the
//! shell, so the server keeps its rights. The process starts in `/` with an empty environment and reads the rules and
//! the command's variables from its stdin. It applies the variables and the working directory only after the rules.
//! Until then, no library, loader setting or folder of an earlier command has an effect. A process can't remove the
//! rules, and the processes that it starts inherit them. The server does not start if the kernel can't apply the rules.

#[cfg(not(target_os = "linux"))]
mod absent;
mod autorun_changes;
pub(crate) mod autorun_files;
#[cfg(target_os = "linux")]
mod linux;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::fs::own_folder::OwnFolder;
use crate::fs::workspace::{Root, shown};
use crate::sys;
use cutline_core::text::show;

#[cfg(not(target_os = "linux"))]
use absent as system;
#[cfg(target_os = "linux")]
use linux as system;

use autorun_changes::Watched;
use autorun_files::Protection;
use system::rules_file;

pub use autorun_changes::{AutorunChange, notices};
pub use system::{enter, knows_unix_sockets, probe};

/// The folders that commands can write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// No sandbox: commands have the rights of the user.
    #[default]
    Off,
    /// Commands can write to the roots, the `--writable` folders and their temp folder.
    WorkspaceWrite,
    /// Commands can write to their temp folder only.
    ReadOnly,
}

/// The rules for all commands of a server.
#[derive(Debug)]
pub struct Sandbox {
    mode: Mode,
    writable: Vec<Root>,
    deny_unix_sockets: bool,
    /// The absolute paths of further autorun files.
    autorun_files: Vec<PathBuf>,
    /// The state of all autorun files.
    watched: Mutex<Watched>,
    /// True if this system lets commands have their own mounts.
    can_mount: bool,
    /// Files and folders of the server, each with a description. None may be in a folder that commands can write to.
    server_paths: Vec<(&'static str, Root)>,
    /// The temp folder of commands.
    pub(super) temp: Arc<OwnFolder>,
    /// The parent folder of `temp`.
    temp_parent: Root,
}

/// The rules and the environment of one command. The sandboxed process reads them from its stdin, because every user
/// can see the arguments of a process. Paths are `OsString`s, because serde cannot serialize a
/// `PathBuf` that is not UTF-8.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SandboxRules {
    /// Folders that the command can write to.
    write: Vec<OsString>,
    /// Paths below those folders to which the command cannot write. Mounts make them read-only if the system lets the
    /// command have its own.
    protect: Vec<OsString>,
    /// Those of them that this does not protect. The command gets rights only to the entries of the folders around them.
    refused: Vec<OsString>,
    /// True if the system lets the command have its own mounts.
    can_mount: bool,
    /// True if the command gets its own `/dev/shm`. Needs `can_mount`.
    has_shared_memory: bool,
    /// True if the command must not create UNIX sockets.
    deny_unix_sockets: bool,
    /// The working directory of the command.
    folder: OsString,
    /// The environment of the command.
    variables: Vec<(OsString, OsString)>,
}

/// The subcommand that applies the rules and then runs its arguments as a command. Without arguments, helps the parent
/// process to apply its rules.
pub const SUBCOMMAND: &str = "sandboxed";

/// This binary, even if its path now leads to another file.
const THIS_BINARY: &str = "/proc/self/exe";

impl Sandbox {
    /// Creates the sandbox for `mode`, with a temp folder for commands. Starts a process that tries whether commands
    /// can have their own mounts.
    ///
    /// `writable` are folders that commands can write to in addition to the roots. `autorun_files` are the absolute
    /// paths of files that start programs and may be in a root: this binary and the files of clients.
    ///
    /// # Errors
    ///
    /// Returns the reason if the kernel can't apply the rules, or if a folder can't be used.
    pub fn new(
        mode: Mode,
        deny_unix_sockets: bool,
        writable: &[PathBuf],
        autorun_files: &[PathBuf],
        server_paths: Vec<(&'static str, Root)>,
    ) -> Result<Self, String> {
        probe()?;
        let is_read_only = mode == Mode::ReadOnly;
        let folder = |path: &PathBuf| {
            Root::resolve(path.clone()).map_err(|error| format!("--writable {}: {error}", path.display()))
        };
        let writable = writable.iter().filter(|_| !is_read_only).map(folder).collect::<Result<_, _>>()?;
        let temp = OwnFolder::temporary().map(Arc::new);
        let temp = temp.map_err(|error| format!("no temp folder for commands: {error}"))?;
        Ok(Self {
            mode,
            writable,
            deny_unix_sockets: deny_unix_sockets || is_read_only,
            autorun_files: autorun_files.to_vec(),
            watched: Mutex::default(),
            // Before the first command, because a command could change the result.
            can_mount: try_to_mount(&temp.path),
            server_paths,
            temp_parent: Root::followed(sys::temp_dir()),
            temp,
        })
    }

    /// Returns the writable folders outside the roots: the `--writable` folders and the temp folder.
    pub(super) fn writable(&self) -> impl Iterator<Item = &Path> {
        self.writable.iter().map(|folder| folder.real.as_path()).chain([self.temp.path.as_path()])
    }

    /// Returns all folders that a command for `roots` can write to.
    fn writable_with<'a>(&'a self, roots: &'a [Root]) -> impl Iterator<Item = &'a Path> {
        let roots = if self.mode == Mode::WorkspaceWrite { roots } else { &[] };
        let roots = roots.iter().filter(|root| root.writable).map(|root| root.real.as_path());
        roots.chain(self.writable())
    }

    /// Checks that a command for `roots` can neither write to the server's own files nor replace a part of the path to
    /// a configured file or folder.
    ///
    /// # Errors
    ///
    /// Returns the message for the user.
    pub fn check(&self, roots: &[Root]) -> Result<(), String> {
        let writable: Vec<&Path> = self.writable_with(roots).collect();
        let own = self.server_paths.iter().map(|(name, path)| (&**name, path));
        for (name, path) in own.chain([("the temp folder", &self.temp_parent)]) {
            if let Some(folder) = writable.iter().find(|folder| path.real.starts_with(folder)) {
                let (path, folder) = (path.given.display(), folder.display());
                return Err(format!(
                    "--sandbox: {name} ({path}) must not lie in {folder}, where commands may write"
                ));
            }
            self.check_path(name, path, roots)?;
        }
        roots.iter().try_for_each(|root| self.check_path("the root", root, roots))?;
        self.writable.iter().try_for_each(|folder| self.check_path("--writable", folder, roots))
    }

    /// Checks that a command for `roots` cannot redirect the path of `configured`, which `name` describes.
    ///
    /// A process that can write to a folder can replace anything in it with a link, which also affects the next server.
    /// A path through a writable folder must therefore end in a writable folder that cannot be redirected, so that it
    /// adds no rights. All other paths must not pass through a writable folder.
    pub fn check_path(&self, name: &str, configured: &Root, roots: &[Root]) -> Result<(), String> {
        let writable: Vec<&Path> = self.writable_with(roots).collect();
        let Some(through) = configured.way.way_through(&writable) else { return Ok(()) };
        let folders = roots.iter().chain(&self.writable).filter(|folder| folder.writable);
        let mut around = folders.filter(|folder| configured.real.starts_with(&folder.real));
        if around.any(|folder| folder.way.way_through(&writable).is_none()) {
            return Ok(());
        }
        let (path, folder, real) = (configured.given.display(), through.display(), configured.real.display());
        Err(format!(
            "--sandbox: the way to {name} ({path}) leads through {folder}, where commands may write: they could lead \
             it elsewhere. If {real} is meant, give that path"
        ))
    }

    /// Returns a warning that lists the autorun files that a command for `roots` can write to, and the folders in which
    /// it can create nothing. Returns `None` if there are none.
    pub fn warning(&self, roots: &[Root]) -> Option<String> {
        let Protection { refused, unprotected, .. } = match self.autorun_files_by_protection(roots) {
            Ok(files) => files,
            Err(error) => return Some(error.to_string()),
        };
        let mut warnings = Vec::new();
        if !unprotected.is_empty() {
            let warning = "sandboxed commands can write to files that start programs outside the sandbox";
            warnings.push(format!("{warning}: {}", listed(&unprotected)));
        }
        if !refused.is_empty() {
            let why = if self.can_mount {
                "the file system ignores case in names"
            } else {
                "this system lets commands have no mounts of their own"
            };
            let git = listed(&refused);
            warnings.push(format!(
                "{why}. To keep {git} read-only, commands cannot create, remove or rename entries of the folders \
                 around it. --writable {git} lifts this"
            ));
        }
        (!warnings.is_empty()).then(|| warnings.join("; "))
    }

    /// Returns what starts a process that applies the rules for `roots` and then becomes `shell` in `folder`, with
    /// `variables` as its environment. The process starts with an empty environment; variables that the caller adds
    /// reach the shell too.
    ///
    /// # Errors
    ///
    /// Returns an error if it is unknown what must be read-only, or if the temp folder was replaced.
    pub(super) fn command<'a>(
        &self,
        roots: &[Root],
        folder: &Path,
        shell: impl Iterator<Item = &'a OsStr>,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> io::Result<Command> {
        self.check(roots).map_err(io::Error::other)?;
        let of_temp = |error| io::Error::other(format!("--sandbox: {error}. Start the server again"));
        self.temp.open().map_err(of_temp)?;
        let Protection { read_only: protect, refused, .. } = self.autorun_files_by_protection(roots)?;
        // A git folder can be one of the writable folders, or be around one.
        let is_writable = |folder: &&Path| !protect.iter().any(|path| folder.starts_with(path));
        let rules = SandboxRules {
            write: self.writable_with(roots).filter(is_writable).map(Into::into).collect(),
            protect: protect.into_iter().map(Into::into).collect(),
            refused: refused.into_iter().map(Into::into).collect(),
            can_mount: self.can_mount,
            has_shared_memory: self.mode == Mode::WorkspaceWrite && self.can_mount,
            deny_unix_sockets: self.deny_unix_sockets,
            folder: folder.into(),
            variables: variables.chain([("TMPDIR".into(), (&self.temp.path).into())]).collect(),
        };
        under_rules(&rules, shell)
    }
}

/// Returns true if a process with the rules can make a file in `temp` read-only with a mount.
fn try_to_mount(temp: &Path) -> bool {
    let file = temp.join("tried");
    let tried = std::fs::write(&file, []).and_then(|()| {
        let rules = SandboxRules {
            write: vec![temp.into()],
            protect: vec![file.clone().into()],
            can_mount: true,
            folder: "/".into(),
            ..SandboxRules::default()
        };
        let words = [THIS_BINARY, "--version"].map(OsStr::new);
        let mut start = under_rules(&rules, words.into_iter())?;
        start.as_std_mut().stdout(Stdio::null()).stderr(Stdio::null()).status()
    });
    let _gone_already = std::fs::remove_file(file);
    tried.is_ok_and(|status| status.success())
}

/// Returns what starts a process that applies `rules` and then becomes `words`. The process calls
/// `setsid`, which fails for the leader of a process group.
fn under_rules<'a>(rules: &SandboxRules, words: impl Iterator<Item = &'a OsStr>) -> io::Result<Command> {
    let mut command = Command::new(THIS_BINARY);
    command.env_clear().current_dir("/").arg(SUBCOMMAND).args(words);
    command.stdin(rules_file(rules)?);
    Ok(command)
}

/// Joins the paths with commas.
fn listed(paths: &BTreeSet<PathBuf>) -> String {
    paths.iter().map(|path| show::name(shown(path))).collect::<Vec<_>>().join(", ")
}
