//! All names of one folder, the asked-for ones in order: without regard to case, ties by bytes.
//!
//! Only what is asked for is sorted; a folder of a hundred thousand entries is read once and its names
//! are held once.

use std::cmp::Ordering;
use std::io;

use crate::fs::folder::{EntryKind, Reader, prefix};
use crate::sys::Folder;

/// Which of the names are asked for.
#[derive(Debug, Clone, Copy)]
pub struct ListPage {
    /// How many to skip.
    pub offset: u64,
    /// How many to give at most.
    pub limit: u64,
}

/// The names of a folder.
#[derive(Debug)]
pub struct ListedNames {
    /// Each name, and after it what orders it where that is something else.
    bytes: Vec<u8>,
    entries: Vec<Named>,
    asked: std::ops::Range<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Named {
    /// The first bytes of its key, so that most comparisons need no more.
    prefix: u64,
    start: usize,
    len: u32,
    key_len: u32,
    kind: EntryKind,
}

impl ListedNames {
    /// Reads a folder and puts those that are `wanted` in order; what was read so far where `stopped`.
    pub fn read(folder: &Folder, wanted: &ListPage, stopped: impl Fn() -> bool) -> io::Result<Self> {
        let mut names = Self { bytes: Vec::new(), entries: Vec::new(), asked: 0..0 };
        Reader::default().read(folder, |name, kind| names.push(name, kind))?;
        if !stopped() {
            names.order(wanted);
        }
        Ok(names)
    }

    fn push(&mut self, name: &[u8], kind: EntryKind) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        if name.is_ascii() {
            self.bytes.extend(name.iter().map(u8::to_ascii_lowercase));
        } else {
            self.bytes.extend_from_slice(String::from_utf8_lossy(name).to_lowercase().as_bytes());
        }
        // A name has 255 bytes at most.
        let len = u32::try_from(name.len()).unwrap_or(u32::MAX);
        let key_start = start + name.len();
        let key_len = u32::try_from(self.bytes.len() - key_start).unwrap_or(u32::MAX);
        let prefix = prefix(self.bytes.get(key_start..).unwrap_or_default());
        self.entries.push(Named { prefix, start, len, key_len, kind });
    }

    fn order(&mut self, wanted: &ListPage) {
        let index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(self.entries.len());
        let (from, to) = (index(wanted.offset), index(wanted.offset.saturating_add(wanted.limit)));
        let bytes = &self.bytes;
        let compare = |a: &Named, b: &Named| a.compare(b, bytes);
        if to < self.entries.len() {
            self.entries.select_nth_unstable_by(to, compare);
        }
        let (head, _) = self.entries.split_at_mut(to);
        if 0 < from && from < head.len() {
            head.select_nth_unstable_by(from, compare);
        }
        if let Some(asked) = head.get_mut(from..) {
            asked.sort_unstable_by(compare);
        }
        self.asked = from..to;
    }

    /// How many names there are.
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names that were asked for, in order.
    pub fn asked(&self) -> impl Iterator<Item = (&[u8], EntryKind)> {
        let asked = self.entries.get(self.asked.clone()).unwrap_or_default();
        asked.iter().map(|entry| (entry.name(&self.bytes), entry.kind))
    }

    /// All names, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], EntryKind)> {
        self.entries.iter().map(|entry| (entry.name(&self.bytes), entry.kind))
    }
}

impl Named {
    fn name<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start..self.start + self.len as usize).unwrap_or_default()
    }

    fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let start = self.start + self.len as usize;
        bytes.get(start..start + self.key_len as usize).unwrap_or_default()
    }

    fn compare(&self, other: &Self, bytes: &[u8]) -> Ordering {
        let by_prefix = self.prefix.cmp(&other.prefix);
        by_prefix
            .then_with(|| self.key(bytes).cmp(other.key(bytes)))
            .then_with(|| self.name(bytes).cmp(other.name(bytes)))
    }
}
