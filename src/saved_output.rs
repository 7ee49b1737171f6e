//! Saved outputs: the full output of a command or a search whose result was truncated.
//!
//! A saved output is a file of mode 0600 with an unpredictable name. It is complete from byte 0 up to a maximum size.
//! It is locked during writing, so that no other server removes it. It is removed again unless it is kept. If saving
//! fails, the result reports the error, and the call still succeeds.

mod stream;
mod sweep;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::fs::own_folder::OwnFolder;
use crate::fs::saved_name::SavedKind;
use crate::limits::{SAVED_OUTPUT_KEEP, SAVED_OUTPUT_MAX_BYTES, SAVED_OUTPUTS_MAX_BYTES};
use crate::sys;
use stream::OutputFile;

pub use stream::{SavedOutput, SavedStream};

/// The part of the limit of all files that is kept between two sweeps at most.
const UNSWEPT_PART: u64 = 8;

/// The folder of saved outputs and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The folder.
    pub dir: PathBuf,
    /// True for cutline's own folder. It is created on demand for this user only, and not used if another user could
    /// have created it or can read it.
    pub private: bool,
    /// Maximum bytes of one file.
    pub max_file_bytes: u64,
    /// Maximum bytes of all files together.
    pub max_total_bytes: u64,
    /// Maximum age of a file.
    pub keep: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dir: sys::temp_dir().join(format!("cutline-{}", sys::user())),
            private: true,
            max_file_bytes: SAVED_OUTPUT_MAX_BYTES,
            max_total_bytes: SAVED_OUTPUTS_MAX_BYTES,
            keep: SAVED_OUTPUT_KEEP,
        }
    }
}

/// The folder of saved outputs. It stays open.
#[derive(Debug)]
pub struct Store {
    settings: Settings,
    /// An error if nothing can be saved.
    folder: io::Result<OwnFolder>,
    /// Bytes that were kept since the last sweep.
    unswept: AtomicU64,
}

impl Store {
    /// Opens the folder in `settings` if it exists. It is created when it is needed. Logs a failure.
    pub fn new(settings: Settings) -> Self {
        let folder = OwnFolder::new(&settings.dir, settings.private);
        let store = Self { settings, folder, unswept: AtomicU64::new(0) };
        store.warn_of(store.folder.as_ref().err());
        store
    }

    /// Creates the folder that the user named if it is missing. Logs a failure.
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

    /// Returns the path of the folder without links, even if the folder does not exist yet. Tools can read saved
    /// outputs in it.
    pub fn path(&self) -> Option<PathBuf> {
        self.folder.as_ref().ok().map(|folder| folder.path.clone())
    }

    /// Creates a locked file of this kind. It is removed again unless it is kept.
    fn create(&self, kind: SavedKind) -> io::Result<OutputFile> {
        let folder = self.folder.as_ref().map_err(same_error)?;
        OutputFile::create(folder, kind, self.settings.max_file_bytes)
    }

    /// Counts the bytes of a kept file. Sweeps early if they are many, so that the total size stays near its limit. Does so
    /// on another thread, because this one may handle all messages.
    fn count_kept(self: &Arc<Self>, bytes: u64) {
        let unswept = self.unswept.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if unswept > self.settings.max_total_bytes / UNSWEPT_PART {
            self.unswept.store(0, Ordering::Relaxed);
            let store = Arc::clone(self);
            let _swept_later = thread::Builder::new().spawn(move || store.sweep(SystemTime::now()));
        }
    }

    /// Checks that outputs can be saved: writes a byte to a file and removes the file. Returns the folder.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing can be saved.
    pub fn try_out(&self) -> io::Result<PathBuf> {
        self.create(SavedKind::COMMAND)?.write(b"x")?;
        self.path().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Removes files that exceed the maximum age, and then the oldest files until the total size is within its limit.
    /// Keeps files that are being written.
    pub fn sweep(&self, now: SystemTime) {
        if let Ok(Ok(Some(folder))) = self.folder.as_ref().map(OwnFolder::existing) {
            sweep::sweep(&folder, &self.settings, now);
        }
    }
}

/// Copies an error, which cannot be cloned.
fn same_error(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests;
