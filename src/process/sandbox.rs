//! What a command may do to this machine, held by the kernel (Landlock, and seccomp for its gaps).
//!
//! The rules are set by a process that then becomes the shell, so that the server keeps its own
//! rights: a command is started as `cutline sandboxed … -- bash -c …`, the same binary, which
//! restricts itself ([`enter`]) before it runs anything. Rules can't be taken back, and all that
//! the command starts is under them. Where the kernel can't hold them, the server does not start.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::sys;

/// How far a command's hands reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// As far as the user's own.
    #[default]
    Off,
    /// It writes in the roots, in its own temp folder and where it was told that it may.
    WorkspaceWrite,
    /// It writes in its own temp folder alone.
    ReadOnly,
}

/// Why commands can't be held to a mode.
#[derive(Debug, thiserror::Error)]
pub enum Unsupported {
    /// The kernel does not know the rules.
    #[error("the kernel can't hold commands to it (Landlock, ABI 4 or later, is needed): {reason}")]
    Kernel {
        /// What it said.
        reason: String,
    },
    /// The system has no such rules.
    #[error("it needs Landlock, which only Linux has")]
    System,
    /// The temp folder for commands could not be made.
    #[error("no temp folder for commands: {source}")]
    TempFolder {
        /// What the system said.
        #[from]
        source: io::Error,
    },
    /// A folder in which they may write is not there.
    #[error("--writable {}: {source}", path.display())]
    Writable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The rules for all commands of a server.
#[derive(Debug)]
pub struct Sandbox {
    mode: Mode,
    writable: Vec<PathBuf>,
    temp: tempfile::TempDir,
}

/// The argument of the binary that makes it the shell of a command under rules.
pub const SUBCOMMAND: &str = "sandboxed";
/// How the name of the temp folder of a server's commands begins.
pub fn temp_prefix(server: &str) -> String {
    format!("cutline-sandbox-{server}-")
}

/// The flag that names a folder in which a command may write.
pub const WRITE_FLAG: &str = "--write";

impl Sandbox {
    /// Rules for `mode`, and a temp folder for the commands of `server`; `None` for [`Mode::Off`].
    pub fn new(mode: Mode, writable: Vec<PathBuf>, server: &str) -> Result<Option<Self>, Unsupported> {
        if mode == Mode::Off {
            return Ok(None);
        }
        probe()?;
        let real = |path: PathBuf| match path.canonicalize() {
            Ok(real) if real.is_dir() => Ok(real),
            Ok(_) => Err(Unsupported::Writable { path, source: io::ErrorKind::NotADirectory.into() }),
            Err(source) => Err(Unsupported::Writable { path, source }),
        };
        let writable = writable.into_iter().map(real).collect::<Result<_, _>>()?;
        let shared = std::env::temp_dir().canonicalize()?;
        let name = temp_prefix(server);
        let mut temp = tempfile::Builder::new();
        temp.prefix(&name);
        #[cfg(unix)]
        temp.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let temp = temp.tempdir_in(shared)?;
        Ok(Some(Self { mode, writable, temp }))
    }

    /// The folders beside the roots in which commands may write: those named, and their temp folder.
    pub(super) fn writable(&self) -> impl Iterator<Item = &Path> {
        self.writable.iter().map(PathBuf::as_path).chain([self.temp()])
    }

    /// The temp folder of commands: theirs alone, gone when the server is.
    pub fn temp(&self) -> &Path {
        self.temp.path()
    }

    /// Removes the temp folder. A process may exit without dropping what it holds.
    pub fn discard(&self) {
        let _gone_already = std::fs::remove_dir_all(self.temp());
    }

    /// The words that start `shell` under the rules, in a workspace of these roots.
    pub fn wrap<'a>(&self, roots: impl Iterator<Item = &'a Path>, shell: &[OsString]) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["/proc/self/exe".into(), SUBCOMMAND.into()];
        let mut write = |folder: &OsStr| words.extend([WRITE_FLAG.into(), folder.to_owned()]);
        // It stays away only where something clears old folders out of the temp folder.
        let _there_already = sys::make_private_folder(self.temp());
        write(self.temp().as_os_str());
        if self.mode == Mode::WorkspaceWrite {
            roots.for_each(|root| write(root.as_os_str()));
            self.writable.iter().for_each(|folder| write(folder.as_os_str()));
        }
        words.push("--".into());
        words.extend_from_slice(shell);
        words
    }
}

/// Takes on the rules, and becomes `command`; returns only where that fails.
///
/// It reads everything, writes in `writable` and to the devices that hold nothing, and opens no TCP
/// connection. Where the kernel can, it reaches no process and no abstract socket outside.
#[cfg(target_os = "linux")]
pub fn enter(writable: &[PathBuf], command: &[OsString]) -> io::Error {
    use std::os::unix::process::CommandExt as _;

    if let Err(error) = files::restrict(writable).and_then(|()| calls::refuse()) {
        return error;
    }
    let Some((program, arguments)) = command.split_first() else {
        return io::Error::from(io::ErrorKind::InvalidInput);
    };
    std::process::Command::new(program).args(arguments).exec()
}

/// The system has no such rules.
#[cfg(not(target_os = "linux"))]
pub fn enter(_writable: &[PathBuf], _command: &[OsString]) -> io::Error {
    io::ErrorKind::Unsupported.into()
}

#[cfg(target_os = "linux")]
pub use files::probe;

/// Whether the kernel can hold the rules.
#[cfg(not(target_os = "linux"))]
pub fn probe() -> Result<(), Unsupported> {
    Err(Unsupported::System)
}
