//! A name of a folder, and what comes before what.

#![expect(clippy::indexing_slicing, reason = "the ranges of names are made where they are written")]

use std::cmp::Ordering;
use std::ops::Range;

use crate::sys::FileKind;

/// The order of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By their bytes.
    Bytes,
    /// Without regard to case, ties by bytes.
    IgnoringCase,
}

/// One name; its bytes stand in those of its listing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed<T> {
    /// The first bytes of what orders it, so that most comparisons need no more.
    pub(super) prefix: u64,
    pub(super) start: usize,
    len: u32,
    key_len: u32,
    pub(super) kind: FileKind,
    pub(super) purpose: T,
}

/// A place in a folder's order.
#[derive(Debug, Clone)]
pub struct Bound<T> {
    pub(super) bytes: Vec<u8>,
    pub(super) entry: Listed<T>,
}

impl<T: Copy + Ord> Bound<T> {
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.entry.compare(&self.bytes, &other.entry, &other.bytes)
    }
}

impl<T: Copy + Ord> Listed<T> {
    /// An entry whose name, and what orders it, are put at the end of `bytes`.
    pub(super) fn new(order: Order, bytes: &mut Vec<u8>, name: &[u8], kind: FileKind, purpose: T) -> Self {
        let start = bytes.len();
        bytes.extend_from_slice(name);
        let key = bytes.len();
        if order == Order::IgnoringCase && !name.is_ascii() {
            bytes.extend_from_slice(String::from_utf8_lossy(name).to_lowercase().as_bytes());
        } else if order == Order::IgnoringCase && name.iter().any(u8::is_ascii_uppercase) {
            bytes.extend(name.iter().map(u8::to_ascii_lowercase));
        }
        let prefix = prefix(if key == bytes.len() { name } else { &bytes[key..] }, false);
        // A name has 255 bytes, or characters, at most.
        let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let (len, key_len) = (number(name.len()), number(bytes.len() - key));
        Self { prefix, start, len, key_len, kind, purpose }
    }

    pub(super) fn bound(&self, bytes: &[u8]) -> Bound<T> {
        Bound { bytes: self.all(bytes).to_vec(), entry: Self { start: 0, ..*self } }
    }

    pub(super) fn name<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..][..self.len as usize]
    }

    /// The bytes that order it: the name itself, where nothing follows that.
    fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let from = if self.key_len > 0 { self.len as usize } else { 0 };
        &self.all(bytes)[from..]
    }

    fn all<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.range()]
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.len as usize + self.key_len as usize
    }

    pub(super) fn compare(&self, bytes: &[u8], other: &Self, of_other: &[u8]) -> Ordering {
        let by_prefix = self.prefix.cmp(&other.prefix);
        by_prefix
            .then_with(|| self.key(bytes).cmp(other.key(of_other)))
            .then_with(|| self.name(bytes).cmp(other.name(of_other)))
            .then_with(|| self.purpose.cmp(&other.purpose))
    }
}

/// The first bytes of a name as a number that orders as they do.
pub(super) fn prefix(name: &[u8], lowercase: bool) -> u64 {
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(name) {
        *to = if lowercase { from.to_ascii_lowercase() } else { *from };
    }
    u64::from_be_bytes(first)
}
