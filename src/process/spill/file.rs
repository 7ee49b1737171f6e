//! One saved output while it is written.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::fs::workspace::{SAVED_PREFIX, SAVED_SUFFIX};
use crate::sys;

/// Random letters and digits in a name.
const RANDOM_CHARS: usize = 12;

/// A file that takes an output up to a cap. Removed when it is dropped, unless it was kept.
#[derive(Debug)]
pub struct SavedFile {
    file: File,
    path: PathBuf,
    /// Removes the file when dropped; `None` once it is to stay.
    removal: Option<TempPath>,
    written: u64,
    max_bytes: u64,
}

impl SavedFile {
    pub(super) fn create(folder: &Path, max_bytes: u64) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        let named = builder.prefix(SAVED_PREFIX).suffix(SAVED_SUFFIX).rand_bytes(RANDOM_CHARS);
        // What keeps it from being swept goes with the open file, however this server ends.
        let (file, removal) = sys::create_held(named, folder)?.into_parts();
        let path = removal.to_path_buf();
        Ok(Self { file, path, removal: Some(removal), written: 0, max_bytes })
    }

    /// Takes the next bytes; those past the cap are passed over.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(self.max_bytes - self.written).unwrap_or(usize::MAX);
        let part = bytes.get(..room).unwrap_or(bytes);
        self.file.write_all(part)?;
        self.written += part.len() as u64;
        Ok(())
    }

    /// Lets the file stay after this value is dropped.
    pub fn keep(&mut self) {
        if let Some(removal) = self.removal.take() {
            // It fails only where the system must first change the file's attributes.
            let _never_on_unix = removal.keep();
        }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes it holds.
    pub fn written(&self) -> u64 {
        self.written
    }
}
