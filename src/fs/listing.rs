//! The names of one folder in order, as many of them as may be held at once.
//!
//! A folder may have more names than memory should hold. Those that come first are kept, and what is
//! left out is read again from the folder, after the last name of the part before. Where much of the rest is not
//! wanted either, it is counted between places of the order ([`Ranks`]), and the next part begins far down.
#![expect(clippy::indexing_slicing, reason = "the ranges of names are made where they are written")]

mod entry;
mod ranks;

use crate::sys::FileKind;
use entry::{Listed, prefix};

pub use entry::{Bound, Order};
pub use ranks::Ranks;

/// One name in so many is a place between which the rest of a folder is counted.
const NAMES_PER_PLACE: usize = 512;
/// Places that are kept at most; past that every other one goes, and they are twice as far apart.
const MAX_PLACES: usize = 4096;

/// Bytes of names from which on they have room for good.
const LARGE_BYTES: usize = 1024 * 1024;
/// That room in bytes, of which only what is used takes memory. An allocator gives back at once what is larger than
/// the 32 MB that glibc's keeps for the thread, and may keep what is smaller.
const ROOM_BYTES: usize = 40 * 1024 * 1024;

/// The first names of a folder after a given one. `T` is what a name is listed for, the last to decide
/// the order.
#[derive(Debug)]
pub struct Listing<T> {
    order: Order,
    max_entries: usize,
    max_bytes: usize,
    /// Only what comes after this is listed.
    after: Option<Bound<T>>,
    /// The last of those that are kept, if any name is left out.
    last: Option<Bound<T>>,
    pushed: usize,
    names_per_place: usize,
    places: Vec<Bound<T>>,
    /// Each name, and after it what orders it where that is something else.
    bytes: Vec<u8>,
    entries: Vec<Listed<T>>,
}

/// The rest of a folder, of which a part was listed.
#[derive(Debug)]
pub struct Rest<T> {
    /// The place after which it follows.
    pub after: Bound<T>,
    /// Number of names in the part that was listed.
    pub listed: usize,
    /// Places in it, in order.
    places: Vec<Bound<T>>,
}

impl<T: Copy + Ord> Listing<T> {
    /// An empty one of `max_entries` names and `max_bytes` of memory at most, of what comes after `after`.
    pub fn new(order: Order, max_entries: usize, max_bytes: usize, after: Option<Bound<T>>) -> Self {
        Self {
            order,
            max_entries,
            max_bytes,
            after,
            last: None,
            pushed: 0,
            names_per_place: NAMES_PER_PLACE,
            places: Vec::new(),
            bytes: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Adds a name, where it is one of the first.
    pub fn push(&mut self, name: &[u8], kind: FileKind, purpose: T) {
        self.pushed += 1;
        let is_place = self.pushed.is_multiple_of(self.names_per_place);
        let by_name = self.order == Order::Bytes;
        if !is_place
            && (by_name || name.is_ascii())
            && let Some(last) = &self.last
            && prefix(name, !by_name) > last.entry.prefix
        {
            return;
        }
        if self.bytes.len() > LARGE_BYTES && self.bytes.capacity() < ROOM_BYTES {
            self.bytes.reserve_exact(ROOM_BYTES - self.bytes.len());
        }
        let entry = Listed::new(self.order, &mut self.bytes, name, kind, purpose);
        let compare = |bound: &Bound<T>| entry.compare(&self.bytes, &bound.entry, &bound.bytes);
        let is_too_early = self.after.as_ref().is_some_and(|after| compare(after).is_le());
        let is_too_late = self.last.as_ref().is_some_and(|last| compare(last).is_gt());
        if is_place && !is_too_early {
            self.add_place(entry.bound(&self.bytes));
        }
        if is_too_early || is_too_late {
            self.bytes.truncate(entry.start);
            return;
        }
        self.entries.push(entry);
        if self.entries.len() > self.max_entries.saturating_mul(2) {
            self.keep(self.max_entries);
        } else if self.bytes.len() + self.entries.len() * size_of::<Listed<T>>() > self.max_bytes {
            self.keep(self.entries.len() / 2);
        }
    }

    fn add_place(&mut self, place: Bound<T>) {
        self.places.push(place);
        if self.places.len() >= MAX_PLACES {
            let mut number = 0_usize;
            self.places.retain(|_| {
                number += 1;
                number.is_multiple_of(2)
            });
            self.names_per_place *= 2;
        }
    }

    /// Keeps the first `count` entries, one at least.
    fn keep(&mut self, count: usize) {
        let count = count.max(1);
        if count >= self.entries.len() {
            return;
        }
        let bytes = &mut self.bytes;
        self.entries.select_nth_unstable_by(count - 1, |a, b| a.compare(bytes, b, bytes));
        self.entries.truncate(count);
        self.last = Some(self.entries[count - 1].bound(bytes));
        // Moved together where they are: beside a copy of them there would be twice as much.
        self.entries.sort_unstable_by_key(|entry| entry.start);
        let mut end = 0;
        for entry in &mut self.entries {
            let range = entry.range();
            entry.start = end;
            end += range.len();
            bytes.copy_within(range, entry.start);
        }
        bytes.truncate(end);
    }

    /// Puts what is listed in order, once all names were added. Returns the rest, where anything was left out.
    pub fn finish(&mut self) -> Option<Rest<T>> {
        self.keep(self.max_entries);
        if self.last.is_some() {
            self.bytes.shrink_to_fit();
            self.entries.shrink_to_fit();
        }
        let bytes = &self.bytes;
        self.entries.sort_unstable_by(|a, b| a.compare(bytes, b, bytes));
        let mut places = std::mem::take(&mut self.places);
        let after = self.last.take()?;
        places.retain(|place| place.compare(&after).is_gt());
        places.sort_unstable_by(Bound::compare);
        Some(Rest { after, listed: self.entries.len(), places })
    }

    /// Takes out all entries but those that `kept` says.
    pub fn retain(&mut self, mut kept: impl FnMut(&[u8], FileKind) -> bool) {
        let bytes = &self.bytes;
        self.entries.retain(|entry| kept(entry.name(bytes), entry.kind));
    }

    /// The name of an entry, its kind and what it is listed for.
    pub fn get(&self, index: usize) -> (&[u8], FileKind, T) {
        let entry = &self.entries[index];
        (entry.name(&self.bytes), entry.kind, entry.purpose)
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], FileKind)> {
        self.entries.iter().map(|entry| (entry.name(&self.bytes), entry.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A part that begins after some that were only counted is where it would be if they were listed.
        #[test]
        fn counted_names_can_be_passed_over(
            names in proptest::collection::hash_set("[a-cA-Cé]{1,4}", 2..60),
            max_entries in 1..20_usize,
            most in 0..60_u64,
            folder in 0..60_usize,
        ) {
            for order in [Order::Bytes, Order::IgnoringCase] {
                let mut expected: Vec<&str> = names.iter().map(|name| &**name).collect();
                expected.sort_by_key(|name| match order {
                    Order::Bytes => (String::new(), *name),
                    Order::IgnoringCase => (name.to_lowercase(), *name),
                });
                let mut part = Listing::new(order, max_entries, usize::MAX, None);
                part.names_per_place = 3;
                for name in &names {
                    part.push(name.as_bytes(), FileKind::File, 0_u8);
                }
                let Some(rest) = part.finish() else { continue };
                let mut ranks = Ranks::new(order, &rest);
                for name in &names {
                    ranks.push(name.as_bytes(), FileKind::File, 0);
                }
                if let Some(folder) = expected.get(folder) {
                    ranks.end_before(folder.as_bytes(), FileKind::File, 0);
                }
                let (after, passed) = ranks.last_within(most);
                prop_assert!(passed <= most);
                let begins = max_entries + usize::try_from(passed).unwrap();
                prop_assert!(passed == 0 || folder < max_entries || begins <= folder);
                let mut next = Listing::new(order, usize::MAX, usize::MAX, Some(after));
                for name in &names {
                    next.push(name.as_bytes(), FileKind::File, 0);
                }
                prop_assert!(next.finish().is_none());
                let found: Vec<&str> = next.iter().map(|(name, _)| std::str::from_utf8(name).unwrap()).collect();
                prop_assert_eq!(&found, &expected[begins..]);
            }
        }

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
                    after = part.finish().map(|rest| rest.after);
                    prop_assert!(part.iter().len() <= max_entries);
                    found.extend((0..part.iter().len()).map(|index| {
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
