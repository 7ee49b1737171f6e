//! Keeping the start of a text.

use super::{Bounds, Cut, Meter, Partial, TruncatedBy, Truncation, as_index, part_within};
use crate::text::{self, Extent};

/// Keeps the first lines that fit.
#[derive(Debug, Clone)]
pub(super) struct Head {
    bounds: Bounds,
    /// True if the start of the first line is kept if that line exceeds the limits.
    partial_allowed: bool,
    /// Complete lines with their newlines, and the start of the current line.
    pub(super) kept: String,
    /// Number of complete lines in it.
    lines: u64,
    /// The measure of it.
    meter: Meter,
    /// The limit that was reached, after which text is ignored.
    pub(super) cut: Option<TruncatedBy>,
}

impl Head {
    pub(super) fn new(bounds: Bounds, partial_allowed: bool) -> Self {
        let meter = Meter::new(bounds);
        Self { bounds, partial_allowed, kept: String::new(), lines: 0, meter, cut: None }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() || self.cut.is_some() || self.take(text) {
            return;
        }
        // Where not all of it is within the limits, half of its lines may be.
        let (first, rest) = text.as_bytes().split_at(text.len() / 2);
        let end = memchr::memrchr(b'\n', first).map(|at| at + 1);
        let end = end.or_else(|| memchr::memchr(b'\n', rest).map(|at| first.len() + at + 1));
        if let Some(end) = end.filter(|end| *end < text.len()) {
            let (first, rest) = text.split_at(end);
            self.push(first);
            self.push(rest);
        } else if self.lines == self.bounds.lines {
            self.cut = Some(TruncatedBy::Lines);
        } else {
            self.cut = Some(self.end_within(text));
        }
    }

    /// Returns the part within `bounds`, which must not exceed its own. `total` has the counts of the text.
    pub(super) fn within(&self, bounds: Bounds, total: Extent) -> Truncation {
        if bounds == self.bounds || self.cut.is_none() {
            return self.finish(total);
        }
        let mut less = Self::new(bounds, self.partial_allowed);
        less.push(&self.kept);
        less.finish(total)
    }

    /// Returns the kept part. `total` has the counts of the text.
    fn finish(&self, total: Extent) -> Truncation {
        let mut kept = self.kept.clone();
        let Some(by) = self.cut else { return Truncation::new(kept, total.lines, total, None) };
        let lines = Extent::of(&kept).lines;
        let partial = (lines > self.lines).then_some(Partial::FirstLine);
        if kept.ends_with('\n') {
            kept.pop();
        }
        let head = Extent { lines, bytes: kept.len() as u64 };
        Truncation::new(kept, lines, total, Some(Cut { by, partial, head }))
    }

    /// Adds `text` if it is within the limits. Otherwise returns false.
    fn take(&mut self, text: &str) -> bool {
        // A newline may be past the limit.
        let inside = text.strip_suffix('\n').unwrap_or(text);
        if (self.kept.len() + inside.len()) as u64 > self.bounds.bytes {
            return false;
        }
        let newlines = memchr::memchr_iter(b'\n', inside.as_bytes()).count() as u64;
        let mut meter = self.meter;
        meter.push(inside);
        if self.lines + newlines >= self.bounds.lines || meter.exceeded().is_some() {
            return false;
        }
        meter.push(&text[inside.len()..]);
        self.kept.push_str(text);
        self.meter = meter;
        self.lines += newlines + (text.len() - inside.len()) as u64;
        true
    }

    /// Ends the kept part within `line`, which exceeds the bytes or tokens, or before it if no part of a line may be kept.
    /// Returns the first limit that was reached.
    fn end_within(&mut self, line: &str) -> TruncatedBy {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let room = as_index(self.bounds.bytes).saturating_sub(self.kept.len());
        let (start, by) = part_within(line, room, self.meter, text::prefix);
        if self.partial_allowed && self.lines == 0 {
            self.kept.push_str(start);
        } else {
            self.kept.truncate(self.kept.rfind('\n').map_or(0, |newline| newline + 1));
        }
        by
    }
}
