//! Saved outputs: the full output of a command or a search whose result was truncated.
//!
//! A saved output is a file of mode 0600 with an unpredictable name. It is complete from byte 0 up to a maximum size.
//! It is locked during writing, so that no other server removes it. It is removed again unless it is kept. If saving
//! fails, the result reports the error, and the call still succeeds.

mod stream;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::fs::own_folder::OwnFolder;
use crate::fs::saved_name::{SavedKind, is_saved_name};
use crate::limits::{SAVED_OUTPUT_KEEP, SAVED_OUTPUT_MAX_BYTES, SAVED_OUTPUTS_MAX_BYTES};
use crate::sys::{self, Folder, Stat, below};
use stream::OutputFile;

pub use stream::{SavedOutput, SavedStream};

/// At most one part in this number of the limit of all files is saved between two sweeps.
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
    pub max_age: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dir: sys::temp_dir().join(format!("cutline-{}", sys::user())),
            private: true,
            max_file_bytes: SAVED_OUTPUT_MAX_BYTES,
            max_total_bytes: SAVED_OUTPUTS_MAX_BYTES,
            max_age: SAVED_OUTPUT_KEEP,
        }
    }
}

/// The folder of saved outputs. It stays open.
#[derive(Debug)]
pub struct Store {
    settings: Settings,
    /// An error if nothing can be saved.
    folder: io::Result<OwnFolder>,
    /// Bytes that were kept since the last early sweep.
    unswept: AtomicU64,
}

impl Store {
    /// Opens the folder in `settings` if it exists. It is created when it is needed. Logs a failure.
    pub fn new(settings: Settings) -> Self {
        let folder = OwnFolder::new(&settings.dir, settings.private);
        if let Err(error) = &folder {
            tracing::warn!("no output can be saved in {}: {error}", settings.dir.display());
        }
        Self { settings, folder, unswept: AtomicU64::new(0) }
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

    /// Counts the bytes that a file has when it is kept. Sweeps early if they are many, so that the total size stays
    /// near its limit. Does so on another thread, because this one may handle all messages.
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

    /// Removes old outputs: files that exceed the maximum age, and then the oldest files until the total size is within
    /// its limit. These are only regular files with the name of a saved output and a single hard link that this user
    /// owns, to which no other user has rights, and that no running server is writing.
    pub fn sweep(&self, now: SystemTime) {
        let Ok(Ok(Some(folder))) = self.folder.as_ref().map(OwnFolder::existing) else { return };
        // A new descriptor reads the folder from its start.
        let Ok(from_start) = below::folder(&folder, b"") else { return };
        let is_saved = |name: &[u8]| std::str::from_utf8(name).is_ok_and(is_saved_name);
        let Ok(names) = sys::names_in(&from_start, usize::MAX, is_saved) else { return };
        let seen = names.into_iter().filter_map(|name| Some((below::stat(&folder, &name).ok()?, name)));
        let mut candidates: Vec<(Stat, Vec<u8>)> =
            seen.filter(|(stat, _)| stat.is_own_file() && stat.is_private).collect();
        candidates.sort_by(|(a, left), (b, right)| (a.modified, left).cmp(&(b.modified, right)));
        let oldest = now.checked_sub(self.settings.max_age).map_or(i128::MIN, sys::nanos);
        let mut total: u64 = candidates.iter().map(|(stat, _)| stat.bytes).sum();
        for (seen, name) in candidates {
            let too_much = total > self.settings.max_total_bytes;
            if (seen.modified < oldest || too_much) && remove(&folder, &seen, &name) {
                total -= seen.bytes;
            }
        }
    }
}

/// Removes the file if it is still the same one and no server is writing it. Returns true if the file no longer exists.
fn remove(folder: &Folder, seen: &Stat, name: &[u8]) -> bool {
    match below::file(folder, name) {
        Ok(Some((file, now))) => now.id == seen.id && sys::lock(&file) && below::remove(folder, name).is_ok(),
        Ok(None) => false,
        Err(error) => sys::is_missing(&error),
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
