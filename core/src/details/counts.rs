//! The numbers that the details of a cut are made of, beside its lines and bytes.

use super::TruncationDetails;

/// The numbers of a cut that its lines and bytes do not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutCounts {
    /// Lines, matches, names, items or blocks of the original.
    pub original: u64,
    /// Number of them in the answer.
    pub returned: u64,
    /// True if the first of them alone is over the limit, so that it is shown in part or not at all.
    pub single_too_large: bool,
    /// Characters of the original, about.
    pub total_chars: u64,
}

impl CutCounts {
    /// Returns the numbers for a text whose parts are its lines.
    ///
    /// `shown` is what is in the answer; the original has so many more characters as it has more bytes.
    pub fn of_lines(truncation: &TruncationDetails, shown: &str) -> Self {
        Self {
            original: truncation.total_lines,
            returned: truncation.output_lines,
            single_too_large: truncation.first_line_exceeds_limit || truncation.last_line_partial,
            total_chars: chars_in_all(shown, truncation.total_bytes),
        }
    }
}

/// Returns the number of characters of a text of `total_bytes`, about, of which `part` is a part.
///
/// ```
/// use cutline_core::details::chars_in_all;
/// assert_eq!((chars_in_all("abc", 300), chars_in_all("éé", 300), chars_in_all("", 300)), (300, 150, 300));
/// ```
pub fn chars_in_all(part: &str, total_bytes: u64) -> u64 {
    let (chars, bytes) = (part.chars().count() as u128, part.len() as u128);
    if bytes == 0 {
        return total_bytes;
    }
    u64::try_from(u128::from(total_bytes) * chars / bytes).unwrap_or(u64::MAX)
}
