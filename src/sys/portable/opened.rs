//! A path that is open to be looked at, where the system can't open without reading.
//!
//! So it is asked of the path first whether a file or a folder stands there, and nothing else is
//! opened: a FIFO or a device that is put there in between is opened, without waiting and without
//! being read. What it is and where it really is are then asked of the open file.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, SeekFrom};
use rustix::io::Errno;

use crate::sys::{FileKind, Folder, Opened, Stat};

/// Only for looking at what it is, and for opening what is below it.
pub(in crate::sys) const LOOK: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Refuses paths that lead through a link.
#[cfg(target_os = "macos")]
const NO_LINKS: Option<OFlags> = Some(OFlags::NOFOLLOW_ANY);
#[cfg(not(target_os = "macos"))]
const NO_LINKS: Option<OFlags> = None;

/// A handle on what was opened; `None` where that is neither a file nor a folder.
pub(in crate::sys) type PathHandle = Option<OwnedFd>;

impl Opened {
    /// Opens `path`, through links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let stat = Stat::of(&rustix::fs::stat(path)?);
        if !is_opened(&stat) {
            return Ok(Self { real: path.canonicalize()?, stat, handle: None });
        }
        let fd = rustix::fs::openat(CWD, path, LOOK, Mode::empty())?;
        Ok(Self { real: place(&fd)?, stat: Stat::of(&rustix::fs::fstat(&fd)?), handle: Some(fd) })
    }

    /// Opens `path` where no part of it is a link. Of a file with several names the system may tell any: here the one
    /// that opened it is the answer. Fails where the system can't refuse links: they are followed one by one beforehand
    /// instead.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        let flags = LOOK | NO_LINKS.ok_or(Errno::NOSYS)?;
        let before = Stat::of(&rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?);
        if !is_opened(&before) {
            return Err(Errno::NOTSUP.into());
        }
        let fd = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        let stat = Stat::of(&rustix::fs::fstat(&fd)?);
        let climbs = path.components().any(|component| component == Component::ParentDir);
        let has_several_names = stat.kind == FileKind::File && stat.links > 1;
        let real = if has_several_names && !climbs { path.components().collect() } else { place(&fd)? };
        Ok(Self { real, stat, handle: Some(fd) })
    }

    /// Gives the same once more, from its beginning. All that are given of one share where they are
    /// read: only the last may be read on.
    pub(crate) fn file(&self) -> io::Result<File> {
        let file = rustix::io::fcntl_dupfd_cloexec(self.handle.as_ref().ok_or(Errno::NOTSUP)?, 0)?;
        // A folder has no beginning, and is not read so.
        let _folders_have_none = rustix::fs::seek(&file, SeekFrom::Start(0));
        Ok(File::from(file))
    }

    /// Opens the same once more, as a folder.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        let held = self.handle.as_ref().ok_or(Errno::NOTDIR)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        Ok(rustix::fs::openat(held, ".", flags, Mode::empty())?)
    }
}

fn is_opened(stat: &Stat) -> bool {
    matches!(stat.kind, FileKind::File | FileKind::Folder)
}

/// Returns the path of an open file.
#[cfg(target_os = "macos")]
fn place(fd: &OwnedFd) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;

    Ok(Path::new(std::ffi::OsStr::from_bytes(rustix::fs::getpath(fd)?.to_bytes())).to_owned())
}

/// The same on Linux, where alone this side is tested.
#[cfg(not(target_os = "macos"))]
fn place(fd: &OwnedFd) -> io::Result<PathBuf> {
    std::fs::read_link(crate::sys::path_of(fd))
}
