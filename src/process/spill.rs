//! Saved outputs: the whole of what a command printed, where its answer had to be cut.
//!
//! A saved output is a file of mode 0600 with an unpredictable name, complete from byte 0 up to a
//! cap. While it is written it is held, so that no other server's sweep takes it; it is removed
//! again unless it is kept. Saving is best effort: any error is handed to the caller, who says so
//! in the answer, and nothing else fails for it.

mod file;
mod folder;
mod sweep;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::limits::{SPILL_KEEP, SPILL_MAX_FILE_BYTES, SPILL_MAX_TOTAL_BYTES};
use crate::sys;

pub use file::SavedFile;

/// Where outputs are saved, and how much of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The folder.
    pub dir: PathBuf,
    /// Whether the folder is cutline's own: then it is made on demand, for this user alone, and
    /// refused where anybody else could have made it or can look into it.
    pub private: bool,
    /// Bytes of one file.
    pub max_file_bytes: u64,
    /// Bytes of all files together.
    pub max_total_bytes: u64,
    /// How long a file is kept.
    pub keep: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dir: std::env::temp_dir().join(sys::saved_folder_name()),
            private: true,
            max_file_bytes: SPILL_MAX_FILE_BYTES,
            max_total_bytes: SPILL_MAX_TOTAL_BYTES,
            keep: SPILL_KEEP,
        }
    }
}

/// The folder of saved outputs.
#[derive(Debug)]
pub struct Store {
    settings: Settings,
}

impl Store {
    /// The store that `settings` describe; nothing is looked at yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// The folder's real place, also while it is not there yet: what the workspace lets be read.
    pub fn folder_real(&self) -> Option<PathBuf> {
        let dir = &self.settings.dir;
        if self.settings.private && dir.symlink_metadata().is_ok() {
            // What is not fit to be written is not read either.
            return self.existing_folder();
        }
        let below_parent = || Some(dir.parent()?.canonicalize().ok()?.join(dir.file_name()?));
        dir.canonicalize().ok().or_else(below_parent)
    }

    /// Begins a file, locked, which is removed again unless it is kept.
    pub fn create(&self) -> io::Result<SavedFile> {
        SavedFile::create(&self.folder()?, self.settings.max_file_bytes)
    }

    /// Whether an output could be saved now; the folder where it would be.
    pub fn try_out(&self) -> io::Result<PathBuf> {
        let folder = self.folder()?;
        SavedFile::create(&folder, self.settings.max_file_bytes)?.write(b"x")?;
        Ok(folder)
    }

    /// Removes what is past its age, then the oldest past the total. Files that are written stay.
    pub fn sweep(&self, now: SystemTime) {
        if let Ok(folder) = folder::existing(&self.settings) {
            sweep::sweep(&folder, &self.settings, now);
        }
    }

    /// The folder's real place, made where it is cutline's own and checked.
    pub(super) fn folder(&self) -> io::Result<PathBuf> {
        folder::ready(&self.settings)
    }

    /// The folder's real place, where it is there and fit to be used.
    pub(super) fn existing_folder(&self) -> Option<PathBuf> {
        folder::existing(&self.settings).ok()
    }
}

#[cfg(test)]
mod tests;
