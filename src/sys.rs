//! The interface to the operating system. It is the same on each system, so higher layers do not check which one it is.
//!
//! `sys/unix` has the common parts of Linux and macOS, `sys/linux` the parts for Linux only, and `sys/portable`
//! replacements of those parts for every Unix, with `sys/not_linux`. With `RUSTFLAGS="--cfg cutline_portable"`, the portable parts are used on Linux too, so that tests cover
//! them. `docs/security.md` lists the guarantees that they can't give.

#[cfg(all(target_os = "linux", not(cutline_portable)))]
mod linux;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
mod not_linux;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
mod portable;
mod unix;

#[cfg(all(target_os = "linux", not(cutline_portable)))]
pub(crate) use linux::*;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
pub(crate) use not_linux::*;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
pub(crate) use portable::*;
pub(crate) use unix::*;

use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// An open path. Opening it read nothing of its content.
#[derive(Debug)]
pub struct Opened {
    /// The path without symbolic links.
    pub real: PathBuf,
    /// Type, size, times and owner.
    pub stat: Stat,
    /// The handle from which the file can be opened for reading.
    handle: PathHandle,
}

/// Type, size, times and owner of a file, a folder or a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The type.
    pub kind: FileKind,
    /// The size in bytes.
    pub bytes: u64,
    /// The device and the inode. No other existing file has the same pair.
    pub id: (u64, u64),
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub modified: i128,
    /// Time of the last change of the content or the metadata, in nanoseconds since 1970.
    pub changed: i128,
    /// The id of the owner.
    pub owner: u32,
    /// True if the mode gives rights only to the owner.
    pub is_private: bool,
    /// The number of hard links.
    pub links: u64,
}

impl Stat {
    /// Returns true if no hard link remains: the file was removed.
    pub(crate) fn is_removed(&self) -> bool {
        self.links == 0
    }

    /// Returns true for a regular file of this user with a single hard link. No other user can have created it, not
    /// even as a hard link to another file of this user.
    pub(crate) fn is_own_file(&self) -> bool {
        self.kind == FileKind::File && self.owner == user() && self.links == 1
    }

    /// Returns true for a folder of this user to which no other user has rights.
    pub(crate) fn is_own_private_folder(&self) -> bool {
        self.kind == FileKind::Folder && self.owner == user() && self.is_private
    }
}

/// The type of an entry of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever its target is.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// Something else.
    Unknown,
}

/// How a shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The shell exited with this code.
    Code(i32),
    /// This signal killed the shell.
    Signal(i32),
}

/// The exit code of a program that a signal ended, minus the number of the signal.
const SIGNAL_CODE: i32 = 128;

impl Ending {
    /// Returns the exit code that a shell reports for a program.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(number) => SIGNAL_CODE + number,
        }
    }
}

/// The environment variable with the tag of a command.
pub(crate) const TAG: &str = "CUTLINE_MARK";

/// One process at the time of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    /// The process id. A later process can get the same id.
    pub(crate) id: u32,
    /// The start time, in the unit of the process table. No two processes have the same id and start time.
    pub(crate) start: u64,
    /// The id of the parent process.
    pub(crate) parent: u32,
    /// The id of the process group. It is 0 for a group of another namespace, for example of a process that entered a
    /// container.
    pub(crate) group: u32,
    /// The id of the session. It is 0 for a session of another namespace.
    pub(crate) session: u32,
    /// The name of the program. The system may truncate it.
    pub(crate) name: String,
    /// True for a zombie: it has ended, and its parent has not reaped it.
    pub(crate) ended: bool,
    /// The start and end address of the environment in the memory of the process. They change when the process runs
    /// another program. `None` if unknown.
    pub(crate) environment: Option<(u64, u64)>,
}

/// A process, or the list of all processes, could not be read, so the state is unknown. Usually no file descriptor was
/// free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// Returns a new random number that other processes can't guess.
///
/// The keys of the standard library's hasher are random bytes from the system, on every system.
pub(crate) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Converts a time to nanoseconds since 1970, the unit of [`Stat`].
pub(crate) fn nanos(time: SystemTime) -> i128 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)
}

/// Returns true if the error means that the file does not exist.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    let kinds = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];
    kinds.contains(&error.kind()) || error.raw_os_error().is_some_and(|code| NO_SUCH_FILE.contains(&code))
}

/// Returns the temp folder. Treats an empty `TMPDIR` as not set, as other programs do.
pub(crate) fn temp_dir() -> PathBuf {
    let configured = std::env::temp_dir();
    if configured.as_os_str().is_empty() { "/tmp".into() } else { configured }
}

/// Returns the name of the folder of saved outputs in the temp folder.
pub(crate) fn saved_folder_name() -> String {
    format!("cutline-{}", user())
}

/// Size in bytes of the buffer for the names in a folder.
const NAMES_BYTES: usize = 16 * 1024;

/// Returns the first `most` names in `folder` that `is_wanted` accepts, in no particular order.
pub(crate) fn names_in(
    folder: &Folder,
    most: usize,
    mut is_wanted: impl FnMut(&[u8]) -> bool,
) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    each_name(folder, &mut Vec::with_capacity(NAMES_BYTES), |name, _| {
        names.extend(is_wanted(name).then(|| name.to_owned()));
        if names.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(names)
}

/// Searches `PATH` for a program. Returns the path of the first one.
pub(crate) fn on_path(program: impl AsRef<Path>) -> Option<PathBuf> {
    all_on_path(program.as_ref()).next()
}

/// Returns true if this user can run the file.
pub(crate) fn is_program(path: &Path) -> bool {
    program_at(path).is_some()
}

/// Searches `PATH` for a program. Returns all paths, in the order of `PATH`.
fn all_on_path(program: &Path) -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
    places.into_iter().filter_map(move |dir| program_at(&dir.join(program)))
}
