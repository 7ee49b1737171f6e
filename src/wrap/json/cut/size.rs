//! The room that a part of a value takes in its text.

/// Bytes and newlines. As a limit: the most of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Size {
    pub(super) bytes: u64,
    pub(super) newlines: u64,
}

impl Size {
    /// True if nothing of it is above `room`.
    pub(super) fn fits(self, room: Self) -> bool {
        self.bytes <= room.bytes && self.newlines <= room.newlines
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
            bytes: share(self.bytes, own.bytes, all.bytes),
            newlines: share(self.newlines, own.newlines, all.newlines),
        }
    }

    fn with(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self { bytes: join(self.bytes, other.bytes), newlines: join(self.newlines, other.newlines) }
    }
}
