//! Keeping the start of a text.

use crate::text::{self, Counter, Extent};

use super::{Bounds, Collector, Cut, Meter, Partial, TruncatedBy, Truncation, as_index, part_within};

/// Keeps the first lines that fit.
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, Head};
/// let mut head = Head::new(Bounds::new(2, 100));
/// head.push("one\ntwo\nthree\n");
/// let kept = head.finish();
/// assert_eq!(kept.content, "one\ntwo");
/// assert_eq!((kept.output.lines, kept.total.lines), (2, 3));
/// ```
#[derive(Debug)]
pub struct Head {
    bounds: Bounds,
    /// True if the start of the first line is kept where that alone is over the limits.
    partial_allowed: bool,
    /// Whole lines with their newlines, then the line that is being taken in.
    kept: String,
    /// Whole lines in `kept`.
    lines: u64,
    /// The measure of `kept`.
    meter: Meter,
    cut: Option<TruncatedBy>,
    total: Counter,
}

impl Head {
    /// Returns a collector that keeps whole lines only: none if the first is over the byte limit.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            partial_allowed: false,
            kept: String::new(),
            lines: 0,
            meter: Meter::new(bounds),
            cut: None,
            total: Counter::default(),
        }
    }

    /// Returns the same that keeps the start of the first line, if that alone is over the limits.
    pub fn with_partial_line(bounds: Bounds) -> Self {
        Self { partial_allowed: true, ..Self::new(bounds) }
    }

    /// True if more text would only be counted.
    pub fn is_full(&self) -> bool {
        self.cut.is_some()
    }

    /// Takes in the start of `text` that is surely within the limits of lines and bytes, where there are no others: whole
    /// lines, or all. Returns the rest.
    fn take_sure<'a>(&mut self, text: &'a str) -> &'a str {
        if self.is_full() || !self.meter.is_idle() {
            return text;
        }
        let room = as_index(self.bounds.bytes).saturating_sub(self.kept.len());
        let end = match text.as_bytes().get(..room) {
            Some(start) => memchr::memrchr(b'\n', start).map_or(0, |newline| newline + 1),
            None => text.len(),
        };
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
                self.kept.truncate(self.kept.rfind('\n').map_or(0, |newline| newline + 1));
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

impl Collector for Head {
    fn push(&mut self, text: &str) {
        self.total.push(text.as_bytes());
        for piece in self.take_sure(text).split_inclusive('\n') {
            if self.is_full() {
                return;
            }
            self.take(piece);
        }
    }

    fn finish(&mut self) -> Truncation {
        let (total, mut kept) = (self.total.extent(), std::mem::take(&mut self.kept));
        let Some(by) = self.cut else { return Truncation::new(kept, total.lines, total, None) };
        let lines = Extent::of(&kept).lines;
        let partial = (lines > self.lines).then_some(Partial::FirstLine);
        if kept.ends_with('\n') {
            kept.pop();
        }
        let head = Extent { lines, bytes: kept.len() as u64 };
        Truncation::new(kept, lines, total, Some(Cut { by, partial, head }))
    }
}
