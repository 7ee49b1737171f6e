//! Windows: handles that say where they are, and paths in the one spelling that means what it says.
//!
//! What is opened is opened by its path, and then asked where it really is: what is not where it was
//! looked for was reached through a link, and is let go. All paths are *verbatim* (`\\?\C:\…`), in
//! which no name is special and none is too long.

pub(crate) mod below;
mod dir_reader;
mod opened;
mod output_pipe;
mod processes;
mod shell;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, FileType, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind, PipeReader};
use std::os::windows::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::{FileKind, Stat};

pub(crate) use below::{Folder, folder_from, open_folder};
pub(super) use dir_reader::each_name;
pub(crate) use opened::PathHandle;
pub(crate) use output_pipe::OutputPipe;
pub(crate) use processes::{names_of, started, this_start};
pub(crate) use shell::*;

/// From 1601, where the system's time begins, to 1970, in its units.
const TO_1970: i128 = 116_444_736_000_000_000;
/// Nanoseconds of one of its units.
const UNIT_NANOS: i128 = 100;

impl Stat {
    /// What the system says of an open file.
    fn of(file: &File) -> io::Result<Self> {
        let medium = winapi_util::file::typ(file)?;
        let told = Self {
            kind: if medium.is_pipe() { FileKind::Fifo } else { FileKind::CharacterDevice },
            bytes: 0,
            id: (0, 0),
            modified: 0,
            // It is not told: the time of writing may stay as it is while a program goes on writing.
            changed: i128::MAX,
            owner: user(),
            // Its place, which the system is asked for too, says so.
            is_removed: false,
        };
        if !medium.is_disk() {
            return Ok(told);
        }
        let metadata = file.metadata()?;
        let known = winapi_util::file::information(file)?;
        Ok(Self {
            kind: FileKind::of(metadata.file_type()),
            bytes: metadata.file_size(),
            id: (known.volume_serial_number(), known.file_index()),
            modified: (i128::from(metadata.last_write_time()) - TO_1970) * UNIT_NANOS,
            ..told
        })
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

/// Reads at an offset.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(buffer, at)
}

/// Nothing tells here whether a file is in memory.
pub(crate) fn read_cached(_: &File, _: usize) -> Option<Vec<u8>> {
    None
}

/// A pipe has the size here that the system gives it.
pub(crate) fn enlarge(_: &PipeReader, _: usize) {}

/// The name that these bytes are. One that is broken UTF-16 can't be told by them, and opens nothing.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(name) => Cow::Borrowed(OsStr::new(name)),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

/// Whether the error says that nothing stands there.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    // A drive that is not there or has nothing in it; a path, a server or a share that is none.
    const NOWHERE: [i32; 6] = [15, 21, 53, 67, 123, 161];
    let kinds = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::InvalidFilename];
    kinds.contains(&error.kind()) || error.raw_os_error().is_some_and(|code| NOWHERE.contains(&code))
}

/// Whether the error says that what was seen there is gone, or is something else by now.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    is_missing(error)
}

/// Whether the error says that this user may not.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied
}

/// Whose files are this process's own is for the folder to say that they stand in.
pub(crate) fn user() -> u32 {
    0
}

/// How files are opened; those in a user's own folders are that user's alone.
pub(crate) fn private_options() -> OpenOptions {
    OpenOptions::new()
}

/// Creates a file exclusively, so that nobody can remove it while it is open. Others may read it: here a
/// lock would keep them from it.
pub(crate) fn create_held(
    named: &tempfile::Builder<'_, '_>,
    folder: &Path,
) -> io::Result<tempfile::NamedTempFile> {
    /// `FILE_SHARE_READ` and `FILE_SHARE_WRITE`, without `FILE_SHARE_DELETE`.
    const SHARED: u32 = 0b11;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).share_mode(SHARED);
    named.make_in(folder, |path| options.open(path))
}

/// Whether a file may be removed for all that [`create_held`] did: the system will say.
pub(crate) fn is_let_go(_: &File) -> bool {
    true
}

/// Makes a folder. The temp folder is each user's own already.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// Whether it is a folder itself, not a link to one.
pub(crate) fn is_private_folder(path: &Path) -> io::Result<bool> {
    Ok(path.symlink_metadata()?.is_dir())
}

/// The name of the folder of saved outputs in the temp folder, which each user has for itself.
pub(crate) fn saved_folder_name() -> String {
    "cutline".to_owned()
}

/// A number that is another one each time.
pub(crate) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Nothing is to be made ready: jobs end processes, and need none that looks for them.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn make_ready() -> io::Result<()> {
    Ok(())
}
