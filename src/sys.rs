//! The operating system, with the same names for each: no layer above asks which one it is.
//!
//! `sys/windows` is for Windows. `sys/unix` has the common parts of Linux and macOS, `sys/linux` the parts of
//! Linux, and `sys/portable` the same parts for every Unix and for macOS. `sys/not_linux` is for all systems except
//! Linux. `RUSTFLAGS="--cfg cutline_portable"` uses the portable parts on Linux too, so that tests cover them.
//! `docs/security.md` lists the promises that they can't keep.

#[cfg(all(target_os = "linux", not(cutline_portable)))]
mod linux;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
mod not_linux;
#[cfg(all(unix, not(all(target_os = "linux", not(cutline_portable)))))]
mod portable;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(all(target_os = "linux", not(cutline_portable)))]
pub(crate) use linux::*;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
pub(crate) use not_linux::*;
#[cfg(all(unix, not(all(target_os = "linux", not(cutline_portable)))))]
pub(crate) use portable::*;
#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A path that was opened without being read.
#[derive(Debug)]
pub struct Opened {
    /// The path without links.
    pub real: PathBuf,
    /// Its type, size, times and owner.
    pub stat: Stat,
    /// The handle that opens it for reading.
    handle: PathHandle,
}

/// Type, size, times and owner of a file, a folder or a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Its type.
    pub kind: FileKind,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its device, and its number there: no other has both while it exists.
    pub id: (u64, u64),
    /// Time of the last change of its content, in nanoseconds since 1970.
    pub modified: i128,
    /// Time of the last change of anything about it, in nanoseconds since 1970.
    pub changed: i128,
    /// Number of the user who owns it.
    pub owner: u32,
    /// True if its mode lets only the owner open it.
    pub is_private: bool,
    /// Number of its hard links.
    pub links: u64,
}

impl Stat {
    /// Returns true if it has no hard link any more.
    pub(crate) fn is_removed(&self) -> bool {
        self.links == 0
    }

    /// True for a regular file of this user's with one name: no other user can have put it there, nor by
    /// a hard link to another of this user's files.
    pub(crate) fn is_own_file(&self) -> bool {
        self.kind == FileKind::File && self.owner == user() && self.links == 1
    }

    /// True for a folder of this user's that no other user may look into.
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
    /// A link, whatever it leads to.
    Link,
    /// A pipe with a name.
    Fifo,
    /// A socket.
    Socket,
    /// A device that is read byte by byte.
    CharacterDevice,
    /// A device that is read block by block.
    BlockDevice,
    /// Something else.
    Unknown,
}

/// The end of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It exited with that code.
    Code(i32),
    /// It was killed by the signal of that number.
    Signal(i32),
}

/// The exit code of a program that a signal ended, without the signal's number.
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
    /// Its number, which a later process may get.
    pub(crate) id: u32,
    /// Its start, in the system's own unit; number and start together are one process only.
    pub(crate) start: u64,
    /// Number of the process that started it, or that inherited it.
    pub(crate) parent: u32,
    /// Number of its process group; 0 for a group of another namespace, for example if it entered a container.
    pub(crate) group: u32,
    /// Number of its session, that of the process that began it; 0 for one of another namespace.
    pub(crate) session: u32,
    /// Its program's name, possibly shortened.
    pub(crate) name: String,
    /// True for a zombie: it has ended, and its parent has not waited for its end.
    pub(crate) ended: bool,
    /// The addresses in its memory at which its environment begins and ends; they change when it starts another
    /// program. `None` if they are unknown.
    pub(crate) environment: Option<(u64, u64)>,
}

/// No descriptor is left to read a process, so its state is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfDescriptors;

/// Returns a random number that another process can't guess; another one each time.
///
/// The keys of the standard library's hasher are the system's random bytes, on every system.
pub(crate) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Returns the nanoseconds from 1970 to a time, which [`Stat`] has times in.
pub(crate) fn nanos(time: SystemTime) -> i128 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)
}

/// Returns true if the error means that there is no such file.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    let kinds = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];
    kinds.contains(&error.kind()) || error.raw_os_error().is_some_and(|code| NO_SUCH_FILE.contains(&code))
}

/// Returns the temp folder. A `TMPDIR` that is empty counts as not set, as for other programs.
pub(crate) fn temp_dir() -> PathBuf {
    let told = std::env::temp_dir();
    if told.as_os_str().is_empty() { "/tmp".into() } else { told }
}

/// Returns the name of the folder of saved outputs in the temp folder, which on Windows each user has for itself.
pub(crate) fn saved_folder_name() -> String {
    if cfg!(windows) { "cutline".to_owned() } else { format!("cutline-{}", user()) }
}

/// Bytes of the buffer that the names in a folder are read through.
const NAMES_BYTES: usize = 16 * 1024;

/// Returns the names in `folder` that `is_wanted` takes, in no order, the first `most` of them.
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

/// Returns the path of a program, by `PATH`.
pub(crate) fn on_path(program: impl AsRef<Path>) -> Option<PathBuf> {
    all_on_path(program.as_ref()).next()
}

/// True if a file can be started by this user.
pub(crate) fn is_program(path: &Path) -> bool {
    program_at(path).is_some()
}

/// Returns each path of a program by `PATH`, in its order.
fn all_on_path(program: &Path) -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
    places.into_iter().filter_map(move |dir| program_at(&dir.join(program)))
}
