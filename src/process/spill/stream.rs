//! An output that is saved from its first byte once it is longer than an answer may be.

use std::io;
use std::sync::Arc;

use super::{SavedFile, SavedOutput, Store, same_error};
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
    state: SaveState,
}

#[derive(Debug)]
enum SaveState {
    /// Everything so far, within the bounds.
    Held(Vec<u8>),
    /// In a file, from byte 0.
    File(SavedFile),
    /// Not possible, and why.
    Failed(io::Error),
    /// Not wanted any more.
    Done,
}

impl SavedStream {
    /// Returns one that saves in `store` what is longer than `bounds`.
    pub fn new(store: Arc<Store>, kind: SavedKind, bounds: Bounds) -> Self {
        Self { store, kind, bounds, raw: Counter::default(), state: SaveState::Held(Vec::new()) }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.raw.push(bytes);
        self.save(bytes);
    }

    /// Adds `line`, as a line of its own, which is not counted.
    pub fn end_with(&mut self, line: &str) {
        let newline = if self.raw.is_at_line_start() { "" } else { "\n" };
        self.save(format!("{newline}{line}\n").as_bytes());
    }

    /// Makes sure that all of it so far is in a file that stays; what follows goes to it too.
    pub fn keep(&mut self) -> io::Result<SavedOutput> {
        self.begin();
        match &mut self.state {
            SaveState::File(file) => Ok(file.keep(self.raw.extent().bytes)),
            SaveState::Failed(error) => Err(same_error(error)),
            SaveState::Held(_) | SaveState::Done => Err(io::ErrorKind::Other.into()),
        }
    }

    /// Saves no more; what was saved and not kept is removed.
    pub fn discard(&mut self) {
        self.state = SaveState::Done;
    }

    fn save(&mut self, bytes: &[u8]) {
        let result = match &mut self.state {
            SaveState::Held(held) => {
                held.extend_from_slice(bytes);
                let Extent { lines, bytes } = self.raw.extent();
                let final_newline = u64::from(self.raw.is_at_line_start());
                if lines > self.bounds.lines || bytes - final_newline.min(bytes) > self.bounds.bytes {
                    self.begin();
                }
                return;
            }
            SaveState::File(file) => file.write(bytes),
            SaveState::Failed(_) | SaveState::Done => return,
        };
        if let Err(error) = result {
            self.state = SaveState::Failed(error);
        }
    }

    /// Moves the bytes that are held to a file.
    fn begin(&mut self) {
        if let SaveState::Held(held) = &self.state {
            let begun = self.store.create(self.kind).and_then(|mut file| file.write(held).map(|()| file));
            self.state = match begun {
                Ok(file) => SaveState::File(file),
                Err(error) => SaveState::Failed(error),
            };
        }
    }
}
