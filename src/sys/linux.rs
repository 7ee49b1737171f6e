//! The parts for Linux: `O_PATH`, `openat2`, `/proc`, pidfds.

mod processes;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, ResolveFlags};
use rustix::io::Errno;

use super::{Folder, Opened, Stat};

pub(crate) use processes::{has_process_table, list_processes, pipes, process_info, send_signals, tag_of};

/// Flags that open a path only for its type, and for opening paths below it.
pub(super) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// A handle to an open path that can't be read through it.
pub(super) type PathHandle = OwnedFd;

/// Refuses paths that leave the folder or pass through a link.
const BELOW: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

impl Opened {
    /// Opens `path`. Follows links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        Self::of(rustix::fs::openat(CWD, path, LOOK, Mode::empty())?)
    }

    /// Opens `path`. Returns an error if any part of it is a link.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        Self::of(rustix::fs::openat2(CWD, path, LOOK, Mode::empty(), ResolveFlags::NO_SYMLINKS)?)
    }

    fn of(fd: OwnedFd) -> io::Result<Self> {
        let stat = Stat::of(&rustix::fs::fstat(&fd)?);
        let real = rustix::fs::readlinkat(CWD, path_of(&fd), Vec::new()).map_err(without_proc)?;
        Ok(Self { real: PathBuf::from(OsString::from_vec(real.into_bytes())), stat, handle: fd })
    }

    /// Opens the same file for reading. Never waits, whatever its type.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.reopen(OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY).map(File::from)
    }

    /// Opens the same file as a folder.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        self.reopen(OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY)
    }

    /// Returns a path to exactly this file or folder, even if its name now refers to another one.
    pub(crate) fn path(&self) -> PathBuf {
        path_of(&self.handle).into()
    }

    fn reopen(&self, flags: OFlags) -> io::Result<OwnedFd> {
        Ok(rustix::fs::openat(CWD, path_of(&self.handle), flags, Mode::empty())?)
    }
}

/// Converts an error at `/proc/self/fd`. It must not look like a missing file.
fn without_proc(error: Errno) -> io::Error {
    match error {
        Errno::NOENT | Errno::NOTDIR => {
            io::Error::other("/proc is not mounted, so the location of the file is unknown")
        }
        error => error.into(),
    }
}

/// Returns a path to exactly this open file, even if its name now refers to another file.
pub(crate) fn path_of(open: impl AsFd) -> String {
    format!("/proc/self/fd/{}", open.as_fd().as_raw_fd())
}

/// Sets the capacity of a pipe to `bytes`, if the system allows it.
pub(crate) fn enlarge(pipe: &PipeReader, bytes: usize) {
    let _smaller_works_too = rustix::pipe::fcntl_setpipe_size(pipe, bytes);
}

/// True if a reader of names can continue after it was interrupted.
pub(super) const GOES_ON_AFTER_INTR: bool = true;

/// Returns a reader of the names in `folder`. Each read returns as many names as fit in `buffer`.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(super) fn dir_reader<'a>(
    folder: &'a Folder,
    buffer: &'a mut Vec<u8>,
) -> Result<RawDir<'a, &'a Folder>, Errno> {
    Ok(RawDir::new(folder, buffer.spare_capacity_mut()))
}

/// Opens `path` below `base` in one call. Returns `NOSYS` or `PERM` if the kernel does not support the call or a filter
/// refuses it.
pub(super) fn open_beneath(base: impl AsFd, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(base, path, flags, Mode::empty(), BELOW)
}

/// Gives this user all rights to the folder `name` in `base`. Returns an error if that is no folder.
pub(crate) fn make_accessible(base: impl AsFd, name: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(base, name, flags, Mode::empty())?;
    // `fchmod` refuses a descriptor that was opened with `O_PATH`.
    rustix::fs::chmodat(CWD, path_of(&folder), Mode::RWXU, AtFlags::empty())
}
