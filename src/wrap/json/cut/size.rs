//! The room that a part of a value takes in each of its texts.

#![expect(clippy::indexing_slicing, reason = "a view's number is below two")]

use std::ops::Range;

use super::View;

/// Bytes and newlines in each view. As a limit: the most of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Size {
    bytes: [u64; 2],
    newlines: [u64; 2],
}

impl Size {
    /// The limits of `views`; none for one that is not there.
    pub(super) fn limit(views: &[View<'_>]) -> Self {
        let newlines = |view: &View<'_>| view.max_lines.map_or(u64::MAX, |lines| lines.saturating_sub(1));
        Self {
            bytes: std::array::from_fn(|n| views.get(n).map_or(u64::MAX, |view| view.max_bytes)),
            newlines: std::array::from_fn(|n| views.get(n).map_or(u64::MAX, newlines)),
        }
    }

    /// The size of what stands at `spans`. Newlines are counted where lines are limited.
    pub(super) fn of(views: &[View<'_>], spans: &[Range<usize>; 2]) -> Self {
        let newlines = |n: usize| {
            let view = views.get(n).filter(|view| view.max_lines.is_some())?;
            Some(memchr::memchr_iter(b'\n', &view.value.text.as_bytes()[spans[n].clone()]).count() as u64)
        };
        Self {
            bytes: std::array::from_fn(|n| spans[n].len() as u64),
            newlines: std::array::from_fn(|n| newlines(n).unwrap_or(0)),
        }
    }

    /// Returns this many bytes in each view that there is.
    pub(super) fn bytes_in(views: &[View<'_>], bytes: usize) -> Self {
        let bytes = std::array::from_fn(|n| if n < views.len() { bytes as u64 } else { 0 });
        Self { bytes, newlines: [0; 2] }
    }

    /// Bytes of all views together.
    pub(super) fn bytes(self) -> u64 {
        self.bytes[0] + self.bytes[1]
    }

    /// Bytes in one view.
    pub(super) fn bytes_of(self, view: usize) -> usize {
        usize::try_from(self.bytes[view]).unwrap_or(usize::MAX)
    }

    /// True if nothing of it is above `room`.
    pub(super) fn fits(self, room: Self) -> bool {
        self.all(room).iter().all(|(own, room)| own <= room)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    /// The difference, 0 where `other` is larger.
    pub(super) fn minus(self, other: Self) -> Self {
        self.with(other, u64::saturating_sub)
    }

    /// One part of `parts` equal ones.
    pub(super) fn over(self, parts: u64) -> Self {
        // Without a limit there is no share of it to be had.
        self.with(self, |own, _| if own == u64::MAX { 0 } else { own / parts })
    }

    /// The share that `own` has in it by its part of `all`.
    pub(super) fn share(self, own: Self, all: Self) -> Self {
        let share = |left: u64, own: u64, all: u64| match all {
            0 => left,
            _ => u64::try_from(u128::from(left) * u128::from(own) / u128::from(all)).unwrap_or(u64::MAX),
        };
        Self {
            bytes: std::array::from_fn(|n| share(self.bytes[n], own.bytes[n], all.bytes[n])),
            newlines: std::array::from_fn(|n| share(self.newlines[n], own.newlines[n], all.newlines[n])),
        }
    }

    fn with(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            bytes: std::array::from_fn(|n| join(self.bytes[n], other.bytes[n])),
            newlines: std::array::from_fn(|n| join(self.newlines[n], other.newlines[n])),
        }
    }

    fn all(self, room: Self) -> [(u64, u64); 4] {
        let (bytes, newlines) = (self.bytes, self.newlines);
        [
            (bytes[0], room.bytes[0]),
            (bytes[1], room.bytes[1]),
            (newlines[0], room.newlines[0]),
            (newlines[1], room.newlines[1]),
        ]
    }
}
