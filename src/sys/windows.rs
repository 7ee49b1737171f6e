//! Windows: handles that report their location, and paths in one unambiguous spelling.
//!
//! Files are opened by path and then checked for their real location: a file elsewhere was reached through a link
//! and is closed. All paths are *verbatim* (`\\?\C:\…`), with no special names and no limit of length.

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
    /// Asks the system about an open file.
    fn of(file: &File) -> io::Result<Self> {
        let medium = winapi_util::file::typ(file)?;
        let mut told = Self {
            kind: if medium.is_pipe() { FileKind::Fifo } else { FileKind::CharacterDevice },
            bytes: 0,
            id: (0, 0),
            modified: 0,
            // Unknown: the time of writing may not change while a program writes.
            changed: i128::MAX,
            // The temp folder is each user's own already.
            owner: user(),
            is_private: true,
            // Unknown. The location of a removed file, which is also read, shows that it was removed.
            links: 1,
        };
        if medium.is_disk() {
            let (metadata, known) = (file.metadata()?, winapi_util::file::information(file)?);
            told.kind = FileKind::of(metadata.file_type());
            told.bytes = metadata.file_size();
            told.id = (known.volume_serial_number(), known.file_index());
            told.modified = super::nanos(metadata.modified()?);
        }
        Ok(told)
    }
}

impl FileKind {
    /// Junctions are links too.
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

/// Returns the name for these bytes. Bytes can't represent a name of invalid UTF-16, so such a name opens nothing.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(name) => Cow::Borrowed(OsStr::new(name)),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

/// Codes for a missing file, in addition to those that std knows: for a drive that is missing or empty, and for an
/// invalid path, server or share.
pub(super) const NO_SUCH_FILE: [i32; 6] = [15, 21, 53, 67, 123, 161];

/// Returns true if the error means that the file was removed or replaced.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    super::is_missing(error)
}

/// Returns 0, as [`Stat`] has it for each file: the owner of a file is not told here.
pub(crate) fn user() -> u32 {
    0
}

/// Returns nothing: here processes have no groups.
pub(super) fn group(_: u32) -> Option<u32> {
    None
}

/// Returns true and locks nothing: a lock would prevent others from reading. An open file can't be removed, and
/// there is no sandbox with a folder to lock.
pub(crate) fn lock<T>(_: &T) -> bool {
    true
}

/// Removes the folder `name` of `base` with its contents.
pub(crate) fn remove_tree(base: &Folder, name: &[u8], _opened: &Folder) -> io::Result<()> {
    std::fs::remove_dir_all(below::join(base, name))
}

/// Returns true: no server here leaves anything that another has to end or remove.
pub(crate) fn may_be_alive(_: u32, _: u64) -> bool {
    true
}

/// Calls `take` with each name in `folder` and its type according to the folder, in no order, until `take` breaks.
/// Skips `.` and `..`. Needs no buffer.
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
