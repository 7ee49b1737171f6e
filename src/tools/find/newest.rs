//! The newest of many results, in memory for those that are asked for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When something was modified, in nanoseconds since 1970.
pub(super) type Modified = i128;

/// Keeps the newest; of those equally new the ones that came first.
#[derive(Debug)]
pub(super) struct Newest {
    kept: BinaryHeap<(Reverse<Modified>, u64, Vec<u8>)>,
    max: u64,
    seen: u64,
}

impl Newest {
    /// Keeps `max` of them.
    pub(super) fn new(max: u64) -> Self {
        Self { kept: BinaryHeap::new(), max, seen: 0 }
    }

    pub(super) fn push(&mut self, modified: Modified, path: Vec<u8>) {
        self.seen += 1;
        let one = (Reverse(modified), self.seen, path);
        if (self.kept.len() as u64) < self.max {
            self.kept.push(one);
        } else if let Some(mut oldest) = self.kept.peek_mut()
            && one < *oldest
        {
            *oldest = one;
        }
    }

    /// Those of a page, the newest first.
    pub(super) fn page(self, offset: u64, limit: u64) -> impl Iterator<Item = Vec<u8>> {
        let count = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let sorted = self.kept.into_sorted_vec().into_iter();
        sorted.skip(count(offset)).take(count(limit)).map(|(_, _, path)| path)
    }
}
