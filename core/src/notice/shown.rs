//! The part of a text that a notice reports as shown.

use derive_more::Display;

use super::parts::{Count, between, cut_by};
use crate::text::{Counter, Size};
use crate::truncate::{Bounds, Partial, Truncation};

/// The part of a text that is shown: `lines 1-20 of 5000 (30KB limit)`.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[display("{words}")]
pub struct Shown {
    words: String,
    /// Numbers of the first and the last line, if all lines between them are shown in full. Key lines do not count.
    /// `None` if both ends of the text or a part of a line are shown.
    pub whole_lines: Option<(u64, u64)>,
}

impl Shown {
    /// Returns the part of a text that `kept` has within `bounds`, or `None` if it has all. The text had `total` lines
    /// before it was resolved, and `raw` has the bytes of the first and the last one.
    pub fn of_text(kept: &Truncation, total: u64, raw: &Counter, bounds: Bounds) -> Option<Self> {
        let (cut, last) = (kept.cut?, kept.total.lines);
        let by = cut_by(bounds.limit(cut.by));
        let (head, keys) = (cut.head.lines, kept.key_lines.len() as u64);
        let tail_lines = kept.output.lines - keys - head;
        let tail = (last + 1).saturating_sub(tail_lines);
        let mut lines = kept.content.split('\n');
        let last_line = part_of_line(lines.clone().next_back(), last, raw.last_line_bytes());
        let (shown, place, whole_lines) = match (cut.partial, head, tail_lines) {
            (None, 1.., 0) => (format!("lines 1-{head}"), "after them", Some((1, head))),
            (None, 0, 1..) => (format!("lines {tail}-{last}"), "before them", Some((tail, last))),
            (None, 1.., _) => (format!("lines 1-{head} and {tail}-{last}"), "between them", None),
            (Some(Partial::LastLine), 0, _) => (format!("last {last_line}"), "before it", None),
            (Some(Partial::LastLine), ..) => {
                (format!("lines 1-{head} and last {last_line}"), "between them", None)
            }
            _ => {
                let first_line = part_of_line(lines.next(), 1, raw.first_line_bytes());
                (format!("first {first_line}"), "after it", None)
            }
        };
        let key_lines = (keys > 0).then_some(Count(keys, "key line", "key lines"));
        let has_whole_lines = cut.partial.is_none() && kept.output.lines > 0;
        let total = between(" of ", has_whole_lines.then_some(total), &by);
        let words = shown + &between(" and ", key_lines, &format!(" {place}")) + &total;
        Some(Self { words, whole_lines })
    }
}

/// Returns the text for a part of a line of `line_bytes` bytes, to be used after `first` or `last`.
fn part_of_line(part: Option<&str>, line: u64, line_bytes: u64) -> String {
    let (whole, part) = Size(line_bytes).beside(part.map_or(0, str::len) as u64);
    format!("{part} of line {line} (line is {whole})")
}
