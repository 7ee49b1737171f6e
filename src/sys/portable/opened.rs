//! A path that is open to be looked at, where the system can't open without reading.
//!
//! So it is asked of the path first whether a file or a folder stands there, and nothing else is
//! opened: a FIFO or a device that is put there in between is opened, without waiting and without
//! being read. What it is and where it really is are then asked of the open file.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
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

impl Opened {
    /// Opens `path`, through links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let (stat, handle) = look(path, LOOK, AtFlags::empty())?;
        let real = handle.as_ref().map_or_else(|| path.canonicalize(), place)?;
        Ok(Self { real, stat, handle })
    }

    /// Opens `path` where no part of it is a link. Of a file with several names the system may tell any: here the one
    /// that opened it is the answer. Fails where the system can't refuse links: they are followed one by one beforehand
    /// instead.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        let (stat, handle) = look(path, LOOK | NO_LINKS.ok_or(Errno::NOSYS)?, AtFlags::SYMLINK_NOFOLLOW)?;
        let file = handle.as_ref().ok_or(Errno::NOTSUP)?;
        let climbs = path.components().any(|component| component == Component::ParentDir);
        let has_several_names = stat.kind == FileKind::File && stat.links > 1;
        let real = if has_several_names && !climbs { path.components().collect() } else { place(file)? };
        Ok(Self { real, stat, handle })
    }

    /// Opens the same once more, as a folder.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        let held = self.handle.as_ref().ok_or(Errno::NOTDIR)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        Ok(rustix::fs::openat(held, ".", flags, Mode::empty())?)
    }
}

/// Opens `path` with `flags` where a file or a folder stands there; `None` where it is something else. `follow` says
/// whether a link there is followed.
fn look(path: &Path, flags: OFlags, follow: AtFlags) -> io::Result<(Stat, Option<File>)> {
    let stat = Stat::of(&rustix::fs::statat(CWD, path, follow)?);
    if !matches!(stat.kind, FileKind::File | FileKind::Folder) {
        return Ok((stat, None));
    }
    let file = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
    Ok((Stat::of(&rustix::fs::fstat(&file)?), Some(file.into())))
}

/// Returns the path of an open file.
#[cfg(target_os = "macos")]
fn place(file: &File) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;

    Ok(Path::new(std::ffi::OsStr::from_bytes(rustix::fs::getpath(file)?.to_bytes())).to_owned())
}

/// The same on Linux, where alone this side is tested.
#[cfg(not(target_os = "macos"))]
fn place(file: &File) -> io::Result<PathBuf> {
    std::fs::read_link(crate::sys::path_of(file))
}
