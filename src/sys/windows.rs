//! The parts for Windows: handles that report their location, and one unambiguous spelling of paths.
//!
//! A file is opened by path, and then its real location is checked. If that is elsewhere, the path had a link, and the
//! file is closed. All paths are *verbatim* (`\\?\C:\…`). They have no special names and no limit of length.

pub(crate) mod below;
mod input_pipe;
mod opened;
mod output_pipe;
mod shell;
pub(crate) mod spelling;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, FileType};
use std::io;
use std::ops::ControlFlow;
use std::os::windows::fs::{FileExt as _, MetadataExt as _};

use super::{FileKind, Stat};

pub(crate) use below::{Folder, folder_from, open_folder};
pub(crate) use input_pipe::InputPipe;
pub(crate) use output_pipe::OutputPipe;
pub(crate) use shell::*;
pub(crate) use std::io::{stderr as log_stream, stdin, stdout};

impl Stat {
    /// Reads the metadata of an open file.
    fn of(file: &File) -> io::Result<Self> {
        let medium = winapi_util::file::typ(file)?;
        let mut stat = Self {
            kind: if medium.is_pipe() { FileKind::Fifo } else { FileKind::CharacterDevice },
            bytes: 0,
            id: (0, 0),
            modified: 0,
            // Unknown. The write time may not change while a program writes.
            changed: i128::MAX,
            // Each user has a separate temp folder.
            owner: user(),
            is_private: true,
            // Unknown. The location, which is checked too, shows whether a file was removed.
            links: 1,
        };
        if medium.is_disk() {
            let (metadata, known) = (file.metadata()?, winapi_util::file::information(file)?);
            stat.kind = FileKind::of(metadata.file_type());
            stat.bytes = metadata.file_size();
            stat.id = (known.volume_serial_number(), known.file_index());
            stat.modified = super::nanos(metadata.modified()?);
        }
        Ok(stat)
    }
}

impl FileKind {
    /// Junctions count as links.
    fn of(kind: FileType) -> Self {
        match kind {
            kind if kind.is_symlink() => Self::Link,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::File,
        }
    }
}

/// Reads at an offset in bytes.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(buffer, at)
}

/// Returns the file name for these bytes. Bytes can't represent invalid UTF-16; for such a name, the result opens no
/// file.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(name) => Cow::Borrowed(OsStr::new(name)),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

/// Error codes for a missing file, in addition to those that std recognizes: for a missing or empty drive, and for an
/// invalid path, server or share.
pub(super) const NO_SUCH_FILE: [i32; 6] = [15, 21, 53, 67, 123, 161];

/// Returns true if the error means that the file was removed or replaced.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    super::is_missing(error)
}

/// Returns 0, the owner that [`Stat`] has for every file here.
pub(crate) fn user() -> u32 {
    0
}

/// Returns `None`, because Windows has no process groups.
pub(super) fn group(_: u32) -> Option<u32> {
    None
}

/// Returns true without locking: a lock would prevent other processes from reading. An open file can't be removed, and
/// there is no sandbox that needs a locked folder.
pub(crate) fn lock<T>(_: &T) -> bool {
    true
}

/// Removes the folder `name` of `base` with its contents.
pub(crate) fn remove_tree(base: &Folder, name: &[u8], _opened: &Folder) -> io::Result<()> {
    std::fs::remove_dir_all(below::join(base, name))
}

/// Returns true, because killed servers leave nothing to end or remove on Windows.
pub(crate) fn may_be_alive(_: u32, _: u64) -> bool {
    true
}

/// Calls `take` with each name in `folder` and its type, in no particular order, until `take` breaks. Skips `.` and
/// `..`. Does not use the buffer.
pub(crate) fn each_name(
    folder: &Folder,
    _: &mut Vec<u8>,
    mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
) -> io::Result<()> {
    for entry in folder.real.read_dir()? {
        let entry = entry?;
        let kind = entry.file_type().map_or(FileKind::Unknown, FileKind::of);
        if take(entry.file_name().as_encoded_bytes(), kind).is_break() {
            break;
        }
    }
    Ok(())
}
