//! The truncation layer: a part of a text that fits, and exact counts of the full text.
//!
//! A [`Collector`] takes decoded text piece by piece and keeps the lines that [`Keep`] names: the first
//! ones, the last ones, or both ends. Its memory is bounded by its [`Bounds`], and its counts are of
//! everything that was pushed. It cuts a text only at a line's end: a part of a line is kept only where that
//! line alone is over the limits ([`Partial`]). [`LongLines`] and [`line`](mod@line) also cut long lines.
//!
//! [`truncate()`] does it in one call for a text in memory.

mod bounds;
mod collector;
mod head;
mod keyed;
pub mod line;
mod long_lines;
mod tail;

pub use bounds::{Bounds, BytesAs, Limit, Meter};
pub use collector::Collector;
pub use keyed::{KeyForms, KeyLine, KeySpace, Reports};
pub use long_lines::LongLines;

use serde::{Deserialize, Serialize};

use crate::text::{Extent, as_index};
use keyed::Gap;

/// Cuts `text` to at most `bounds`, and keeps the lines that `keep` names.
///
/// The first lines, as for a file or a list:
///
/// ```
/// use cutline_core::truncate::{Bounds, Keep, truncate};
/// let kept = truncate("one\ntwo\nthree\nfour\n", Bounds::new(2, 30_000), Keep::Head);
/// assert_eq!(kept.content, "one\ntwo");
/// assert_eq!((kept.output.lines, kept.total.lines), (2, 4));
/// ```
///
/// The last lines, as for the output of a command:
///
/// ```
/// # use cutline_core::truncate::{Bounds, Keep, truncate};
/// let kept = truncate("one\ntwo\nthree\nfour\n", Bounds::new(2, 30_000), Keep::Tail);
/// assert_eq!(kept.content, "three\nfour");
/// ```
///
/// Both, with the gap marked:
///
/// ```
/// # use cutline_core::truncate::{Bounds, Keep, truncate};
/// let kept = truncate("one\ntwo\nthree\nfour\n", Bounds::new(2, 30_000), Keep::Both { head: 1 });
/// assert_eq!(kept.content, "one\nfour");
/// assert_eq!(kept.into_marked(), "one\n[...Output truncated: 2 lines omitted...]\nfour");
/// ```
///
/// A text that fits is returned unchanged:
///
/// ```
/// # use cutline_core::truncate::{Bounds, Keep, truncate};
/// let kept = truncate("one\ntwo\n", Bounds::new(2, 30_000), Keep::Tail);
/// assert!(kept.cut.is_none() && kept.content == "one\ntwo\n");
/// ```
///
/// Tokens may be limited too:
///
/// ```
/// # use cutline_core::truncate::{Bounds, Keep, truncate};
/// use cutline_core::truncate::TruncatedBy;
/// let bounds = Bounds { tokens: Some(8), ..Bounds::new(2000, 30_000) };
/// let kept = truncate("let a = 1;\nlet b = 2;\n", bounds, Keep::Head);
/// assert_eq!(kept.content, "let a = 1;");
/// assert_eq!(kept.cut.unwrap().by, TruncatedBy::Tokens);
/// ```
pub fn truncate(text: &str, bounds: Bounds, keep: Keep) -> Truncation {
    let mut collector = Collector::new(bounds, keep);
    collector.push(text);
    collector.finish()
}

/// The lines of a text that are kept. If the end is kept and the last line alone exceeds the limits, its end is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first lines, without parts of lines. Keeps nothing if the first line exceeds the limits.
    WholeLines,
    /// The first lines. If the first line alone exceeds the limits, its start.
    Head,
    /// The last lines.
    Tail,
    /// Some from the start and some from the end, with a gap between them. Lines that the start does not use are not given
    /// to the end.
    Both {
        /// Lines from the start. At most one less than the limit are kept, so that at least one line is from the end.
        head: u64,
    },
    /// The first and the last lines of a text that exceeds the limits, with key lines between them, in about this many bytes
    /// at most. Its parts are the constants `SHORT_…` of `collector.rs`. They also limit lines, so short lines take less.
    Short {
        /// The bytes.
        bytes: u64,
    },
}

/// The part of a text that a collector kept, and the counts of the full text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Truncation {
    /// The text that was kept. If nothing was cut, this is the text unchanged. Otherwise it ends before the newline of
    /// its last line, which can be empty. With key lines, each gap has a marker in it, also at the start or the end.
    /// Without key lines, [`into_marked`](Self::into_marked) adds one.
    pub content: String,
    /// Lines and bytes of everything that was pushed. If long lines were cut before, only what is left of them counts.
    pub total: Extent,
    /// Lines and bytes of UTF-8 of `content`, with key lines, but without the markers for gaps. The newline of its last line
    /// does not count.
    pub output: Extent,
    /// The cut; `None` if `content` is everything.
    pub cut: Option<Cut>,
    /// The key lines in `content`, from the part that is omitted.
    pub key_lines: Vec<KeyLine>,
    /// How many lines report a failure, if there are key lines.
    pub reports: Option<Reports>,
}

impl Truncation {
    /// Returns the result for a text from which `content`, with `lines` lines, was kept.
    pub fn new(content: String, lines: u64, total: Extent, cut: Option<Cut>) -> Self {
        let mut kept = Self { content, total, cut, ..Self::default() };
        kept.output = Extent { lines, bytes: kept.body().len() as u64 };
        kept
    }

    /// Returns the content with a marker for the gap between the first and the last lines.
    pub fn into_marked(mut self) -> String {
        let Gap { before, after } = Gap::of(&self);
        let has_both_ends = before > 0 && after <= self.total.lines;
        if let Some(cut) =
            self.cut.filter(|_| has_both_ends && self.key_lines.is_empty() && before + 1 < after)
        {
            let lines = after - before - 1;
            let noun = if lines == 1 { "line" } else { "lines" };
            let marker = format!("[...Output truncated: {lines} {noun} omitted...]\n");
            self.content.insert_str(as_index(cut.head.bytes), &marker);
        }
        self.content
    }

    /// Returns the content without the newline of its last line.
    fn body(&self) -> &str {
        match self.cut {
            None => self.content.strip_suffix('\n').unwrap_or(&self.content),
            Some(_) => &self.content,
        }
    }
}

/// The way a text was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The limit that was reached first. For [`Keep::Short`], and for [`Keep::Both`] if fewer lines are kept than it
    /// allows, the limit that the full text exceeds.
    pub by: TruncatedBy,
    /// The line of which only a part was kept.
    pub partial: Option<Partial>,
    /// Lines and bytes of the content that are the text's start. If lines of its end follow, the newline between them is
    /// included.
    pub head: Extent,
}

/// The limit that cut a text. If the limit of lines was reached at the same time as another, it is `Lines`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TruncatedBy {
    /// The number of lines.
    Lines,
    /// The number of bytes.
    Bytes,
    /// The number of tokens.
    Tokens,
}

/// The one line of which a part was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partial {
    /// The start of the text's first line, which alone is over the limit.
    FirstLine,
    /// The end of the text's last line, which alone is over the limit.
    LastLine,
}

/// Returns the part of `line`, which does not fit, that is within `bytes` of UTF-8 and, after what was measured
/// `before`, within all limits; and the limit that comes first. `part` gives a start or an end of a text, of so many
/// bytes at most.
fn part_within(
    line: &str,
    bytes: usize,
    before: Meter,
    part: fn(&str, usize) -> &str,
) -> (&str, TruncatedBy) {
    let exceeded = |text: &str| {
        let mut meter = before;
        meter.push(text);
        meter.exceeded()
    };
    let most = part(line, bytes);
    let Some(mut by) = exceeded(most) else { return (most, TruncatedBy::Bytes) };
    // More text is never less of anything.
    let (mut fits, mut over) = (0, most.len());
    while over - fits > 1 {
        let middle = usize::midpoint(fits, over);
        match exceeded(part(most, middle)) {
            None => fits = middle,
            Some(limit) => (over, by) = (middle, limit),
        }
    }
    (part(most, fits), by)
}

#[cfg(test)]
mod tests;
