//! Keeping the start of a text.

use super::{Bounds, Cut, Meter, Partial, TruncatedBy, Truncation, as_index, part_within};
use crate::text::{self, Extent};

/// Keeps the first lines that fit.
#[derive(Debug)]
pub(super) struct Head {
    bounds: Bounds,
    /// True if the start of the first line is kept where that alone is over the limits.
    partial_allowed: bool,
    /// Whole lines with their newlines, then the line that is being taken in.
    pub(super) kept: String,
    /// Whole lines in `kept`.
    lines: u64,
    /// The measure of `kept`.
    meter: Meter,
    /// The limit past which more text is of no use.
    pub(super) cut: Option<TruncatedBy>,
}

impl Head {
    pub(super) fn new(bounds: Bounds, partial_allowed: bool) -> Self {
        let meter = Meter::new(bounds);
        Self { bounds, partial_allowed, kept: String::new(), lines: 0, meter, cut: None }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, text: &str) {
        let mut pieces = self.take_sure(text).split_inclusive('\n');
        while self.cut.is_none()
            && let Some(piece) = pieces.next()
        {
            self.take(piece);
        }
    }

    /// Returns what is kept of a text with the counts `total`.
    pub(super) fn finish(self, total: Extent) -> Truncation {
        let Self { mut kept, .. } = self;
        let Some(by) = self.cut else { return Truncation::new(kept, total.lines, total, None) };
        let lines = Extent::of(&kept).lines;
        let partial = (lines > self.lines).then_some(Partial::FirstLine);
        if kept.ends_with('\n') {
            kept.pop();
        }
        let head = Extent { lines, bytes: kept.len() as u64 };
        Truncation::new(kept, lines, total, Some(Cut { by, partial, head }))
    }

    /// Takes in the start of `text` that is surely within the limits of lines and bytes, where there are no others: whole
    /// lines, or all. Returns the rest.
    fn take_sure<'a>(&mut self, text: &'a str) -> &'a str {
        if self.cut.is_some() || !self.meter.is_idle() {
            return text;
        }
        let room = as_index(self.bounds.bytes).saturating_sub(self.kept.len());
        let end = if text.len() < room { text.len() } else { end_of_lines(text::prefix(text, room)) };
        let (sure, rest) = text.split_at(end);
        let newlines = memchr::memchr_iter(b'\n', sure.as_bytes()).count() as u64;
        if self.lines + newlines >= self.bounds.lines {
            return text;
        }
        self.kept.push_str(sure);
        self.lines += newlines;
        rest
    }

    /// Takes in one line or a part of it; its newline included where it ends here.
    fn take(&mut self, piece: &str) {
        let line = piece.strip_suffix('\n').unwrap_or(piece);
        if self.lines == self.bounds.lines {
            self.cut = Some(TruncatedBy::Lines);
            return;
        }
        let mut meter = self.meter;
        meter.push(line);
        if (self.kept.len() + line.len()) as u64 > self.bounds.bytes || meter.exceeded().is_some() {
            // A newline may be past the limit.
            let room = as_index(self.bounds.bytes).saturating_sub(self.kept.len());
            let (start, by) = part_within(line, room, self.meter, text::prefix);
            if self.partial_allowed && self.lines == 0 {
                self.kept.push_str(start);
            } else {
                self.kept.truncate(end_of_lines(&self.kept));
            }
            self.cut = Some(by);
            return;
        }
        self.kept.push_str(piece);
        self.meter = meter;
        if line.len() < piece.len() {
            self.meter.push("\n");
            self.lines += 1;
        }
    }
}

/// Returns the bytes of `text` up to its last newline.
fn end_of_lines(text: &str) -> usize {
    memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |newline| newline + 1)
}
