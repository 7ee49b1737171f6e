//! The common parts of Linux and macOS.

pub(crate) mod below;
mod input_pipe;
mod output_pipe;
mod removal;
mod shell;
pub(crate) mod spelling;
mod stdio;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustix::fs::{FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::{FileKind, GOES_ON_AFTER_INTR, LOOK, Stat, Unreadable, dir_reader, process_info};

pub(crate) use input_pipe::InputPipe;
pub(crate) use output_pipe::OutputPipe;
pub(crate) use removal::remove_tree;
pub(crate) use shell::*;
pub(crate) use stdio::{log_stream, stdin, stdout};

/// An open folder. Paths below it are opened relative to it.
pub(crate) type Folder = OwnedFd;

/// Permissions of all users except the owner.
const OTHERS: Mode = Mode::RWXG.union(Mode::RWXO);

impl Stat {
    /// Converts the system's `stat`.
    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        let nanos = |secs: i64, nanos: i128| i128::from(secs) * 1_000_000_000 + nanos;
        #[expect(clippy::useless_conversion, reason = "the types differ by system")]
        Self {
            kind: FileKind::of(FileType::from_raw_mode(stat.st_mode)),
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            id: (u64::try_from(stat.st_dev).unwrap_or(0), stat.st_ino.into()),
            modified: nanos(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
            changed: nanos(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
            owner: stat.st_uid,
            is_private: !Mode::from_raw_mode(stat.st_mode).intersects(OTHERS),
            links: u64::try_from(stat.st_nlink).unwrap_or(u64::MAX),
        }
    }
}

impl FileKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice => Self::CharacterDevice,
            FileType::BlockDevice => Self::BlockDevice,
            FileType::Unknown => Self::Unknown,
        }
    }
}

/// Calls `take` with each name in `folder` and its type, in no particular order, until `take` breaks. Skips `.` and
/// `..`. `buffer` is the space for the names of one read.
pub(crate) fn each_name(
    folder: &Folder,
    buffer: &mut Vec<u8>,
    mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut reader = dir_reader(folder, buffer)?;
    while let Some(entry) = reader.next() {
        let entry = match entry {
            Err(Errno::INTR) if GOES_ON_AFTER_INTR => continue,
            entry => entry?,
        };
        let name = entry.file_name().to_bytes();
        let kind = || match entry.file_type() {
            // Some file systems do not report the type with the name.
            FileType::Unknown => below::stat(folder, name).map_or(FileKind::Unknown, |stat| stat.kind),
            kind => FileKind::of(kind),
        };
        if !matches!(name, b"." | b"..") && take(name, kind()).is_break() {
            break;
        }
    }
    Ok(())
}

/// Opens the folder at `path`. Follows links.
pub(crate) fn open_folder(path: impl AsRef<Path>) -> io::Result<Folder> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path.as_ref(), flags, Mode::empty())?)
}

/// Opens the folder at `path`, relative to `folder`, only for opening paths below it. Follows links.
pub(crate) fn folder_from(folder: &Folder, path: &Path) -> io::Result<Folder> {
    Ok(rustix::fs::openat(folder, path, LOOK | OFlags::DIRECTORY, Mode::empty())?)
}

/// Returns a path to exactly this open file, even if its name now refers to another file.
#[cfg(target_os = "linux")]
pub(crate) fn path_of(open: impl AsFd) -> String {
    format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open.as_fd()))
}

/// Locks an open file or folder until it is closed. Returns false if another descriptor has locked it, or if the file
/// system has no locks.
pub(crate) fn lock(open: impl AsFd) -> bool {
    rustix::fs::flock(open, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Reads at an offset in bytes.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(buffer, at)
}

/// Returns the file name for these bytes.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(bytes))
}

/// Error codes for a missing file, in addition to those that std recognizes.
pub(super) const NO_SUCH_FILE: [i32; 0] = [];

/// Returns true if the error means that the file was removed or replaced.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NXIO))
}

/// Returns the id of the user of this process.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Converts a process id to the type of the system calls.
pub(crate) fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Returns false if the process with this id and start time has ended. Returns true if that is unknown.
pub(crate) fn may_be_alive(id: u32, start: u64) -> bool {
    match process_info(id) {
        // A start time of 0 means that the server did not know it.
        Ok(Some(process)) => (start == 0 || process.start == start) && !process.ended,
        // If the system hides processes, it may still exist.
        Ok(None) => pid(id).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH)),
        Err(Unreadable) => true,
    }
}

/// The id of the init process of a namespace. It inherits orphans.
const FIRST_PROCESS: u32 = 1;

/// Returns true if this process inherits orphans, as the init process of its namespace or as a subreaper.
pub(crate) fn inherits_orphans() -> bool {
    #[cfg(target_os = "linux")]
    let is_subreaper = rustix::process::child_subreaper().is_ok_and(|set| set.is_some());
    #[cfg(not(target_os = "linux"))]
    let is_subreaper = false;
    is_subreaper || std::process::id() == FIRST_PROCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_of_another_start_is_not_alive() {
        let id = std::process::id();
        let start = process_info(id).unwrap().unwrap().start;
        assert!(may_be_alive(id, start) && may_be_alive(id, 0));
        assert!(!may_be_alive(id, start + 1));
        assert!(!may_be_alive(4_194_305, start));
    }
}
