//! The part of a text that a notice reports as shown.

use derive_more::Display;

use super::parts::{Count, cut_by};
use crate::text::{Counter, Size};
use crate::truncate::{Bounds, Partial, Truncation};

/// The part of a text that is shown: `lines 1-20 of 5000 (30KB limit)`.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[display("{words}")]
pub struct Shown {
    words: String,
    /// Numbers of the first and the last line, if all lines between them are shown in full.
    pub whole_lines: Option<(u64, u64)>,
}

impl Shown {
    /// Returns the part of a text that `kept` has within `bounds`, or `None` if it has all. The text had `total` lines, and
    /// `raw` has the bytes of the first and the last one.
    pub fn of_text(kept: &Truncation, total: u64, raw: &Counter, bounds: Bounds) -> Option<Self> {
        let (cut, output, last) = (kept.cut?, kept.ends(), kept.total.lines);
        let by = cut_by(bounds.limit(cut.by));
        let (head, tail_lines) = (cut.head.lines, output.lines - cut.head.lines);
        let tail = (last + 1).saturating_sub(tail_lines);
        let whole_lines = match (cut.partial, head, tail_lines) {
            (None, 1.., 0) => Some((1, head)),
            (None, 0, 1..) => Some((tail, last)),
            _ => None,
        };
        let key_lines = Count(kept.key_lines.len() as u64, "key line", "key lines");
        let keys = |place: &str| match key_lines.0 {
            0 => String::new(),
            _ => format!(" and {key_lines} {place}"),
        };
        let words = match (whole_lines, cut.partial, head) {
            (Some((first, last)), ..) => {
                let keys = keys(if head > 0 { "after them" } else { "before them" });
                format!("lines {first}-{last}{keys} of {total}{by}")
            }
            (None, Some(Partial::LastLine), 0) => {
                let part = part_of_line(output.bytes, last, raw.last_line_bytes());
                format!("last {part}{}", keys("before it"))
            }
            (None, Some(Partial::LastLine), _) => {
                let part = part_of_line(output.bytes - cut.head.bytes, last, raw.last_line_bytes());
                format!("lines 1-{head} and last {part}{}", keys("between them"))
            }
            (None, None, 1..) => {
                format!("lines 1-{head} and {tail}-{total}{} of {total}{by}", keys("between them"))
            }
            (None, ..) => {
                let part = part_of_line(output.bytes, 1, raw.first_line_bytes());
                format!("first {part}{}", keys("after it"))
            }
        };
        Some(Self { words, whole_lines })
    }
}

/// Returns the text for a part of a line, to be used after `first` or `last`.
fn part_of_line(bytes: u64, line: u64, of: u64) -> String {
    let (whole, part) = Size(of).beside(bytes);
    format!("{part} of line {line} (line is {whole})")
}
