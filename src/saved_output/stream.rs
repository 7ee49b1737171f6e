//! An output that is saved from its first byte once it is longer than an answer may be.

use std::io;
use std::sync::Arc;

use super::{SavedFile, SavedOutput, Store, Unsaved, same_error};
use crate::fs::saved_name::SavedKind;
use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::Bounds;

/// Takes an output piece by piece and counts it. Up to its bounds it is held, then it goes to a file, which
/// is removed again unless it is kept.
#[derive(Debug)]
pub struct SavedStream {
    store: Arc<Store>,
    kind: SavedKind,
    /// Past these it may be cut, and saving begins.
    bounds: Bounds,
    /// Counts of all that it took.
    pub raw: Counter,
    /// Everything so far, until it goes to the file.
    held: Vec<u8>,
    /// The file that holds it from byte 0, or why there is none; `None` within the bounds.
    file: Option<io::Result<SavedFile>>,
}

impl SavedStream {
    /// Returns one that saves in `store` what is longer than `bounds`.
    pub fn new(store: Arc<Store>, kind: SavedKind, bounds: Bounds) -> Self {
        Self { store, kind, bounds, raw: Counter::default(), held: Vec::new(), file: None }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.raw.push(bytes);
        self.save(bytes);
    }

    /// Adds what `words` returns, on lines of its own, to the file that was kept. It is told what of the output is not there.
    pub fn end_with(&mut self, words: impl Fn(Option<&Unsaved>) -> String) {
        let Some(Ok(file)) = &mut self.file else { return };
        let is_at_line_start = file.unsaved.is_none() && self.raw.is_at_line_start();
        let text = format!("{}{}\n", if is_at_line_start { "" } else { "\n" }, words(file.unsaved.as_ref()));
        let Err(error) = file.end_with(&text) else { return };
        file.unsaved = Some(Unsaved::Failed(error));
        let text = format!("\n{}\n", words(file.unsaved.as_ref()));
        if let Err(error) = file.end_over(&text) {
            tracing::warn!("a command's end is not in its saved output: {error}");
        }
    }

    /// Makes sure that all of it so far is in a file that stays; what follows goes to it too.
    pub fn keep(&mut self) -> io::Result<SavedOutput> {
        let bytes = self.raw.extent().bytes;
        self.file().as_mut().map(|file| file.keep(bytes)).map_err(|error| same_error(error))
    }

    /// Saves no more; what was saved and not kept is removed.
    pub fn discard(&mut self) {
        (self.held, self.file) = (Vec::new(), Some(Err(io::ErrorKind::Other.into())));
    }

    fn save(&mut self, bytes: &[u8]) {
        match &mut self.file {
            None => {
                self.held.extend_from_slice(bytes);
                let Extent { lines, bytes } = self.raw.extent();
                let final_newline = u64::from(self.raw.is_at_line_start());
                if lines > self.bounds.lines || bytes - final_newline.min(bytes) > self.bounds.bytes {
                    self.file();
                }
            }
            Some(Ok(file)) => {
                if let Err(error) = file.write(bytes) {
                    self.file = Some(Err(error));
                }
            }
            Some(Err(_)) => {}
        }
    }

    /// Returns the file, begun with the bytes that are held where there was none yet; or why there is none.
    fn file(&mut self) -> &mut io::Result<SavedFile> {
        self.file.get_or_insert_with(|| {
            let held = std::mem::take(&mut self.held);
            let mut file = self.store.create(self.kind)?;
            file.write(&held).map(|()| file)
        })
    }
}

impl io::Write for SavedStream {
    /// Never fails: what could not be saved is said when it is to be kept.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
