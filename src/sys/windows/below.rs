//! Opens paths below an open folder by their full path, and then checks the real location.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf, Prefix};

use filepath::FilePath as _;

use crate::sys::spelling::taken;
use crate::sys::{self, FileKind, Stat};

/// Also opens folders (`FILE_FLAG_BACKUP_SEMANTICS`).
const FOLDERS_TOO: u32 = 0x0200_0000;
/// Opens a link itself, not its target (`FILE_FLAG_OPEN_REPARSE_POINT`).
const LINK_ITSELF: u32 = 0x0020_0000;
/// Opens a path only for its type (`FILE_READ_ATTRIBUTES`).
const LOOK: u32 = 0x80;

/// An open folder. Paths below it are opened by its real path.
#[derive(Debug)]
pub struct Folder {
    /// The path without links.
    pub(super) real: PathBuf,
}

/// Opens `path` for reading, or for listing if it is a folder. Follows links.
pub(super) fn open(path: &Path) -> io::Result<(File, PathBuf)> {
    // After the drive, a colon separates a file name from one of its streams, which folders do not list. Devices and
    // pipes have reserved names, and opening one can have an effect.
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

/// Opens the folder at `path`. Follows links.
pub(crate) fn open_folder(path: impl AsRef<Path>) -> io::Result<Folder> {
    let (file, real) = open(path.as_ref())?;
    if !file.metadata()?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    Ok(Folder { real })
}

/// Opens the folder at `path`, relative to `folder`. Follows links.
pub(crate) fn folder_from(folder: &Folder, path: &Path) -> io::Result<Folder> {
    open_folder(taken(folder.real.join(path)))
}

/// Opens the folder at `path`, relative to `base`. An empty path means `base` itself. Returns an error if the real
/// location is elsewhere, because the path then has a link.
pub(crate) fn folder(base: &Folder, path: &[u8]) -> io::Result<Folder> {
    let path = join(base, path);
    let folder = open_folder(&path)?;
    if folder.real == path { Ok(folder) } else { Err(ErrorKind::NotFound.into()) }
}

/// Opens the regular file `path` below `base` for reading. Returns `None` for other types.
pub(crate) fn file(base: &Folder, path: &[u8]) -> io::Result<Option<(File, Stat)>> {
    let path = join(base, path);
    let (file, real) = open(&path)?;
    if real != path {
        return Err(ErrorKind::NotFound.into());
    }
    let stat = Stat::of(&file)?;
    Ok((stat.kind == FileKind::File).then_some((file, stat)))
}

/// Creates the folder `name` in `base`. Each user has a separate temp folder.
pub(crate) fn make_private_folder(base: &Folder, name: &str) -> io::Result<()> {
    std::fs::create_dir(join(base, name.as_bytes()))
}

/// Creates the file `name` in `base`. Returns an error if it exists. While it is open, other processes can read and
/// write it, but not remove it.
pub(crate) fn create(base: &Folder, name: &str) -> io::Result<File> {
    /// `FILE_SHARE_READ` and `FILE_SHARE_WRITE`, without `FILE_SHARE_DELETE`.
    const SHARED: u32 = 0b11;
    let path = join(base, name.as_bytes());
    OpenOptions::new().read(true).write(true).create_new(true).share_mode(SHARED).open(path)
}

/// Opens `name` in `base` for reading and appending, and creates it if it does not exist. Does not follow a link.
pub(crate) fn append(base: &Folder, name: &OsStr) -> io::Result<(File, Stat)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).custom_flags(LINK_ITSELF);
    let file = options.open(base.real.join(name))?;
    let stat = Stat::of(&file)?;
    Ok((file, stat))
}

/// Returns type, size and times of the entry `name` of `base`. Does not follow a link. `.` means `base`.
pub(crate) fn stat(base: &Folder, name: &[u8]) -> io::Result<Stat> {
    let flags = FOLDERS_TOO | LINK_ITSELF;
    Stat::of(&OpenOptions::new().access_mode(LOOK).custom_flags(flags).open(join(base, name))?)
}

/// Removes the file `name` from `base`.
pub(crate) fn remove(base: &Folder, name: &[u8]) -> io::Result<()> {
    std::fs::remove_file(join(base, name))
}

/// Joins `base` and a path with names separated by `/`.
pub(super) fn join(base: &Folder, path: &[u8]) -> PathBuf {
    let mut there = base.real.clone();
    let names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
    names.for_each(|name| there.push(sys::name(name)));
    there
}
