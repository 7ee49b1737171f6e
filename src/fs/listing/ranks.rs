//! The places of a folder's order, and how many names stand between them.

use super::Rest;
use super::entry::{Bound, Listed, Order};
use crate::sys::FileKind;

/// Counts the rest of a folder between places of its order.
#[derive(Debug)]
pub struct Ranks<'a, T> {
    order: Order,
    after: &'a Bound<T>,
    places: &'a [Bound<T>],
    /// For each place the names after the one before it, up to its own.
    counts: Vec<u64>,
    bytes: Vec<u8>,
}

impl<'a, T: Copy + Ord> Ranks<'a, T> {
    /// Counts the names of `rest`.
    pub fn new(order: Order, rest: &'a Rest<T>) -> Self {
        let counts = vec![0; rest.places.len()];
        Self { order, after: &rest.after, places: &rest.places, counts, bytes: Vec::new() }
    }

    /// Counts a name.
    pub fn push(&mut self, name: &[u8], kind: FileKind, purpose: T) {
        if let Some(place) = self.place_of(name, kind, purpose)
            && let Some(count) = self.counts.get_mut(place)
        {
            *count += 1;
        }
    }

    /// Counts nothing from a name on.
    pub fn end_before(&mut self, name: &[u8], kind: FileKind, purpose: T) {
        if let Some(place) = self.place_of(name, kind, purpose) {
            self.places = &self.places[..place];
        }
    }

    /// The number of the first place that is not before a name; `None` for one that is not of the rest.
    fn place_of(&mut self, name: &[u8], kind: FileKind, purpose: T) -> Option<usize> {
        self.bytes.clear();
        let entry = Listed::new(self.order, &mut self.bytes, name, kind, purpose);
        let bytes = &self.bytes;
        let is_before = |place: &Bound<T>| entry.compare(bytes, &place.entry, &place.bytes).is_gt();
        is_before(self.after).then(|| self.places.partition_point(is_before))
    }

    /// The last place up to which the rest has no more than `most` names, and their number.
    pub fn last_within(&self, most: u64) -> (Bound<T>, u64) {
        let (mut last, mut passed) = (self.after, 0);
        for (place, count) in self.places.iter().zip(&self.counts) {
            if passed + count > most {
                break;
            }
            (last, passed) = (place, passed + count);
        }
        (last.clone(), passed)
    }
}
