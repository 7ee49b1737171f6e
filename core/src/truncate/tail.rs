//! Keeping the end of a text.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

use crate::text::{self, Counter, Extent, TokenCounter};

use super::{Bounds, Collector, Cut, Partial, TruncatedBy, Truncation, as_index, as_u64};

/// Keeps the last lines that fit, or the end of the last line if that alone does not.
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, Tail};
/// let mut tail = Tail::new(Bounds::new(2, 100));
/// tail.push("one\ntwo\nthree\n");
/// assert_eq!(tail.finish().content, "two\nthree");
/// ```
#[derive(Debug)]
pub struct Tail {
    bounds: Bounds,
    /// The end of the text: everything, or at least [`Tail::needed`] bytes of it.
    recent: String,
    /// True if text before `recent` was dropped.
    dropped: bool,
    total: Counter,
}

impl Tail {
    /// Returns a collector that keeps as much as `bounds` allow.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, recent: String::new(), dropped: false, total: Counter::default() }
    }

    /// Returns the bytes of the end that decide what is kept: the limit, a final newline, the newline that
    /// shows that a line begins there, and a character cut in two.
    fn needed(&self) -> usize {
        as_index(self.bounds.bytes).saturating_add(2 + 4)
    }

    fn forget(&mut self, keep: usize) {
        let from = self.recent.floor_char_boundary(self.recent.len().saturating_sub(keep));
        if from > 0 {
            self.recent.drain(..from);
            self.dropped = true;
        }
    }

    /// Returns the offset in `body` of the last whole lines that fit, their number, and the limit
    /// that stopped there.
    fn fitting(&self, body: &str) -> (usize, u64, Option<TruncatedBy>) {
        let (mut start, mut lines) = (body.len(), 0);
        let mut tokens = TokenCounter::default();
        loop {
            // The line before `start` ends at `end`; only the last one has no newline of its own.
            let end = if lines == 0 { body.len() } else { start - 1 };
            let begin = memchr::memrchr(b'\n', &body.as_bytes()[..end]);
            let whole = begin.is_some() || !self.dropped;
            let begin = begin.map_or(0, |newline| newline + 1);
            if lines == self.bounds.lines {
                return (start, lines, Some(TruncatedBy::Lines));
            }
            if !whole || as_u64(body.len() - begin) > self.bounds.bytes {
                return (start, lines, Some(TruncatedBy::Bytes));
            }
            if self.bounds.tokens.is_some() {
                tokens.add_line(&body[begin..start]);
                if !self.bounds.hold(&tokens) {
                    return (start, lines, Some(TruncatedBy::Tokens));
                }
            }
            (start, lines) = (begin, lines + 1);
            if start == 0 {
                // With something dropped before, `start` is 0 only by the newline that was seen.
                return (start, lines, None);
            }
        }
    }

    /// Returns the end of `body`, of its last line alone, that is within the bytes and the tokens, and the
    /// limit that it comes to.
    fn end_of<'a>(&self, body: &'a str) -> (&'a str, TruncatedBy) {
        let end = text::suffix(body, as_index(self.bounds.bytes));
        if self.bounds.hold_text(end) {
            return (end, TruncatedBy::Bytes);
        }
        let (mut fits, mut over) = (0, end.len());
        while over - fits > 1 {
            let middle = usize::midpoint(fits, over);
            if self.bounds.hold_text(text::suffix(end, middle)) { fits = middle } else { over = middle }
        }
        (text::suffix(end, fits), TruncatedBy::Tokens)
    }
}

impl Collector for Tail {
    fn push(&mut self, text: &str) {
        self.total.push(text.as_bytes());
        let needed = self.needed();
        if text.len() >= needed {
            self.dropped |= !self.recent.is_empty();
            self.recent.clear();
            let from = text.floor_char_boundary(text.len() - needed);
            self.recent.push_str(&text[from..]);
            self.dropped |= from > 0;
            return;
        }
        if self.recent.len() + text.len() > needed.saturating_mul(2) {
            self.forget(needed.saturating_sub(text.len()));
        }
        self.recent.push_str(text);
    }

    fn finish(self) -> Truncation {
        let total = self.total.extent();
        let body = self.recent.strip_suffix('\n').unwrap_or(&self.recent);
        let whole =
            !self.dropped && total.lines <= self.bounds.lines && as_u64(body.len()) <= self.bounds.bytes;
        let whole = whole && self.bounds.hold_text(body);
        if whole {
            return Truncation::whole(self.recent, total);
        }
        let (start, lines, by) = self.fitting(body);
        let (content, partial, by) = match lines {
            0 => {
                let (end, by) = self.end_of(body);
                (end, Some(Partial::LastLine), by)
            }
            _ => (&body[start..], None, by.unwrap_or(TruncatedBy::Lines)),
        };
        let output = Extent { lines: lines.max(1), bytes: as_u64(content.len()) };
        let content = content.to_owned();
        Truncation { content, total, output, cut: Some(Cut { by, partial, gap: None }) }
    }
}
