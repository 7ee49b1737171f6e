//! What Linux and macOS have in common.

pub(crate) mod below;
mod output_pipe;
mod shell;

use std::borrow::Cow;
use std::ffi::{CStr, OsStr};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{FileKind, LOOK, Stat, process_info};

pub(crate) use output_pipe::OutputPipe;
pub(crate) use shell::*;

/// An open folder: what is below it is opened through it.
pub(crate) type Folder = OwnedFd;

/// Permissions of anybody but the owner.
const OTHERS: Mode = Mode::RWXG.union(Mode::RWXO);

impl Stat {
    /// What the system's own words come to.
    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        let nanos = |secs: i64, nanos: i128| i128::from(secs) * 1_000_000_000 + nanos;
        #[expect(clippy::useless_conversion, reason = "the types differ by system")]
        Self {
            kind: FileKind::of(FileType::from_raw_mode(stat.st_mode)),
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            id: (u64::try_from(stat.st_dev).unwrap_or(0), stat.st_ino.into()),
            modified: nanos(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
            changed: nanos(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
            owner: stat.st_uid,
            is_removed: stat.st_nlink == 0,
        }
    }
}

impl FileKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice => Self::CharacterDevice,
            FileType::BlockDevice => Self::BlockDevice,
            FileType::Unknown => Self::Unknown,
        }
    }
}

/// What has that name in `folder`, where the folder says that it is `told`.
pub(super) fn kind_in(folder: &Folder, name: &CStr, told: FileType) -> FileKind {
    match told {
        // Some file systems don't tell by the name alone.
        FileType::Unknown => below::stat(folder, name.to_bytes()).map_or(FileKind::Unknown, |stat| stat.kind),
        told => FileKind::of(told),
    }
}

/// Opens the folder at `path`, through links.
pub(crate) fn open_folder(path: &Path) -> io::Result<Folder> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Opens the folder that `path` leads to from `folder`, through links, only for opening what is below.
pub(crate) fn folder_from(folder: &Folder, path: &Path) -> io::Result<Folder> {
    Ok(rustix::fs::openat(folder, path, LOOK | OFlags::DIRECTORY, Mode::empty())?)
}

/// Reads at an offset.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(buffer, at)
}

/// The name that these bytes are.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(bytes))
}

/// Whether the error says that nothing stands there.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG))
}

/// Whether the error says that what was seen there is gone, or is something else by now.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NXIO))
}

/// Whether the error says that this user may not.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::ACCESS | Errno::PERM))
}

/// The user whose files are this process's own.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// How files are opened that are this user's alone where they are made, and that are never waited for.
pub(crate) fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    options
}

/// Creates a file exclusively and with mode 0600, and locks it while it is open.
pub(crate) fn create_held(
    named: &tempfile::Builder<'_, '_>,
    folder: &Path,
) -> io::Result<tempfile::NamedTempFile> {
    let created = named.tempfile_in(folder)?;
    // Where the file system has no locks, the file's age still keeps it from the sweep.
    let _best_effort = created.as_file().try_lock();
    Ok(created)
}

/// Whether a file may be removed for all that [`create_held`] did: it is locked from now on.
pub(crate) fn is_let_go(file: &File) -> bool {
    file.try_lock().is_ok()
}

/// Makes a folder for this user alone.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::mkdir(path, Mode::RWXU)?)
}

/// Whether a folder itself, not a link to one, is this user's, and closed to all others.
pub(crate) fn is_private_folder(path: &Path) -> io::Result<bool> {
    let raw = rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?;
    let stat = Stat::of(&raw);
    let closed = !Mode::from_raw_mode(raw.st_mode).intersects(OTHERS);
    Ok(stat.kind == FileKind::Folder && stat.owner == user() && closed)
}

/// What tells this process from any other that had its number: when it was started.
pub(crate) fn this_start() -> u64 {
    process_info(std::process::id()).ok().flatten().map_or(0, |process| process.start)
}

/// The name of the folder of saved outputs in the temp folder that all users share.
pub(crate) fn saved_folder_name() -> String {
    format!("cutline-{}", user())
}
