//! Saved outputs: the full output of a command or a search whose result was truncated.
//!
//! A saved output is a file of mode 0600 with an unpredictable name. It is complete from byte 0 up to a maximum size.
//! It is locked during writing, so that no other server removes it. It is removed again unless it is kept. If saving
//! fails, the result reports the error, and the call still succeeds.

#![expect(clippy::indexing_slicing, reason = "the bounds are at most the length")]

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::fs::own_folder::OwnFolder;
use crate::fs::saved_name::{SavedKind, is_saved_name};
use crate::limits::{SAVED_OUTPUT_KEEP, SAVED_OUTPUT_MAX_BYTES, SAVED_OUTPUTS_MAX_BYTES};
use crate::sys::{self, Folder, Stat, below};
use cutline_core::notice::Notice;
use cutline_core::text::{Counter, Size};
use cutline_core::truncate::Bounds;

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

    /// Creates a file of this kind, of mode 0600 and with an unpredictable name. It is removed again unless it is kept.
    fn create(&self, kind: SavedKind) -> io::Result<OutputFile> {
        let saved = self.folder.as_ref().map_err(same_error)?;
        let (folder, name) = (saved.open()?, kind.name(sys::random()));
        let file = below::create(&folder, &name)?;
        // The lock protects the file from a sweep while it is open. If the file system has no locks, sweeps remove
        // nothing.
        let _is_locked = sys::lock(&file);
        let (path, max_bytes) = (saved.path.join(&name), self.settings.max_file_bytes);
        Ok(OutputFile { file, folder, name, path, kept: false, written: 0, max_bytes, unsaved: None })
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
        if total > self.settings.max_total_bytes {
            // Those of running commands do not count, because they cannot be removed.
            let growing = candidates.iter().filter(|(_, name)| is_growing(&folder, name));
            total -= growing.map(|(stat, _)| stat.bytes).sum::<u64>();
        }
        for (seen, name) in candidates {
            let too_much = total > self.settings.max_total_bytes;
            if (seen.modified < oldest || too_much) && remove(&folder, &seen, &name) {
                total -= seen.bytes;
            }
        }
    }
}

/// Returns true if a server is writing the file.
fn is_growing(folder: &Folder, name: &[u8]) -> bool {
    below::file(folder, name).is_ok_and(|file| file.is_some_and(|(file, _)| !sys::lock(&file)))
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
    io::Error::new(error.kind(), error.to_string())
}

/// A finished or growing saved output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutput {
    /// Its path.
    pub path: PathBuf,
    /// Number of bytes of the output in the file, if it does not have all.
    pub first_bytes: Option<u64>,
}

/// Counts an output in pieces. Buffers it up to limits, then writes it to a file. The file is removed again unless it
/// is kept.
#[derive(Debug)]
pub struct SavedStream {
    store: Arc<Store>,
    kind: SavedKind,
    /// The lines and bytes of the raw output that are buffered at most. Tokens and JSON do not count.
    bounds: Bounds,
    /// The counts of the complete output.
    pub raw: Counter,
    /// The output so far, until there is a file.
    held: Vec<u8>,
    /// The file with the output from byte 0, or the error. `None` while the output is only buffered. An error also
    /// after [`discard`](Self::discard).
    file: Option<io::Result<OutputFile>>,
    /// Bytes of the kept file that the store has counted.
    counted: u64,
}

/// A file for an output up to a maximum size. Dropping it removes the file, unless it was kept.
#[derive(Debug)]
struct OutputFile {
    file: File,
    folder: Arc<Folder>,
    name: String,
    path: PathBuf,
    kept: bool,
    /// Number of bytes of the output in it.
    written: u64,
    /// Maximum number of bytes.
    max_bytes: u64,
    /// The reason if the last part of the output is not in the file: the maximum size, or the error of a write.
    unsaved: Option<String>,
}

impl SavedStream {
    /// Creates a stream that is written to a file in `store` when it exceeds the lines or bytes of `bounds`.
    pub fn new(store: Arc<Store>, kind: SavedKind, bounds: Bounds) -> Self {
        Self { store, kind, bounds, raw: Counter::default(), held: Vec::new(), file: None, counted: 0 }
    }

    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.raw.push(bytes);
        if self.file.is_none() {
            let total = self.raw.extent();
            let final_newline = u64::from(self.raw.is_at_line_start());
            if total.lines <= self.bounds.lines
                && total.bytes - final_newline.min(total.bytes) <= self.bounds.bytes
            {
                return self.held.extend_from_slice(bytes);
            }
        }
        if let Ok(file) = self.file()
            && let Err(error) = file.write(bytes)
        {
            self.file = Some(Err(error));
        }
    }

    /// Appends `lines` to the file, after a notice if part of the output is not in it.
    pub fn end_with(&mut self, lines: &str) {
        if let Some(Ok(file)) = &mut self.file {
            file.end_with(self.raw.is_at_line_start(), lines);
        }
    }

    /// Writes the output so far to a file, and keeps the file. Later output is added to it.
    pub fn keep(&mut self) -> io::Result<SavedOutput> {
        let bytes = self.raw.extent().bytes;
        let kept = self.file().as_mut().map(|file| file.keep(bytes)).map_err(|error| same_error(error))?;
        self.count(kept.first_bytes.unwrap_or(bytes));
        Ok(kept)
    }

    /// Counts the kept file, which has this size.
    fn count(&mut self, bytes: u64) {
        self.store.count_kept(bytes.saturating_sub(self.counted));
        self.counted = self.counted.max(bytes);
    }

    /// Stops saving. Removes the file unless it was kept.
    pub fn discard(&mut self) {
        (self.held, self.file) = (Vec::new(), Some(Err(io::ErrorKind::Other.into())));
    }

    /// Returns the file or the error. Creates the file with the buffered bytes if there is none yet.
    fn file(&mut self) -> &mut io::Result<OutputFile> {
        self.file.get_or_insert_with(|| {
            let held = std::mem::take(&mut self.held);
            let mut file = self.store.create(self.kind)?;
            file.write(&held).map(|()| file)
        })
    }
}

impl Drop for SavedStream {
    /// Counts the output after the result of its command.
    fn drop(&mut self) {
        if let Some(Ok(OutputFile { kept: true, written, .. })) = self.file {
            self.count(written);
        }
    }
}

impl Write for SavedStream {
    /// Never fails: [`keep`](Self::keep) returns the error.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl OutputFile {
    /// Writes the next bytes up to the maximum size. If a kept file reaches that, or a write to it fails, saving stops,
    /// and the file ends with a notice. One that was full before it was kept gets this notice in `end_with`.
    ///
    /// # Errors
    ///
    /// Returns the error if the file is not kept.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.unsaved.is_some() {
            return Ok(());
        }
        let free = usize::try_from(self.max_bytes.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let part = &bytes[..free.min(bytes.len())];
        match self.file.write_all(part) {
            Ok(()) => {
                self.written += part.len() as u64;
                let is_full = part.len() < bytes.len();
                self.unsaved = is_full.then(|| format!("{} limit", Size(self.max_bytes)));
            }
            Err(error) if self.kept => self.unsaved = Some(sys::reason(&error)),
            Err(error) => return Err(error),
        }
        if self.kept && self.unsaved.is_some() {
            // A part of the last block, or a footer, can also be in the file.
            self.written = self.file.metadata()?.len();
            self.end_with(false, "");
        }
        Ok(())
    }

    /// Ends the file with a notice if part of the output is not in it, and with `lines`, even if it then exceeds the
    /// maximum size. Replaces an earlier notice. On a full disk, this text replaces the last bytes of the output.
    fn end_with(&mut self, is_at_line_start: bool, lines: &str) {
        let with_notice = |why: &String| format!("\n{}\n{lines}", Notice::RestNotSaved(why.clone()));
        let last = self.unsaved.as_ref().map(with_notice);
        let newline = if is_at_line_start { "" } else { "\n" };
        let last = last.unwrap_or_else(|| format!("{newline}{lines}"));
        let ended = self.replace_end(self.written, &last).or_else(|error| {
            let last = with_notice(self.unsaved.insert(sys::reason(&error)));
            self.replace_end(self.written.saturating_sub(last.len() as u64), &last)
        });
        if let Err(error) = ended {
            tracing::warn!("the end of a saved output was not written: {error}");
        }
    }

    fn replace_end(&mut self, at: u64, text: &str) -> io::Result<()> {
        self.file.set_len(self.written)?;
        self.file.write_all_at(text.as_bytes(), at)?;
        self.file.seek(SeekFrom::End(0)).map(drop)
    }

    /// Keeps the file after this value is dropped. `bytes` is the size of the output so far.
    fn keep(&mut self, bytes: u64) -> SavedOutput {
        self.kept = true;
        SavedOutput { path: self.path.clone(), first_bytes: (self.written < bytes).then_some(self.written) }
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.kept {
            let _swept_later = below::remove(&self.folder, self.name.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
