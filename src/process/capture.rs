//! A command's output while it comes: the counts, the saved file and the text that is kept, whatever its length.
//!
//! Every byte is counted, and goes to the saved file once there is one. Until the answer the bytes
//! are also made text, resolved as a terminal would, and collected within the call's bounds; after
//! it, where a background process goes on writing, only the file grows.

#![expect(clippy::indexing_slicing, reason = "the bounds are at most the length")]

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::limits::BINARY_SNIFF_BYTES;
use crate::process::spill::{SavedFile, Store};
use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::terminal::Terminal;
use cutline_core::text::{Counter, Extent, NEWLINE};
use cutline_core::truncate::{Bounds, Collector, Ends, Keep, Truncation};

/// Bytes of the latest output that are kept to tell how far the command is.
const RECENT_BYTES: usize = 2048;

/// The output of a command, for its answer.
#[derive(Debug)]
pub struct Captured {
    /// The resolved text, as much as was kept of it.
    pub text: Truncation,
    /// Lines and bytes of the raw stream.
    pub raw: Counter,
    /// True if it is not text: `text` is then to be ignored.
    pub binary: bool,
    /// The file with all of it, where it was cut, is binary, or goes on; or why there is none.
    pub saved: Option<Result<SavedOutput, io::Error>>,
}

/// A saved output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutput {
    /// Its path.
    pub path: PathBuf,
    /// Bytes that it holds, where that is not all: the cap was reached.
    pub first_bytes: Option<u64>,
}

/// The output of a command so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latest {
    /// Lines and bytes of the raw stream.
    pub extent: Extent,
    /// Its last bytes, raw.
    pub recent: Vec<u8>,
}

/// Takes a command's output.
pub(super) struct Capture {
    store: Arc<Store>,
    /// Past these the output may be cut, and saving begins.
    bounds: Bounds,
    raw: Counter,
    binary: bool,
    recent: Vec<u8>,
    saving: Saving,
    /// `None` after the answer.
    view: Option<View>,
}

enum Saving {
    /// Everything so far, within the bounds.
    Held(Vec<u8>),
    /// In a file, from byte 0.
    File(SavedFile),
    /// Not possible, and why.
    Failed(io::Error),
    /// Not wanted any more.
    Done,
}

struct View {
    decoder: Decoder,
    terminal: Terminal,
    ends: Ends,
}

impl View {
    fn push(&mut self, bytes: &[u8]) {
        let Self { decoder, terminal, ends } = self;
        decoder.push(bytes, &mut |text| terminal.push(text, &mut |text| ends.push(text)));
    }

    fn finish(self) -> Truncation {
        let Self { mut decoder, mut terminal, mut ends } = self;
        decoder.finish(&mut |text| terminal.push(text, &mut |text| ends.push(text)));
        terminal.finish(&mut |text| ends.push(text));
        ends.finish()
    }
}

impl Capture {
    /// A capture that keeps `keep` of the output within `max_bytes`, and saves the whole in `store`.
    pub(super) fn new(store: Arc<Store>, keep: Keep, max_bytes: u64) -> Self {
        let view = View {
            decoder: Decoder::new(Encoding::Utf8),
            terminal: Terminal::new(max_bytes),
            ends: Ends::new(keep, max_bytes),
        };
        Self {
            store,
            bounds: Bounds { lines: keep.lines(), bytes: max_bytes },
            raw: Counter::default(),
            binary: false,
            recent: Vec::new(),
            saving: Saving::Held(Vec::new()),
            view: Some(view),
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let sniffed = usize::try_from(self.raw.extent().bytes).unwrap_or(usize::MAX);
        let start = &bytes[..BINARY_SNIFF_BYTES.saturating_sub(sniffed).min(bytes.len())];
        self.binary |= memchr::memchr(0, start).is_some();
        self.raw.push(bytes);
        self.save(bytes);
        if let Some(view) = &mut self.view {
            if !self.binary {
                view.push(bytes);
            }
            self.remember(bytes);
        }
    }

    /// Returns the counts and the last bytes so far.
    pub(super) fn latest(&self) -> Latest {
        Latest { extent: self.raw.extent(), recent: self.recent.clone() }
    }

    /// Returns how many bytes there were so far.
    pub(super) fn bytes(&self) -> u64 {
        self.raw.extent().bytes
    }

    /// Saves no more: what was saved is removed.
    pub(super) fn discard(&mut self) {
        self.saving = Saving::Done;
    }

    /// Returns the output for the answer. Where it `goes_on` it is saved however short it is.
    pub(super) fn answer(&mut self, goes_on: bool) -> Captured {
        let text = match self.view.take() {
            Some(view) => view.finish(),
            None => Ends::new(Keep::Tail(0), 0).finish(),
        };
        self.recent = Vec::new();
        let wanted = goes_on || self.binary || text.cut.is_some();
        let saved = if wanted { Some(self.saved()) } else { None };
        if !goes_on || !matches!(saved, Some(Ok(_))) {
            self.saving = Saving::Done;
        }
        Captured { text, raw: self.raw.clone(), binary: self.binary, saved }
    }

    /// Adds `line` to the saved output, as a line of its own.
    pub(super) fn end_with(&mut self, line: &str) {
        let newline = if self.raw.is_at_line_start() { "" } else { "\n" };
        self.save(format!("{newline}{line}\n").as_bytes());
    }

    fn save(&mut self, bytes: &[u8]) {
        let result = match &mut self.saving {
            Saving::Held(held) => {
                held.extend_from_slice(bytes);
                let Extent { lines, bytes } = self.raw.extent();
                let final_newline = u64::from(held.last() == Some(&NEWLINE));
                if lines > self.bounds.lines || bytes - final_newline > self.bounds.bytes {
                    self.begin();
                }
                return;
            }
            Saving::File(file) => file.write(bytes),
            Saving::Failed(_) | Saving::Done => return,
        };
        if let Err(error) = result {
            // What is in the file is not all, and after the answer there is no way to say so.
            self.saving = if self.view.is_some() { Saving::Failed(error) } else { Saving::Done };
        }
    }

    /// Moves the bytes that are held to a file.
    fn begin(&mut self) {
        if let Saving::Held(held) = &self.saving {
            let begun = self.store.create().and_then(|mut file| file.write(held).map(|()| file));
            self.saving = match begun {
                Ok(file) => Saving::File(file),
                Err(error) => Saving::Failed(error),
            };
        }
    }

    /// Makes sure that the output is in a file that stays.
    fn saved(&mut self) -> Result<SavedOutput, io::Error> {
        self.begin();
        match std::mem::replace(&mut self.saving, Saving::Done) {
            Saving::File(mut file) => {
                file.keep();
                let saved = SavedOutput {
                    path: file.path().to_owned(),
                    first_bytes: (file.written() < self.bytes()).then_some(file.written()),
                };
                self.saving = Saving::File(file);
                Ok(saved)
            }
            Saving::Failed(error) => Err(error),
            Saving::Held(_) | Saving::Done => Err(io::ErrorKind::Other.into()),
        }
    }

    fn remember(&mut self, bytes: &[u8]) {
        let end = &bytes[bytes.len().saturating_sub(RECENT_BYTES)..];
        let over = (self.recent.len() + end.len()).saturating_sub(RECENT_BYTES);
        self.recent.drain(..over.min(self.recent.len()));
        self.recent.extend_from_slice(end);
    }
}
