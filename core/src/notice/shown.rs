//! The part of an output or of a result that is shown.

use derive_more::Display;

use super::limit::cut_by;
use super::{Count, between};
use crate::text::{Counter, Extent, Size, show};
use crate::truncate::{Bounds, Cut, Limit, Partial, Truncation};

/// Characters of a part's name in a notice; a longer one keeps both its ends.
const PART_NAME_CHARS: usize = 60;

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
        let (lines, key_lines) = ((1, kept.total.lines), kept.key_lines.len());
        Some(Self::of(kept.cut?, kept.ends(), lines, total, raw, bounds, key_lines))
    }

    /// Returns the part that is left after `cut` within `bounds`, which is `output`. It was cut from lines `first` to
    /// `last` of `total`. `raw` has the bytes of these two lines. The part includes `key_lines` key lines from the omitted
    /// part.
    pub fn of(
        cut: Cut,
        output: Extent,
        (first, last): (u64, u64),
        total: u64,
        raw: &Counter,
        bounds: Bounds,
        key_lines: usize,
    ) -> Self {
        let by = cut_by(bounds.limit(cut.by));
        let (head_lines, tail_lines) = (cut.head.lines, output.lines - cut.head.lines);
        let (head, tail) = (first - 1 + head_lines, (last + 1).saturating_sub(tail_lines));
        let whole_lines = match (cut.partial, head_lines, tail_lines) {
            (None, 1.., 0) => Some((first, head)),
            (None, 0, 1..) => Some((tail, last)),
            _ => None,
        };
        let key_lines = Count(key_lines as u64, "key line", "key lines");
        let keys = |place: &str| match key_lines.0 {
            0 => String::new(),
            _ => format!(" and {key_lines} {place}"),
        };
        let words = match (whole_lines, cut.partial, head_lines) {
            (Some((first, last)), ..) => {
                let keys = keys(if head_lines > 0 { "after them" } else { "before them" });
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
                let part = part_of_line(output.bytes, first, raw.first_line_bytes());
                format!("first {part}{}", keys("after it"))
            }
        };
        Self { words, whole_lines }
    }
}

/// Returns the text for a part of a line, to be used after `first` or `last`.
fn part_of_line(bytes: u64, line: u64, of: u64) -> String {
    let (whole, part) = Size(of).beside(bytes);
    format!("{part} of line {line} (line is {whole})")
}

/// The part that is shown of another server's result.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub enum ResultShown {
    /// Lines of text.
    Text(Shown),
    /// Items and the like, with the limit that cut; `NAMES_LISTED` of them at most.
    #[display("{}{}", _0.iter().map(Part::to_string).collect::<Vec<_>>().join(", "), cut_by(*_1))]
    Parts(Vec<Part>, Limit),
}

impl ResultShown {
    /// Returns the text with the number of shown text blocks and of all text blocks, if not all are shown.
    pub(super) fn with_blocks(&self, blocks: Option<(u64, u64)>) -> String {
        let shown = self.to_string();
        let Some((some, all)) = blocks else { return shown };
        let (start, mark) = shown.strip_suffix(')').map_or((&*shown, " ("), |start| (start, "; "));
        format!("{start}{mark}{some} of {} shown)", Count(all, "text block", "text blocks"))
    }
}

/// A part of a result of which not everything is shown.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[display("{shown} of {}{}", unit.counted(*total), between(" of \"", name.as_deref().map(short_name), "\""))]
pub struct Part {
    /// Number of them shown.
    pub shown: u64,
    /// Number of them in all.
    pub total: u64,
    /// The things that are counted.
    pub unit: PartUnit,
    /// Its name; `None` for the result itself.
    pub name: Option<String>,
}

fn short_name(name: &str) -> String {
    show::middle_out(&show::name(name.as_bytes()), PART_NAME_CHARS).into_owned()
}

/// The things that a part of a result consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartUnit {
    /// Items of an array.
    Items,
    /// Members of an object.
    Members,
    /// Characters of a string.
    Characters,
    /// Blocks of a result.
    Blocks,
}

impl PartUnit {
    fn counted(self, count: u64) -> Count {
        match self {
            Self::Items => Count(count, "item", "items"),
            Self::Members => Count(count, "member", "members"),
            Self::Characters => Count(count, "character", "characters"),
            Self::Blocks => Count(count, "block", "blocks"),
        }
    }
}
