//! Opens paths below an open folder: by the full path, followed by a check of the real location.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf, Prefix};

use filepath::FilePath as _;

use crate::sys::spelling::taken;
use crate::sys::{self, FileKind, Stat};

/// Opens folders too (`FILE_FLAG_BACKUP_SEMANTICS`).
const FOLDERS_TOO: u32 = 0x0200_0000;
/// Opens a link itself (`FILE_FLAG_OPEN_REPARSE_POINT`).
const LINK_ITSELF: u32 = 0x0020_0000;
/// Only for the type (`FILE_READ_ATTRIBUTES`).
const LOOK: u32 = 0x80;

/// An open folder: paths below it are opened by its real path.
#[derive(Debug)]
pub struct Folder {
    /// Its path without links.
    pub(super) real: PathBuf,
}

/// Opens `path` through links for reading; a folder for listing.
pub(super) fn open(path: &Path) -> io::Result<(File, PathBuf)> {
    // Except after the drive, a colon separates a name from one of its streams, which no folder lists. Devices
    // and pipes have names that no folder has, and opening one can have an effect.
    let is_none = |part: Component<'_>| match part {
        Component::Normal(name) => name.as_encoded_bytes().contains(&b':'),
        Component::Prefix(prefix) => matches!(prefix.kind(), Prefix::DeviceNS(_)),
        _ => false,
    };
    if path.components().any(is_none) {
        return Err(ErrorKind::NotFound.into());
    }
    let file = OpenOptions::new().read(true).custom_flags(FOLDERS_TOO).open(path)?;
    let real = taken(file.path()?);
    Ok((file, real))
}

/// Opens the folder at `path`, through links.
pub(crate) fn open_folder(path: impl AsRef<Path>) -> io::Result<Folder> {
    let (file, real) = open(path.as_ref())?;
    if !file.metadata()?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    Ok(Folder { real })
}

/// Opens the folder that `path` leads to from `folder`, through links.
pub(crate) fn folder_from(folder: &Folder, path: &Path) -> io::Result<Folder> {
    open_folder(taken(folder.real.join(path)))
}

/// Opens the folder at `path`, which is relative to `base`; an empty one is `base` itself. What really is elsewhere was
/// reached through a link.
pub(crate) fn folder(base: &Folder, path: &[u8]) -> io::Result<Folder> {
    let path = join(base, path);
    let folder = open_folder(&path)?;
    if folder.real == path { Ok(folder) } else { Err(ErrorKind::NotFound.into()) }
}

/// Opens the regular file `path` below `base` for reading; returns `None` for another type.
pub(crate) fn file(base: &Folder, path: &[u8]) -> io::Result<Option<(File, Stat)>> {
    let path = join(base, path);
    let (file, real) = open(&path)?;
    if real != path {
        return Err(ErrorKind::NotFound.into());
    }
    let stat = Stat::of(&file)?;
    Ok((stat.kind == FileKind::File).then_some((file, stat)))
}

/// Makes the folder `name` in `base`. The temp folder is each user's own already.
pub(crate) fn make_private_folder(base: &Folder, name: &str) -> io::Result<()> {
    std::fs::create_dir(join(base, name.as_bytes()))
}

/// Creates the file `name` in `base` if it does not exist. Other processes may read and write it while it is open,
/// but not remove it.
pub(crate) fn create(base: &Folder, name: &str) -> io::Result<File> {
    /// `FILE_SHARE_READ` and `FILE_SHARE_WRITE`, without `FILE_SHARE_DELETE`.
    const SHARED: u32 = 0b11;
    let path = join(base, name.as_bytes());
    OpenOptions::new().read(true).write(true).create_new(true).share_mode(SHARED).open(path)
}

/// Opens `name` in `base` for reading and appending, and creates it if it does not exist. Opens a link itself.
pub(crate) fn append(base: &Folder, name: &OsStr) -> io::Result<(File, Stat)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).custom_flags(LINK_ITSELF);
    let file = options.open(base.real.join(name))?;
    let stat = Stat::of(&file)?;
    Ok((file, stat))
}

/// Returns type, size and times of the entry `name` of `base`, of a link itself; `.` is `base`.
pub(crate) fn stat(base: &Folder, name: &[u8]) -> io::Result<Stat> {
    let flags = FOLDERS_TOO | LINK_ITSELF;
    Stat::of(&OpenOptions::new().access_mode(LOOK).custom_flags(flags).open(join(base, name))?)
}

/// Removes the file of that name from `base`.
pub(crate) fn remove(base: &Folder, name: &[u8]) -> io::Result<()> {
    std::fs::remove_file(join(base, name))
}

/// A path below `base` with names separated by `/`.
pub(super) fn join(base: &Folder, path: &[u8]) -> PathBuf {
    let mut there = base.real.clone();
    let names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
    names.for_each(|name| there.push(sys::name(name)));
    there
}
