//! The names of one folder in order, as many of them as may be held at once.
//!
//! A folder may have more names than memory should hold. Those that come first are kept, and what is
//! left out is read again from the folder, after the last name of the part before.
#![expect(clippy::indexing_slicing, reason = "the ranges of names are made where they are written")]

use std::cmp::Ordering;

use crate::sys::FileKind;

/// The order of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By their bytes.
    Bytes,
    /// Without regard to case, ties by bytes.
    IgnoringCase,
}

/// The first names of a folder after a given one. `T` is what a name is listed for, the last to decide
/// the order.
#[derive(Debug)]
pub struct Listing<T> {
    order: Order,
    max_entries: usize,
    max_bytes: usize,
    /// Only what comes after this is listed.
    after: Option<Bound<T>>,
    /// Names after this are left out.
    last: Option<Bound<T>>,
    left_out: bool,
    /// Each name, and after it what orders it where that is something else.
    bytes: Vec<u8>,
    entries: Vec<Listed<T>>,
}

#[derive(Debug, Clone, Copy)]
struct Listed<T> {
    /// The first bytes of what orders it, so that most comparisons need no more.
    prefix: u64,
    start: usize,
    len: u32,
    key_len: u32,
    kind: FileKind,
    purpose: T,
}

/// A place in a folder's order.
#[derive(Debug, Clone)]
pub struct Bound<T> {
    bytes: Vec<u8>,
    entry: Listed<T>,
}

impl<T: Copy + Ord> Listing<T> {
    /// An empty one of `max_entries` names and `max_bytes` of memory at most, of what comes after `after`.
    pub fn new(order: Order, max_entries: usize, max_bytes: usize, after: Option<Bound<T>>) -> Self {
        let (bytes, entries) = (Vec::new(), Vec::new());
        Self { order, max_entries, max_bytes, after, last: None, left_out: false, bytes, entries }
    }

    /// Adds a name, where it is one of the first.
    pub fn push(&mut self, name: &[u8], kind: FileKind, purpose: T) {
        let by_name = self.order == Order::Bytes;
        if (by_name || name.is_ascii())
            && let Some(last) = &self.last
            && prefix(name, !by_name) > last.entry.prefix
        {
            self.left_out = true;
            return;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        let key = start + name.len();
        if !by_name && !name.is_ascii() {
            self.bytes.extend_from_slice(String::from_utf8_lossy(name).to_lowercase().as_bytes());
        } else if !by_name && name.iter().any(u8::is_ascii_uppercase) {
            self.bytes.extend(name.iter().map(u8::to_ascii_lowercase));
        }
        let prefix = prefix(if key == self.bytes.len() { name } else { &self.bytes[key..] }, false);
        // A name has 255 bytes, or characters, at most.
        let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let (len, key_len) = (number(name.len()), number(self.bytes.len() - key));
        let entry = Listed { prefix, start, len, key_len, kind, purpose };
        let compare = |bound: &Bound<T>| entry.compare(&self.bytes, &bound.entry, &bound.bytes);
        let is_too_early = self.after.as_ref().is_some_and(|after| compare(after).is_le());
        let is_too_late = self.last.as_ref().is_some_and(|last| compare(last).is_gt());
        if is_too_early || is_too_late {
            self.left_out |= is_too_late;
            self.bytes.truncate(start);
            return;
        }
        self.entries.push(entry);
        if self.entries.len() > self.max_entries.saturating_mul(2) {
            self.keep(self.max_entries);
        } else if self.bytes.len() + self.entries.len() * size_of::<Listed<T>>() > self.max_bytes {
            self.keep(self.entries.len() / 2);
        }
    }

    /// Keeps the first `count` entries, one at least.
    fn keep(&mut self, count: usize) {
        let count = count.max(1);
        if count >= self.entries.len() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        self.entries.select_nth_unstable_by(count - 1, |a, b| a.compare(&bytes, b, &bytes));
        self.entries.truncate(count);
        for entry in &mut self.entries {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(entry.all(&bytes));
            entry.start = start;
        }
        self.left_out = true;
        self.last = Some(self.bound(count - 1));
    }

    fn bound(&self, index: usize) -> Bound<T> {
        let entry = self.entries[index];
        Bound { bytes: entry.all(&self.bytes).to_vec(), entry: Listed { start: 0, ..entry } }
    }

    /// Puts what is listed in order, once all names were added. Returns the place after which the rest
    /// follows, where anything was left out.
    pub fn finish(&mut self) -> Option<Bound<T>> {
        self.keep(self.max_entries);
        if self.left_out {
            self.bytes.shrink_to_fit();
            self.entries.shrink_to_fit();
        }
        let bytes = &self.bytes;
        self.entries.sort_unstable_by(|a, b| a.compare(bytes, b, bytes));
        (self.left_out && !self.entries.is_empty()).then(|| self.bound(self.entries.len() - 1))
    }

    /// Takes out all entries but those that `kept` says.
    pub fn retain(&mut self, mut kept: impl FnMut(&[u8], FileKind) -> bool) {
        let bytes = &self.bytes;
        self.entries.retain(|entry| kept(entry.name(bytes), entry.kind));
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The name of an entry, its kind and what it is listed for.
    pub fn get(&self, index: usize) -> (&[u8], FileKind, T) {
        let entry = &self.entries[index];
        (entry.name(&self.bytes), entry.kind, entry.purpose)
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], FileKind)> {
        self.entries.iter().map(|entry| (entry.name(&self.bytes), entry.kind))
    }
}

impl<T: Ord> Listed<T> {
    fn name<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..][..self.len as usize]
    }

    /// The bytes that order it: the name itself, where nothing follows that.
    fn key<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let from = if self.key_len > 0 { self.len as usize } else { 0 };
        &self.all(bytes)[from..]
    }

    fn all<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..][..self.len as usize + self.key_len as usize]
    }

    fn compare(&self, bytes: &[u8], other: &Self, of_other: &[u8]) -> Ordering {
        let by_prefix = self.prefix.cmp(&other.prefix);
        by_prefix
            .then_with(|| self.key(bytes).cmp(other.key(of_other)))
            .then_with(|| self.name(bytes).cmp(other.name(of_other)))
            .then_with(|| self.purpose.cmp(&other.purpose))
    }
}

/// The first bytes of a name as a number that orders as they do.
fn prefix(name: &[u8], lowercase: bool) -> u64 {
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(name) {
        *to = if lowercase { from.to_ascii_lowercase() } else { *from };
    }
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Parts of any size, one after the other, are all names in order.
        #[test]
        fn parts_join(
            names in proptest::collection::hash_set("[a-cA-Cé]{1,12}", 0..60),
            max_entries in 1..20_usize,
            max_bytes in 1..2000_usize,
        ) {
            for order in [Order::Bytes, Order::IgnoringCase] {
                let mut expected: Vec<(&str, u8)> = names.iter().flat_map(|name| [(&**name, 0), (name, 1)]).collect();
                expected.sort_by_key(|(name, purpose)| match order {
                    Order::Bytes => (String::new(), *name, *purpose),
                    Order::IgnoringCase => (name.to_lowercase(), *name, *purpose),
                });
                let mut found = Vec::new();
                let mut after = None;
                loop {
                    let mut part = Listing::new(order, max_entries, max_bytes, after);
                    for name in &names {
                        part.push(name.as_bytes(), FileKind::File, 1_u8);
                        part.push(name.as_bytes(), FileKind::File, 0);
                    }
                    after = part.finish();
                    prop_assert!(part.len() <= max_entries);
                    found.extend((0..part.len()).map(|index| {
                        let (name, _, purpose) = part.get(index);
                        (String::from_utf8(name.to_vec()).unwrap(), purpose)
                    }));
                    if after.is_none() {
                        break;
                    }
                }
                let found: Vec<(&str, u8)> = found.iter().map(|(name, purpose)| (&**name, *purpose)).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
