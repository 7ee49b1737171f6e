//! One saved output that is being written.

#![expect(clippy::indexing_slicing, reason = "the bounds are at most the length")]

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::folder::SavedFolder;
use crate::fs::saved_name::{SAVED_RANDOM_CHARS, SavedKind};
use crate::sys::{self, Folder, below};

/// Number of bits of a random number that do not fit in the random part of a name, which has four bits for each
/// character.
const UNUSED_BITS: usize = 64 - 4 * SAVED_RANDOM_CHARS;

/// A finished or growing saved output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutput {
    /// Its path.
    pub path: PathBuf,
    /// Number of bytes in the file, if it reached the maximum size.
    pub first_bytes: Option<u64>,
}

/// The reason why the rest of an output is not in its file.
#[derive(Debug)]
pub enum Unsaved {
    /// The file reached its maximum size of this many bytes.
    AtCap(u64),
    /// A write failed.
    Failed(io::Error),
}

/// A file for an output up to a maximum size. Dropping it removes the file, unless it was kept.
#[derive(Debug)]
pub struct SavedFile {
    // Closed before the file is removed, because some systems cannot remove an open file.
    file: File,
    removal: Removal,
    path: PathBuf,
    /// Number of written bytes.
    written: u64,
    /// Maximum number of bytes.
    max_bytes: u64,
    /// The reason if the last part of the output is not in the file.
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
    /// Creates a file of mode 0600 with an unpredictable name in `saved`.
    pub(super) fn create(saved: &SavedFolder, kind: SavedKind, max_bytes: u64) -> io::Result<Self> {
        let SavedKind { start, end } = kind;
        let name = format!("{start}{:0SAVED_RANDOM_CHARS$x}{end}", sys::random() >> UNUSED_BITS);
        let folder = saved.open()?;
        let file = below::create(&folder, &name)?;
        // The lock protects the file from a sweep while it is open. If the file system has no locks, sweeps remove
        // nothing.
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

    /// Writes the next bytes up to the maximum size. If a write to a kept file fails, saving stops.
    ///
    /// # Errors
    ///
    /// Returns the error if the file is not kept.
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

    /// Appends `text`, even if the file then exceeds the maximum size.
    pub(super) fn end_with(&mut self, text: &str) -> io::Result<()> {
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(text.as_bytes())
    }

    /// Overwrites the last bytes of the file with `text`, because the disk is full.
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
