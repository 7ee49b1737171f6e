//! One saved output while it is written.

#![expect(clippy::indexing_slicing, reason = "the bounds are at most the length")]

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::folder::SavedFolder;
use crate::fs::saved_name::{SAVED_RANDOM_CHARS, SavedKind};
use crate::sys::{self, Folder, below};

/// Bits of a random number for which the random part of a name has no room: it has four in each character.
const UNUSED_BITS: usize = 64 - 4 * SAVED_RANDOM_CHARS;

/// A saved output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutput {
    /// Its path.
    pub path: PathBuf,
    /// Bytes in the file if the cap was reached.
    pub first_bytes: Option<u64>,
}

/// Why the rest of an output is not in its file.
#[derive(Debug)]
pub enum Unsaved {
    /// The file has this many bytes, as many as one may have.
    AtCap(u64),
    /// The system took no more.
    Failed(io::Error),
}

/// A file that takes an output up to a cap. Removed when it is dropped, unless it was kept.
#[derive(Debug)]
pub struct SavedFile {
    // Closed before it is removed: some systems remove no open file.
    file: File,
    removal: Removal,
    path: PathBuf,
    /// Bytes it holds.
    written: u64,
    /// Bytes it may hold.
    max_bytes: u64,
    /// Why what came last is not in it, if it is not.
    pub(super) unsaved: Option<Unsaved>,
}

/// Removes the file when dropped, unless `kept`.
#[derive(Debug)]
struct Removal {
    folder: Arc<Folder>,
    name: String,
    kept: bool,
}

impl Drop for Removal {
    fn drop(&mut self) {
        if !self.kept {
            let _swept_later = below::remove(&self.folder, self.name.as_bytes());
        }
    }
}

impl SavedFile {
    /// Creates a file of mode 0600 with an unpredictable name in the folder `saved`.
    pub(super) fn create(saved: &SavedFolder, kind: SavedKind, max_bytes: u64) -> io::Result<Self> {
        let SavedKind { start, end } = kind;
        let name = format!("{start}{:0SAVED_RANDOM_CHARS$x}{end}", sys::random() >> UNUSED_BITS);
        let folder = saved.open()?;
        let file = below::create(&folder, &name)?;
        // Keeps it from a sweep while it is open. Where the file system has no locks, no sweep removes anything.
        let _is_locked = sys::lock(&file);
        let path = saved.path.join(&name);
        Ok(Self {
            file,
            removal: Removal { folder, name, kept: false },
            path,
            written: 0,
            max_bytes,
            unsaved: None,
        })
    }

    /// Writes the next bytes up to the cap. In a kept file, a failure ends the saving.
    ///
    /// # Errors
    ///
    /// Returns the failure of a file that is not kept.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.unsaved.is_some() {
            return Ok(());
        }
        let room = usize::try_from(self.max_bytes - self.written).unwrap_or(usize::MAX);
        let part = &bytes[..room.min(bytes.len())];
        match self.file.write_all(part) {
            Err(error) if !self.removal.kept => return Err(error),
            Err(error) => {
                tracing::warn!("{}: the rest of an output is not saved: {error}", self.path.display());
                self.unsaved = Some(Unsaved::Failed(error));
            }
            Ok(()) => {
                self.written += part.len() as u64;
                self.unsaved = (part.len() < bytes.len()).then_some(Unsaved::AtCap(self.max_bytes));
            }
        }
        Ok(())
    }

    /// Writes `text` at the end of the file, even above the cap.
    pub(super) fn end_with(&mut self, text: &str) -> io::Result<()> {
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(text.as_bytes())
    }

    /// Overwrites the last bytes with `text`, because the disk has no room for more.
    pub(super) fn end_over(&mut self, text: &str) -> io::Result<()> {
        let len = self.file.metadata()?.len();
        self.file.seek(SeekFrom::Start(len.saturating_sub(text.len() as u64)))?;
        self.file.write_all(text.as_bytes())
    }

    /// Keeps the file after this value is dropped. `bytes` is the size of the complete output.
    pub fn keep(&mut self, bytes: u64) -> SavedOutput {
        self.removal.kept = true;
        SavedOutput { path: self.path.clone(), first_bytes: (self.written < bytes).then_some(self.written) }
    }
}
