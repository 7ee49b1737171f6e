//! The sorted names of one folder.
//!
//! All names are in memory. A million names take up to 64 MB.

#![expect(clippy::indexing_slicing, reason = "the ranges of names are made where they are written")]

use std::borrow::Cow;

use crate::sys::FileKind;

/// Number of bytes of names after which the listing reserves [`RESERVED_BYTES`]. The allocator returns a block of that
/// size to the system immediately, but may keep the smaller blocks that gradual growth would leave.
const LARGE_BYTES: usize = 1024 * 1024;
/// Number of bytes to reserve. Only the used part becomes resident.
const RESERVED_BYTES: usize = 40 * 1024 * 1024;

/// The sort order of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By their bytes.
    Bytes,
    /// By characters without case. Ties are sorted by bytes.
    IgnoringCase,
}

impl Order {
    fn key(self, name: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::IgnoringCase if !name.is_ascii() => {
                String::from_utf8_lossy(name).to_lowercase().into_bytes().into()
            }
            Self::IgnoringCase if name.iter().any(u8::is_ascii_uppercase) => name.to_ascii_lowercase().into(),
            _ => Cow::Borrowed(name),
        }
    }
}

/// The names of a folder. `T` is the purpose of an entry; it is the last sort key.
#[derive(Debug)]
pub struct Listing<T> {
    order: Order,
    /// All names.
    bytes: Vec<u8>,
    entries: Vec<Entry<T>>,
}

/// One name, as a range of bytes in its listing.
#[derive(Debug, Clone, Copy)]
struct Entry<T> {
    /// The first bytes of the sort key. Most comparisons need no more.
    prefix: u64,
    start: usize,
    len: u16,
    kind: FileKind,
    purpose: T,
}

impl<T: Copy + Ord> Listing<T> {
    /// Returns an empty listing.
    pub fn new(order: Order) -> Self {
        Self { order, bytes: Vec::new(), entries: Vec::new() }
    }

    /// Adds a name.
    pub fn push(&mut self, name: &[u8], kind: FileKind, purpose: T) {
        if self.bytes.len() > LARGE_BYTES && self.bytes.capacity() < RESERVED_BYTES {
            self.bytes.reserve_exact(RESERVED_BYTES - self.bytes.len());
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        let prefix = prefix(&self.order.key(name));
        // A name has at most 255 bytes or characters.
        let len = u16::try_from(name.len()).unwrap_or(u16::MAX);
        self.entries.push(Entry { prefix, start, len, kind, purpose });
    }

    /// Sorts the names: at least the first `wanted` are in order.
    pub fn sort(&mut self, wanted: usize) {
        let (bytes, order) = (&self.bytes, self.order);
        let by_order = |a: &Entry<T>, b: &Entry<T>| {
            let (left, right) = (a.name(bytes), b.name(bytes));
            let by_prefix = a.prefix.cmp(&b.prefix);
            let by_key = by_prefix.then_with(|| order.key(left).cmp(&order.key(right)));
            by_key.then_with(|| (left, a.purpose).cmp(&(right, b.purpose)))
        };
        if wanted < self.entries.len() {
            self.entries.select_nth_unstable_by(wanted, by_order);
        }
        let wanted = wanted.min(self.entries.len());
        self.entries[..wanted].sort_unstable_by(by_order);
    }

    /// Removes all entries for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8], FileKind) -> bool) {
        let bytes = &self.bytes;
        self.entries.retain(|entry| keep(entry.name(bytes), entry.kind));
    }

    /// Returns an entry's name, kind and purpose.
    pub fn get(&self, index: usize) -> (&[u8], FileKind, T) {
        let entry = &self.entries[index];
        (entry.name(&self.bytes), entry.kind, entry.purpose)
    }

    /// Returns all entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], FileKind)> {
        self.entries.iter().map(|entry| (entry.name(&self.bytes), entry.kind))
    }
}

impl<T: Copy + Ord> Entry<T> {
    fn name<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..][..usize::from(self.len)]
    }
}

/// Converts the first bytes of a key to a number with the same order.
fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(key) {
        *to = *from;
    }
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_in_order(
            names in proptest::collection::hash_set("[a-cA-Cé]{1,12}", 0..60),
            wanted in 0..140_usize,
        ) {
            for order in [Order::Bytes, Order::IgnoringCase] {
                let mut expected: Vec<(&str, u8)> = names.iter().flat_map(|name| [(&**name, 0), (name, 1)]).collect();
                expected.sort_by_key(|(name, purpose)| match order {
                    Order::Bytes => (String::new(), *name, *purpose),
                    Order::IgnoringCase => (name.to_lowercase(), *name, *purpose),
                });
                let mut listing = Listing::new(order);
                for name in &names {
                    listing.push(name.as_bytes(), FileKind::File, 1_u8);
                    listing.push(name.as_bytes(), FileKind::File, 0);
                }
                listing.sort(wanted);
                prop_assert_eq!(listing.iter().len(), expected.len());
                for (index, (name, purpose)) in expected.into_iter().enumerate().take(wanted) {
                    prop_assert_eq!(listing.get(index), (name.as_bytes(), FileKind::File, purpose));
                }
            }
        }
    }
}
