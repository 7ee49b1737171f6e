//! The limits of a call and their units.

use derive_more::Display;

use cutline_core::notice::Count;

/// The things that a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Matching lines.
    Matches,
    /// Files that have a match.
    Files,
    /// Names that match.
    Results,
    /// Entries of a folder.
    Entries,
}

impl Unit {
    /// Returns the words for one and for several: `match`, `matches`.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Matches => ("match", "matches"),
            Self::Files => ("file", "files"),
            Self::Results => ("result", "results"),
            Self::Entries => ("entry", "entries"),
        }
    }

    /// Returns the words for a search or a listing that `limit` of them ended, and the way to more.
    pub(super) fn limit_reached(self, limit: u64) -> String {
        let (one, many) = self.words();
        let (reached, twice) = (Count(limit, one, many), limit.saturating_mul(2));
        let refine = if self == Self::Entries { "" } else { ", or refine pattern" };
        format!("{reached} limit reached. Use limit={twice} for more{refine}")
    }
}

/// The number of things that are shown, and in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display("{shown} of {total}{} {}", if *more { "+" } else { "" }, unit.words().1)]
pub struct PageOf {
    /// The number shown.
    pub shown: u64,
    /// The number in all, up to the call's limit.
    pub total: u64,
    /// True if there are more than `total`.
    pub more: bool,
    /// The things that are counted.
    pub unit: Unit,
}
