//! A path that is open to be looked at, where the system can't open without reading.
//!
//! So it is asked of the path first whether a file or a folder stands there, and nothing else is
//! opened: a FIFO or a device that is put there in between is opened, without waiting and without
//! being read. What it is and where it really is are then asked of the open file.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, SeekFrom, Stat};
use rustix::io::Errno;

use crate::exec::os::Opened;

/// Only for looking at what it is, and for opening what is below it.
pub(in crate::exec) const LOOK: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// What was opened; `None` where it is neither a file nor a folder.
#[derive(Debug)]
pub(in crate::exec) struct Held(Option<OwnedFd>);

impl Opened {
    /// Opens `path`, through links.
    pub(in crate::exec) fn through_links(path: &Path) -> Result<Self, Errno> {
        let stat = rustix::fs::stat(path)?;
        if !is_opened(&stat) {
            let real =
                path.canonicalize().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
            return Ok(Self { real, stat, held: Held(None) });
        }
        let fd = rustix::fs::openat(CWD, path, LOOK, Mode::empty())?;
        Ok(Self { real: place::of(&fd)?, stat: rustix::fs::fstat(&fd)?, held: Held(Some(fd)) })
    }

    /// Opens `path` where no part of it is a link; also fails where the system can't tell.
    pub(in crate::exec) fn without_links(path: &Path) -> Result<Self, Errno> {
        let before = rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?;
        if !is_opened(&before) {
            return Err(Errno::NOTSUP);
        }
        let fd = rustix::fs::openat(CWD, path, LOOK | place::without_links()?, Mode::empty())?;
        let stat = rustix::fs::fstat(&fd)?;
        Ok(Self { real: place::of_plain(&fd, path, &stat)?, stat, held: Held(Some(fd)) })
    }

    /// Nothing tells here whether the system has all that it takes in memory.
    pub(in crate::exec) fn cached(_: &Path) -> Result<Self, Errno> {
        Err(Errno::NOTSUP)
    }
}

impl Held {
    /// Gives the same once more, from its beginning. All that are given of one share where they are
    /// read: only the last may be read on.
    pub(in crate::exec) fn file(&self) -> Result<OwnedFd, Errno> {
        let file = rustix::io::fcntl_dupfd_cloexec(self.0.as_ref().ok_or(Errno::NOTSUP)?, 0)?;
        // A folder has no beginning, and is not read so.
        let _or_a_folder = rustix::fs::seek(&file, SeekFrom::Start(0));
        Ok(file)
    }

    /// Opens the same once more, as a folder.
    pub(in crate::exec) fn folder(&self) -> Result<OwnedFd, Errno> {
        let held = self.0.as_ref().ok_or(Errno::NOTDIR)?;
        rustix::fs::openat(held, ".", OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY, Mode::empty())
    }
}

fn is_opened(stat: &Stat) -> bool {
    matches!(FileType::from_raw_mode(stat.st_mode), FileType::RegularFile | FileType::Directory)
}

/// Where an open file really is, as macOS tells it.
#[cfg(target_os = "macos")]
mod place {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::Component;

    use super::{Errno, FileType, OFlags, OwnedFd, Path, PathBuf, Stat};

    /// What opens a path only where no part of it is a link.
    pub(super) fn without_links() -> Result<OFlags, Errno> {
        Ok(OFlags::NOFOLLOW_ANY)
    }

    pub(super) fn of(fd: &OwnedFd) -> Result<PathBuf, Errno> {
        Ok(PathBuf::from(OsString::from_vec(rustix::fs::getpath(fd)?.into_bytes())))
    }

    /// The same for a file that was opened by `path`, through no link. Of a file with several names
    /// the system may tell any: here the one that opened it is the answer.
    pub(super) fn of_plain(fd: &OwnedFd, path: &Path, stat: &Stat) -> Result<PathBuf, Errno> {
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let climbs = path.components().any(|component| component == Component::ParentDir);
        if is_file && stat.st_nlink > 1 && !climbs { Ok(path.components().collect()) } else { of(fd) }
    }
}

/// The same for systems that tell by `/proc`: only there is this side ever tested.
#[cfg(not(target_os = "macos"))]
mod place {
    use std::os::fd::AsRawFd as _;

    use super::{Errno, OFlags, OwnedFd, Path, PathBuf, Stat};

    /// There is no such flag: the links of the path are followed one by one beforehand instead.
    pub(super) fn without_links() -> Result<OFlags, Errno> {
        Err(Errno::NOSYS)
    }

    pub(super) fn of(fd: &OwnedFd) -> Result<PathBuf, Errno> {
        let link = format!("/proc/self/fd/{}", fd.as_raw_fd());
        std::fs::read_link(link).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    pub(super) fn of_plain(fd: &OwnedFd, _: &Path, _: &Stat) -> Result<PathBuf, Errno> {
        of(fd)
    }
}
