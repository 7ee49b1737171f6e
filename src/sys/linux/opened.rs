//! A path that was opened without reading it (`O_PATH`). Type, location and content are read through the same open
//! file.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::sys::{Folder, Opened, Stat, path_of};

/// Flags that open a path only for its type, and for opening paths below it.
pub(in crate::sys) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// A handle to an open file that can't be read through it.
pub(in crate::sys) type PathHandle = OwnedFd;

impl Opened {
    /// Opens `path`. Follows links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        Self::of(rustix::fs::openat(CWD, path, LOOK, Mode::empty())?)
    }

    /// Opens `path`. Returns an error if any part of it is a link.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        Self::resolved(path, ResolveFlags::empty())
    }

    /// Opens `path` like [`Self::without_links`], but only if the kernel has all its parts in the cache.
    pub(crate) fn cached(path: &Path) -> io::Result<Self> {
        Self::resolved(path, ResolveFlags::CACHED)
    }

    fn resolved(path: &Path, how: ResolveFlags) -> io::Result<Self> {
        Self::of(rustix::fs::openat2(CWD, path, LOOK, Mode::empty(), how | ResolveFlags::NO_SYMLINKS)?)
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
