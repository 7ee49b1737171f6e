//! The truncation layer: what of a text is kept, and the truth about the rest.
//!
//! A [`Collector`] takes decoded text piece by piece. Its memory is bounded by its [`Bounds`], its
//! counts are of everything that passed. Text is cut once, here, and only at a line's end: a part
//! of a line is kept only where a collector was told that it may ([`Partial`]).
//!
//! Nothing here words anything for the model (`notice`) or knows where the text comes from.

mod head;
mod head_tail;
pub mod line;
mod tail;

pub use head::Head;
pub use head_tail::HeadTail;
pub use tail::Tail;

use crate::text::{Extent, as_index};

/// Takes text piece by piece and keeps of it what its bounds allow.
pub trait Collector {
    /// Takes the next piece.
    fn push(&mut self, text: &str);

    /// What was kept, and what is to be said of the rest.
    fn finish(self) -> Truncation;
}

/// How much of a text may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Lines at most.
    pub lines: u64,
    /// Bytes of UTF-8 at most, with the newlines between lines and without a final one.
    pub bytes: u64,
}

/// What a collector kept of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncation {
    /// The text that was kept. Whole and as it was where nothing was cut; else without a final newline.
    pub content: String,
    /// All that passed.
    pub total: Extent,
    /// What `content` holds; its bytes without a final newline.
    pub output: Extent,
    /// How it was cut; `None` where `content` is everything.
    pub cut: Option<Cut>,
}

/// How a text was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The limit that was reached first.
    pub by: TruncatedBy,
    /// Whether a part of a line was kept, and of which.
    pub partial: Option<Partial>,
    /// Where the content has a gap, with lines before and after it.
    pub gap: Option<Gap>,
}

/// The limit that cut a text. Where both were reached at once, it is `Lines`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruncatedBy {
    /// The number of lines.
    Lines,
    /// The number of bytes.
    Bytes,
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
pub struct Gap {
    /// The byte of `content` at which the last lines begin; what is before ends with a newline, or is empty.
    pub at: usize,
    /// How many lines are before the gap.
    pub head_lines: u64,
}

/// Which ends of a text are kept, in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first lines.
    Head(u64),
    /// The last lines.
    Tail(u64),
    /// The first and the last lines, with a gap between them.
    Both {
        /// Lines from the start; above 0.
        head: u64,
        /// Lines from the end; above 0.
        tail: u64,
    },
}

impl Keep {
    /// Lines in all.
    pub fn lines(self) -> u64 {
        match self {
            Self::Head(lines) | Self::Tail(lines) => lines,
            Self::Both { head, tail } => head.saturating_add(tail),
        }
    }
}

/// The collector for a [`Keep`], for callers that learn at run time which ends are wanted.
#[derive(Debug)]
pub enum Ends {
    /// Keeps the start, and a part of the first line where that alone is over the limit.
    Head(Head),
    /// Keeps the end, and a part of the last line where that alone is over the limit.
    Tail(Tail),
    /// Keeps both.
    Both(HeadTail),
}

impl Ends {
    /// A collector that keeps `keep` of what passes, within `max_bytes`.
    pub fn new(keep: Keep, max_bytes: u64) -> Self {
        let bounds = |lines| Bounds { lines, bytes: max_bytes };
        match keep {
            Keep::Head(lines) => Self::Head(Head::with_partial_line(bounds(lines))),
            Keep::Tail(lines) => Self::Tail(Tail::new(bounds(lines))),
            Keep::Both { head, tail } => Self::Both(HeadTail::new(head, tail, max_bytes)),
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

/// Lines of a text that has no final newline to speak of: `"a\nb"` is 2, `""` is 0.
fn lines_of(text: &str) -> u64 {
    match text.as_bytes() {
        [] => 0,
        [.., b'\n'] => newlines(text),
        _ => newlines(text) + 1,
    }
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

fn as_u64(len: usize) -> u64 {
    len as u64
}

#[cfg(test)]
mod tests;
