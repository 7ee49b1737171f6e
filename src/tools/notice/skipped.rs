//! The reasons for which files are not searched.

use cutline_core::notice::Count;
use cutline_core::text::Size;

/// Why files or folders were not searched, or only in part. In the order of the notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhySkipped {
    /// They can't be read.
    Unreadable,
    /// A line is too long to search.
    LongLine,
    /// They are larger than this limit of a search across lines.
    TooLarge(u64),
    /// They have no known size, and were searched up to this limit.
    SearchedUpTo(u64),
}

impl WhySkipped {
    /// Formats the reason, of that many files.
    pub(super) fn of(self, count: u64) -> String {
        let over = |limit| format!("{} over {}", Count(count, "file is", "files are"), Size(limit));
        match self {
            Self::Unreadable => format!("{} could not be read", Count(count, "path", "paths")),
            Self::LongLine => {
                format!("{} a line too long to search", Count(count, "file has", "files have"))
            }
            Self::TooLarge(limit) => format!("{}, too large for multiline", over(limit)),
            Self::SearchedUpTo(limit) => format!("{}, searched up to there", over(limit)),
        }
    }
}
