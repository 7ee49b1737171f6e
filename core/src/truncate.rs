//! The truncation layer: a part of a text that fits, and the truth about the rest.
//!
//! A [`Collector`] takes decoded text piece by piece. Its memory is bounded by its [`Bounds`], its
//! counts are of everything that passed. Text is cut once, here, and only at a line's end: a part
//! of a line is kept only by a collector that says so ([`Partial`]).
//!
//! | to keep | collector |
//! | --- | --- |
//! | the first lines | [`Head`] |
//! | the last lines | [`Tail`] |
//! | both ends, with a gap between them | [`HeadTail`] |
//! | what is decided at run time | [`Ends`], for a [`Keep`] |
//!
//! [`truncate()`] does it in one call for a text in memory.

mod head;
mod head_tail;
pub mod line;
mod tail;

pub use head::Head;
pub use head_tail::HeadTail;
pub use tail::Tail;

use derive_more::Display;
use serde::{Deserialize, Serialize};

use crate::text::{Extent, Size, TokenCounter, as_index};

/// Cuts `text` to at most `max_lines` lines and `max_bytes` bytes, of which it keeps the ends that
/// `direction` names. One line that alone is over the bytes is kept in part.
///
/// The first lines, as for a file or a list:
///
/// ```
/// use cutline_core::truncate::{Direction, truncate};
/// let kept = truncate("one\ntwo\nthree\nfour\n", 2, 30_000, Direction::Head);
/// assert_eq!(kept.content, "one\ntwo");
/// assert_eq!((kept.output.lines, kept.total.lines), (2, 4));
/// ```
///
/// The last lines, as for the output of a command, whose errors are at its end:
///
/// ```
/// # use cutline_core::truncate::{Direction, truncate};
/// let kept = truncate("one\ntwo\nthree\nfour\n", 2, 30_000, Direction::Tail);
/// assert_eq!(kept.content, "three\nfour");
/// ```
///
/// Both, with the gap marked:
///
/// ```
/// # use cutline_core::truncate::{Direction, truncate};
/// use cutline_core::notice::Omission;
/// let mut kept = truncate("one\ntwo\nthree\nfour\n", 2, 30_000, Direction::HeadTail);
/// let omitted = Omission(kept.total.lines - kept.output.lines);
/// if let Some(gap) = kept.cut.and_then(|cut| cut.gap) {
///     kept.content.insert_str(gap.at, &format!("{omitted}\n"));
/// }
/// assert_eq!(kept.content, "one\n[...Output truncated: 2 lines omitted...]\nfour");
/// ```
///
/// A text that fits is given back as it is:
///
/// ```
/// # use cutline_core::truncate::{Direction, truncate};
/// let kept = truncate("one\ntwo\n", 2, 30_000, Direction::Tail);
/// assert!(kept.cut.is_none() && kept.content == "one\ntwo\n");
/// ```
pub fn truncate(text: &str, max_lines: u64, max_bytes: u64, direction: Direction) -> Truncation {
    truncate_within(text, Bounds::new(max_lines, max_bytes), direction)
}

/// Cuts `text` as [`truncate()`] does, to `bounds`, which may limit its tokens too.
///
/// ```
/// use cutline_core::truncate::{Bounds, Direction, TruncatedBy, truncate_within};
/// let bounds = Bounds::new(2000, 30_000).with_tokens(Some(8));
/// let kept = truncate_within("let a = 1;\nlet b = 2;\n", bounds, Direction::Head);
/// assert_eq!(kept.content, "let a = 1;");
/// assert_eq!(kept.cut.unwrap().by, TruncatedBy::Tokens);
/// ```
pub fn truncate_within(text: &str, bounds: Bounds, direction: Direction) -> Truncation {
    let head = bounds.lines / 2;
    let keep = match direction {
        Direction::Head => Keep::Head(bounds.lines),
        Direction::Tail => Keep::Tail(bounds.lines),
        Direction::HeadTail => Keep::Both { head, tail: bounds.lines - head },
    };
    let mut collector = Ends::within(keep, bounds);
    collector.push(text);
    collector.finish()
}

/// The end of a text that [`truncate()`] keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The first lines.
    Head,
    /// The last lines.
    Tail,
    /// One half of the lines from the start, the other from the end.
    HeadTail,
}

/// Takes text piece by piece and keeps as much of it as its bounds allow.
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, HeadTail, Truncation};
/// fn read_all(mut collector: impl Collector, pieces: &[&str]) -> Truncation {
///     pieces.iter().for_each(|piece| collector.push(piece));
///     collector.finish()
/// }
/// let kept = read_all(HeadTail::new(Bounds::new(2, 100)), &["a\nb", "b\nc", "\n"]);
/// assert_eq!(kept.content, "a\nc");
/// ```
pub trait Collector {
    /// Takes the next piece.
    fn push(&mut self, text: &str);

    /// Returns the text that was kept, and the counts of all that passed.
    fn finish(self) -> Truncation;
}

/// The most of a text that may be kept; both above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Lines at most.
    pub lines: u64,
    /// Bytes of UTF-8 at most, with the newlines between lines and without a final one.
    pub bytes: u64,
    /// Tokens at most, by the estimate of [`tokens`](crate::text::tokens); any number if `None`.
    pub tokens: Option<u64>,
}

impl Bounds {
    /// Returns bounds of lines and bytes, with any number of tokens.
    pub const fn new(lines: u64, bytes: u64) -> Self {
        Self { lines, bytes, tokens: None }
    }

    /// Returns the same with at most this many tokens, if any.
    #[must_use]
    pub const fn with_tokens(self, tokens: Option<u64>) -> Self {
        Self { tokens, ..self }
    }

    /// Returns the limit of size that `by` says, for a notice; `None` for the lines.
    pub fn size_limit(&self, by: TruncatedBy) -> Option<SizeLimit> {
        match by {
            TruncatedBy::Lines => None,
            TruncatedBy::Bytes => Some(SizeLimit::Bytes(self.bytes)),
            TruncatedBy::Tokens => self.tokens.map(SizeLimit::Tokens),
        }
    }

    /// True if `tokens` are within the limit of tokens.
    fn hold(&self, tokens: &TokenCounter) -> bool {
        self.tokens.is_none_or(|max| tokens.count() <= max)
    }

    /// True if the tokens of `text`, the start of a text or the last lines of it, are within their limit.
    fn hold_text(&self, text: &str) -> bool {
        self.tokens.is_none() || self.hold(&TokenCounter::of(text))
    }
}

/// A limit of the size of a text, as it stands before the word: `30KB`, `8000 token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum SizeLimit {
    /// This many bytes.
    #[display("{}", Size(*_0))]
    Bytes(u64),
    /// This many tokens, about.
    #[display("{_0} token")]
    Tokens(u64),
}

/// The part of a text that a collector kept, and the counts of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Truncation {
    /// The text that was kept. If nothing was cut, all of it as it was; else without a final newline.
    pub content: String,
    /// Lines and bytes of all that passed.
    pub total: Extent,
    /// Lines and bytes of `content`, without a final newline.
    pub output: Extent,
    /// The cut; `None` if `content` is everything.
    pub cut: Option<Cut>,
}

impl Truncation {
    /// Returns the result for a text of which `content`, of so many lines, was kept.
    fn new(content: String, lines: u64, total: Extent, cut: Option<Cut>) -> Self {
        let mut kept = Self { content, total, output: Extent::default(), cut };
        kept.output = Extent { lines, bytes: kept.body().len() as u64 };
        kept
    }

    /// Returns the content without a final newline.
    fn body(&self) -> &str {
        match self.cut {
            None => self.content.strip_suffix('\n').unwrap_or(&self.content),
            Some(_) => &self.content,
        }
    }
}

/// The way a text was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// The limit that was reached first.
    pub by: TruncatedBy,
    /// The line of which only a part was kept.
    pub partial: Option<Partial>,
    /// The gap in the content, if there are lines before it.
    pub gap: Option<Gap>,
}

/// The limit that cut a text. If both were reached at once, it is `Lines`.
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

/// A gap in the content: `content[..at]` are the first lines, `content[at..]` the last ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// Offset in `content`, in bytes, at which the last lines begin; a newline is before it.
    pub at: usize,
    /// Lines before the gap.
    pub head_lines: u64,
}

/// The lines of a text that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// This many from the start.
    Head(u64),
    /// This many from the end.
    Tail(u64),
    /// Some from the start and some from the end, with a gap between them.
    Both {
        /// Lines from the start.
        head: u64,
        /// Lines from the end; above 0.
        tail: u64,
    },
}

impl Keep {
    /// Returns the number of lines in all.
    pub fn lines(self) -> u64 {
        match self {
            Self::Head(lines) | Self::Tail(lines) => lines,
            Self::Both { head, tail } => head.saturating_add(tail),
        }
    }
}

/// The collector for a [`Keep`], for callers that learn at run time which lines are wanted.
///
/// ```
/// use cutline_core::truncate::{Collector, Ends, Keep};
/// let mut ends = Ends::new(Keep::Tail(2), 100);
/// ends.push("one\ntwo\nthree\n");
/// assert_eq!(ends.finish().content, "two\nthree");
/// ```
#[derive(Debug)]
pub enum Ends {
    /// Keeps the start, and a part of the first line if that alone is over the limit.
    Head(Head),
    /// Keeps the end, and a part of the last line if that alone is over the limit.
    Tail(Tail),
    /// Keeps both.
    Both(HeadTail),
}

impl Ends {
    /// Returns a collector that keeps `keep` of the text, within `max_bytes`.
    pub fn new(keep: Keep, max_bytes: u64) -> Self {
        Self::within(keep, Bounds::new(0, max_bytes))
    }

    /// Returns a collector that keeps `keep` of the text, within `bounds`, whose lines do not count.
    pub fn within(keep: Keep, bounds: Bounds) -> Self {
        let bounds = Bounds { lines: keep.lines(), ..bounds };
        match keep {
            Keep::Head(_) => Self::Head(Head::new(bounds).with_partial_line()),
            Keep::Tail(_) => Self::Tail(Tail::new(bounds)),
            Keep::Both { head, .. } => Self::Both(HeadTail::new(bounds).with_head_lines(head)),
        }
    }
}

impl Collector for Ends {
    fn push(&mut self, text: &str) {
        match self {
            Self::Head(head) => head.push(text),
            Self::Tail(tail) => tail.push(text),
            Self::Both(both) => both.push(text),
        }
    }

    fn finish(self) -> Truncation {
        match self {
            Self::Head(head) => head.finish(),
            Self::Tail(tail) => tail.finish(),
            Self::Both(both) => both.finish(),
        }
    }
}

/// Returns the part of `line` that is within `bytes` and, after `before`, within the tokens of `bounds`; and the limit
/// that comes first. `part` gives a start or an end of a text, of so many bytes at most.
fn part_within<'a>(
    line: &'a str,
    bytes: usize,
    before: TokenCounter,
    bounds: &Bounds,
    part: fn(&str, usize) -> &str,
) -> (&'a str, TruncatedBy) {
    let most = part(line, bytes);
    let holds = |text: &str| {
        let mut tokens = before;
        tokens.push(text);
        bounds.hold(&tokens)
    };
    if bounds.tokens.is_none() || holds(most) {
        return (most, TruncatedBy::Bytes);
    }
    // More text has never fewer tokens.
    let (mut fits, mut over) = (0, most.len());
    while over - fits > 1 {
        let middle = usize::midpoint(fits, over);
        if holds(part(most, middle)) { fits = middle } else { over = middle }
    }
    (part(most, fits), TruncatedBy::Tokens)
}

#[cfg(test)]
mod tests;
