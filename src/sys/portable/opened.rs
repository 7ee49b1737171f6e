//! A path that is open to be looked at, where the system can't open without reading.
//!
//! So it is asked of the path first whether a file or a folder stands there, and nothing else is
//! opened: a FIFO or a device that is put there in between is opened, without waiting and without
//! being read. What it is and where it really is are then asked of the open file.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, SeekFrom};
use rustix::io::Errno;

use crate::sys::{FileKind, Folder, Opened, Stat};

/// Only for looking at what it is, and for opening what is below it.
pub(in crate::sys) const LOOK: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// A handle on what was opened; `None` where that is neither a file nor a folder.
#[derive(Debug)]
pub(crate) struct PathHandle(Option<OwnedFd>);

impl Opened {
    /// Opens `path`, through links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let stat = Stat::of(&rustix::fs::stat(path)?);
        if !is_opened(&stat) {
            return Ok(Self { real: path.canonicalize()?, stat, held: PathHandle(None) });
        }
        let fd = rustix::fs::openat(CWD, path, LOOK, Mode::empty())?;
        Ok(Self {
            real: place::of(&fd)?,
            stat: Stat::of(&rustix::fs::fstat(&fd)?),
            held: PathHandle(Some(fd)),
        })
    }

    /// Opens `path` where no part of it is a link; also fails where the system can't tell.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        let before = Stat::of(&rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?);
        if !is_opened(&before) {
            return Err(Errno::NOTSUP.into());
        }
        let fd = rustix::fs::openat(CWD, path, LOOK | place::without_links()?, Mode::empty())?;
        let raw = rustix::fs::fstat(&fd)?;
        let stat = Stat::of(&raw);
        let several_names = stat.kind == FileKind::File && raw.st_nlink > 1;
        Ok(Self { real: place::of_plain(&fd, path, several_names)?, stat, held: PathHandle(Some(fd)) })
    }
}

impl PathHandle {
    /// Gives the same once more, from its beginning. All that are given of one share where they are
    /// read: only the last may be read on.
    pub(crate) fn file(&self) -> io::Result<File> {
        let file = rustix::io::fcntl_dupfd_cloexec(self.0.as_ref().ok_or(Errno::NOTSUP)?, 0)?;
        // A folder has no beginning, and is not read so.
        let _folders_have_none = rustix::fs::seek(&file, SeekFrom::Start(0));
        Ok(File::from(file))
    }

    /// Opens the same once more, as a folder.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        let held = self.0.as_ref().ok_or(Errno::NOTDIR)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        Ok(rustix::fs::openat(held, ".", flags, Mode::empty())?)
    }
}

fn is_opened(stat: &Stat) -> bool {
    matches!(stat.kind, FileKind::File | FileKind::Folder)
}

/// The path of an open file, as macOS tells it.
#[cfg(target_os = "macos")]
mod place {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::Component;

    use super::{Errno, OFlags, OwnedFd, Path, PathBuf, io};

    /// Returns the flag that opens a path only where no part of it is a link.
    pub(super) fn without_links() -> Result<OFlags, Errno> {
        Ok(OFlags::NOFOLLOW_ANY)
    }

    pub(super) fn of(fd: &OwnedFd) -> io::Result<PathBuf> {
        Ok(PathBuf::from(OsString::from_vec(rustix::fs::getpath(fd)?.into_bytes())))
    }

    /// The same for a file that was opened by `path`, through no link. Of a file with several names
    /// the system may tell any: here the one that opened it is the answer.
    pub(super) fn of_plain(fd: &OwnedFd, path: &Path, several_names: bool) -> io::Result<PathBuf> {
        let climbs = path.components().any(|component| component == Component::ParentDir);
        if several_names && !climbs { Ok(path.components().collect()) } else { of(fd) }
    }
}

/// The same for systems that tell by `/proc`: only there is this side ever tested.
#[cfg(not(target_os = "macos"))]
mod place {
    use super::{Errno, OFlags, OwnedFd, Path, PathBuf, io};

    /// There is no such flag: the links of the path are followed one by one beforehand instead.
    pub(super) fn without_links() -> Result<OFlags, Errno> {
        Err(Errno::NOSYS)
    }

    pub(super) fn of(fd: &OwnedFd) -> io::Result<PathBuf> {
        std::fs::read_link(crate::sys::path_of(fd))
    }

    pub(super) fn of_plain(fd: &OwnedFd, _: &Path, _: bool) -> io::Result<PathBuf> {
        of(fd)
    }
}
