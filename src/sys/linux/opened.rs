//! A path that is open without being read (`O_PATH`). Its type, its location and its content are read through the
//! same open file.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::sys::{Folder, Opened, Stat, path_of};

/// Opens nothing for reading: only for the type, and for opening paths below it.
pub(in crate::sys) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// A handle on an open file that can't read it.
pub(in crate::sys) type PathHandle = OwnedFd;

impl Opened {
    /// Opens `path`, through links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        Self::of(rustix::fs::openat(CWD, path, LOOK, Mode::empty())?)
    }

    /// Opens `path` if no part of it is a link.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        Self::resolved(path, ResolveFlags::empty())
    }

    /// Opens `path` like [`Self::without_links`], but only if the kernel has every part of it in memory.
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

    /// Opens the same once more. Never waits, whatever it is.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.reopen(OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY).map(File::from)
    }

    /// Opens the same once more, as a folder.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        self.reopen(OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY)
    }

    fn reopen(&self, flags: OFlags) -> io::Result<OwnedFd> {
        Ok(rustix::fs::openat(CWD, path_of(&self.handle), flags, Mode::empty())?)
    }
}

/// Returns the error of a link to an open file that can't be read. It must not look like a missing file.
fn without_proc(error: Errno) -> io::Error {
    match error {
        Errno::NOENT | Errno::NOTDIR => io::Error::other("/proc is not mounted, which tells where it is"),
        error => error.into(),
    }
}
