//! Keeping the end of a text.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

use crate::text::{self, Counter, Extent};

use super::{Bounds, Collector, Cut, Meter, Partial, TruncatedBy, Truncation, as_index, part_within};

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

    /// Takes the first bytes of all that passed away from what is held.
    pub(super) fn drop_first(&mut self, bytes: u64) {
        let rest = as_index(self.total.extent().bytes - bytes);
        self.dropped = self.recent.len() < rest;
        self.recent.drain(..self.recent.len().saturating_sub(rest));
    }

    /// Returns what of the end is within `bounds`, which are at most those of the collector.
    pub(super) fn end(&self, bounds: Bounds) -> Truncation {
        let (total, recent) = (self.total.extent(), &self.recent);
        let body = recent.strip_suffix('\n').unwrap_or(recent);
        let (start, lines, by) = self.fitting(body, bounds);
        let Some(by) = by else {
            return Truncation::new(recent.clone(), Extent::of(recent).lines, total, None);
        };
        let (content, partial, by) = match lines {
            0 => {
                let (end, by) = part_within(body, as_index(bounds.bytes), Meter::new(bounds), text::suffix);
                (end, Some(Partial::LastLine), by)
            }
            _ => (&body[start..], None, by),
        };
        let cut = Cut { by, partial, head: Extent::default() };
        Truncation::new(content.to_owned(), lines.max(1), total, Some(cut))
    }

    /// Returns the offset in `body` of the last whole lines that fit, their number, and the limit
    /// that stopped there; `None` if that is all.
    fn fitting(&self, body: &str, bounds: Bounds) -> (usize, u64, Option<TruncatedBy>) {
        let (mut start, mut lines) = (body.len(), 0);
        let mut meter = Meter::new(bounds);
        loop {
            // The line before `start` ends at `end`; only the last one has no newline of its own.
            let end = if lines == 0 { body.len() } else { start - 1 };
            let begin = memchr::memrchr(b'\n', &body.as_bytes()[..end]);
            let whole = begin.is_some() || !self.dropped;
            let begin = begin.map_or(0, |newline| newline + 1);
            if lines == bounds.lines {
                return (start, lines, Some(TruncatedBy::Lines));
            }
            if !whole || (body.len() - begin) as u64 > bounds.bytes {
                return (start, lines, Some(TruncatedBy::Bytes));
            }
            meter.add_line(&body[begin..start]);
            if let Some(by) = meter.exceeded() {
                return (start, lines, Some(by));
            }
            (start, lines) = (begin, lines + 1);
            if start == 0 {
                return (start, lines, None);
            }
        }
    }
}

impl Collector for Tail {
    fn push(&mut self, text: &str) {
        self.total.push(text.as_bytes());
        let (needed, mut new) = (self.needed(), text);
        if self.recent.len() + text.len() > needed.saturating_mul(2) {
            let surplus = (self.recent.len() + text.len()).saturating_sub(needed);
            let of_text = surplus.saturating_sub(self.recent.len());
            new = &text[text.floor_char_boundary(of_text)..];
            self.recent.drain(..self.recent.floor_char_boundary(surplus));
            self.dropped = true;
        }
        self.recent.push_str(new);
    }

    fn finish(&mut self) -> Truncation {
        self.end(self.bounds)
    }
}
