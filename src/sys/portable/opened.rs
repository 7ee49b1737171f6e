//! Opens a path for its location and type, on a system that can't open a file without reading.
//!
//! The type is checked first by path, and only a file or a folder is opened. If a FIFO or a device replaces it in
//! between, it is opened without waiting and not read. Type and location are then read from the open file.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::sys::{FileKind, Folder, Opened, Stat};

/// Flags that open a path for its type and for opening paths below it.
pub(in crate::sys) const LOOK: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Refuses paths that pass through a link.
#[cfg(target_os = "macos")]
const NO_LINKS: Option<OFlags> = Some(OFlags::NOFOLLOW_ANY);
#[cfg(not(target_os = "macos"))]
const NO_LINKS: Option<OFlags> = None;

impl Opened {
    /// Opens `path`. Follows links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let (stat, handle) = look(path, LOOK, AtFlags::empty())?;
        let real = handle.as_ref().map_or_else(|| path.canonicalize(), place)?;
        Ok(Self { real, stat, handle })
    }

    /// Opens `path`. Returns an error if any part of it is a link. If a file has several names, the system may report
    /// any of them; the name in `path` is used. Also returns an error if the system can't refuse links: the caller then
    /// follows them one by one before it opens the file.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        let (stat, handle) = look(path, LOOK | NO_LINKS.ok_or(Errno::NOSYS)?, AtFlags::SYMLINK_NOFOLLOW)?;
        let file = handle.as_ref().ok_or(Errno::NOTSUP)?;
        let climbs = path.components().any(|component| component == Component::ParentDir);
        let has_several_names = stat.kind == FileKind::File && stat.links > 1;
        let real = if has_several_names && !climbs { path.components().collect() } else { place(file)? };
        Ok(Self { real, stat, handle })
    }

    /// Opens the same file as a folder.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        let held = self.handle.as_ref().ok_or(Errno::NOTDIR)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        Ok(rustix::fs::openat(held, ".", flags, Mode::empty())?)
    }
}

/// Opens `path` with `flags` if it is a file or a folder; otherwise returns `None`. `follow` sets whether a link at the
/// end is followed.
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

/// Returns the path of an open file. For tests on Linux.
#[cfg(not(target_os = "macos"))]
fn place(file: &File) -> io::Result<PathBuf> {
    std::fs::read_link(crate::sys::path_of(file))
}
