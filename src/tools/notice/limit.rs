//! The units of limits.

use derive_more::Display;

use cutline_core::notice::Count;

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Matching lines.
    Matches,
    /// Files with a match.
    Files,
    /// Matching names.
    Results,
    /// Entries of a folder.
    Entries,
}

impl Unit {
    /// Returns the singular and the plural, such as `match` and `matches`.
    pub fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Matches => ("match", "matches"),
            Self::Files => ("file", "files"),
            Self::Results => ("result", "results"),
            Self::Entries => ("entry", "entries"),
        }
    }

    /// Formats that a search or a listing stopped after `limit` of these, and how to get more.
    pub(super) fn limit_reached(self, limit: u64) -> String {
        let (one, many) = self.nouns();
        let (reached, twice) = (Count(limit, one, many), limit.saturating_mul(2));
        let refine = if self == Self::Entries { "" } else { ", or refine pattern" };
        format!("{reached} limit reached. Use limit={twice} for more{refine}")
    }
}

/// The number of shown results and of all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display("{shown} of {total}{} {}", if *more { "+" } else { "" }, unit.nouns().1)]
pub struct PageOf {
    /// The number that is shown.
    pub shown: u64,
    /// The total number, up to the limit of the call.
    pub total: u64,
    /// True if there are more than `total`.
    pub more: bool,
    /// What is counted.
    pub unit: Unit,
}
