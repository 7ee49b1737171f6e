//! Saved outputs: the whole of what a command printed or a search found, where its answer had to be cut.
//!
//! A saved output is a file of mode 0600 with an unpredictable name, complete from byte 0 up to a
//! cap. While it is written it is locked, so that no other server's sweep takes it; it is removed
//! again unless it is kept. Saving is best effort: any error is handed to the caller, who says so
//! in the answer, and nothing else fails for it.

mod file;
mod folder;
mod stream;
mod sweep;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::fs::saved_name::SavedKind;
use crate::limits::{SAVED_OUTPUT_KEEP, SAVED_OUTPUT_MAX_BYTES, SAVED_OUTPUTS_MAX_BYTES};
use crate::sys;
use folder::SavedFolder;

pub use file::{SavedFile, SavedOutput, Unsaved};
pub use stream::SavedStream;

/// The folder that outputs are saved in, and the limits on what is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The folder.
    pub dir: PathBuf,
    /// True if the folder is cutline's own: it is created on demand for this user alone, and not used if another user
    /// could have created it or can read it.
    pub private: bool,
    /// Bytes of one file.
    pub max_file_bytes: u64,
    /// Bytes of all files together.
    pub max_total_bytes: u64,
    /// Age past which a file is removed.
    pub keep: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dir: sys::temp_dir().join(sys::saved_folder_name()),
            private: true,
            max_file_bytes: SAVED_OUTPUT_MAX_BYTES,
            max_total_bytes: SAVED_OUTPUTS_MAX_BYTES,
            keep: SAVED_OUTPUT_KEEP,
        }
    }
}

/// The folder of saved outputs, which stays open.
#[derive(Debug)]
pub struct Store {
    settings: Settings,
    /// An error where there is none to save in.
    folder: io::Result<SavedFolder>,
}

impl Store {
    /// Opens the folder that `settings` name, if it exists. It is created when it is needed. Logs a failure.
    pub fn new(settings: Settings) -> Self {
        let open = if settings.private { SavedFolder::private } else { SavedFolder::named };
        let folder = open(&settings.dir);
        let store = Self { settings, folder };
        store.warn_of(store.folder.as_ref().err());
        store
    }

    /// Makes the folder that the user named, where it is missing. A failure is warned of.
    pub(crate) fn make_named(&self) {
        if let Ok(folder) = self.folder.as_ref()
            && !self.settings.private
        {
            self.warn_of(folder.open().as_ref().err());
        }
    }

    fn warn_of(&self, error: Option<&io::Error>) {
        if let Some(error) = error {
            tracing::warn!("no output can be saved in {}: {error}", self.settings.dir.display());
        }
    }

    /// Returns the folder's path as it was configured, or `None` if nothing can be saved in it.
    pub(crate) fn given_path(&self) -> Option<&Path> {
        self.folder.as_ref().ok().map(|_| self.settings.dir.as_path())
    }

    /// Returns the folder's path without links, also while it is not there: the workspace lets be read what
    /// is saved there.
    pub fn path(&self) -> Option<PathBuf> {
        self.folder.as_ref().ok().map(|folder| folder.path.clone())
    }

    /// Creates a file of that kind, locked, which is removed again unless it is kept.
    pub fn create(&self, kind: SavedKind) -> io::Result<SavedFile> {
        let folder = self.folder.as_ref().map_err(same_error)?;
        SavedFile::create(folder, kind, self.settings.max_file_bytes)
    }

    /// Saves a byte and removes it again; returns the folder where that worked.
    pub fn try_out(&self) -> io::Result<PathBuf> {
        self.create(SavedKind::COMMAND)?.write(b"x")?;
        self.path().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Removes what is past its age, then the oldest past the total. Files that are being written stay.
    pub fn sweep(&self, now: SystemTime) {
        if let Ok(Ok(Some(folder))) = self.folder.as_ref().map(SavedFolder::existing) {
            sweep::sweep(&folder, &self.settings, now);
        }
    }
}

/// Returns the same error once more: it can't be copied.
fn same_error(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests;
