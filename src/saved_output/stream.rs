//! An output that is saved completely when it exceeds the limits of a result.

use std::io;
use std::sync::Arc;

use super::{SavedFile, SavedOutput, Store, Unsaved, same_error};
use crate::fs::saved_name::SavedKind;
use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::Bounds;

/// Counts an output in pieces. Buffers it up to its limits, then writes it to a file. The file is removed again unless
/// it is kept.
#[derive(Debug)]
pub struct SavedStream {
    store: Arc<Store>,
    kind: SavedKind,
    /// The limits above which the output is saved.
    bounds: Bounds,
    /// The counts of the complete output.
    pub raw: Counter,
    /// The output so far, until there is a file.
    held: Vec<u8>,
    /// The file with the output from byte 0, or the error. `None` while the output is within the limits.
    file: Option<io::Result<SavedFile>>,
}

impl SavedStream {
    /// Creates a stream that is saved in `store` if it exceeds `bounds`.
    pub fn new(store: Arc<Store>, kind: SavedKind, bounds: Bounds) -> Self {
        Self { store, kind, bounds, raw: Counter::default(), held: Vec::new(), file: None }
    }

    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.raw.push(bytes);
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

    /// Appends a status footer to the file, on separate lines. `footer` formats it and gets the reason if part of the
    /// output is not in the file.
    pub fn end_with(&mut self, footer: impl Fn(Option<&Unsaved>) -> String) {
        let Some(Ok(file)) = &mut self.file else { return };
        let is_at_line_start = file.unsaved.is_none() && self.raw.is_at_line_start();
        let text = format!("{}{}\n", if is_at_line_start { "" } else { "\n" }, footer(file.unsaved.as_ref()));
        let Err(error) = file.end_with(&text) else { return };
        file.unsaved = Some(Unsaved::Failed(error));
        let text = format!("\n{}\n", footer(file.unsaved.as_ref()));
        if let Err(error) = file.end_over(&text) {
            tracing::warn!("a command's end is not in its saved output: {error}");
        }
    }

    /// Writes the output so far to a file, and keeps the file. Later output is added to it.
    pub fn keep(&mut self) -> io::Result<SavedOutput> {
        let bytes = self.raw.extent().bytes;
        self.file().as_mut().map(|file| file.keep(bytes)).map_err(|error| same_error(error))
    }

    /// Stops saving. Removes the file unless it was kept.
    pub fn discard(&mut self) {
        (self.held, self.file) = (Vec::new(), Some(Err(io::ErrorKind::Other.into())));
    }

    /// Returns the file or the error. Creates the file with the buffered bytes if there is none yet.
    fn file(&mut self) -> &mut io::Result<SavedFile> {
        self.file.get_or_insert_with(|| {
            let held = std::mem::take(&mut self.held);
            let mut file = self.store.create(self.kind)?;
            file.write(&held).map(|()| file)
        })
    }
}

impl io::Write for SavedStream {
    /// Never fails: [`keep`](Self::keep) returns the error.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
