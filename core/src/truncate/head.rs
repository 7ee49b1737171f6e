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
    /// The measure of it, up to the line with the cut.
    meter: Meter,
    /// The limit that was reached, after which text is ignored.
    pub(super) cut: Option<TruncatedBy>,
}

impl Head {
    pub(super) fn new(bounds: Bounds, partial_allowed: bool) -> Self {
        let meter = Meter::new(bounds);
        Self { bounds, partial_allowed, kept: String::new(), meter, cut: None }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, text: &str) {
        if self.cut.is_some() || text.is_empty() {
            return;
        }
        // A newline may be past the limit.
        let line = text.strip_suffix('\n').unwrap_or(text);
        let mut meter = self.meter;
        meter.push(line);
        if meter.exceeded().is_none() {
            meter.push(&text[line.len()..]);
            self.meter = meter;
            self.kept.push_str(text);
            return;
        }
        // Halves are measured in fewer steps than lines.
        let half = line.floor_char_boundary(line.len() / 2);
        let newline = line[..half].rfind('\n').or_else(|| line[half..].find('\n').map(|at| half + at));
        match newline {
            Some(newline) => {
                let (first, rest) = text.split_at(newline + 1);
                self.push(first);
                self.push(rest);
            }
            None => self.cut = Some(self.end_within(line)),
        }
    }

    /// Returns the first lines within `bounds`, which must not exceed its own. `total` has the counts of the text.
    pub(super) fn within(&self, bounds: Bounds, total: Extent) -> Truncation {
        if bounds == self.bounds || self.cut.is_none() {
            return self.finish(total);
        }
        let mut less = Self::new(bounds, self.partial_allowed);
        less.push(&self.kept);
        // The line that exceeded the limits may be the first one that does not fit.
        less.cut = less.cut.or(self.cut);
        less.finish(total)
    }

    /// Returns the kept part. `total` has the counts of the text.
    fn finish(&self, total: Extent) -> Truncation {
        let mut kept = self.kept.clone();
        let Some(by) = self.cut else { return Truncation::new(kept, total.lines, total, None) };
        let lines = Extent::of(&kept).lines;
        let partial = (lines > self.meter.newlines).then_some(Partial::FirstLine);
        if kept.ends_with('\n') {
            kept.pop();
        }
        let head = Extent { lines, bytes: kept.len() as u64 };
        Truncation::new(kept, lines, total, Some(Cut { by, partial, head }))
    }

    /// Ends the kept part within `line`, which exceeds a limit, or before it if no part of a line may be kept.
    /// Returns the first limit that was reached.
    fn end_within(&mut self, line: &str) -> TruncatedBy {
        let room = as_index(self.bounds.bytes).saturating_sub(self.kept.len());
        let (start, by) = part_within(line, room, self.meter, text::prefix);
        if self.partial_allowed && self.meter.newlines == 0 {
            self.kept.push_str(start);
        } else {
            self.kept.truncate(self.kept.rfind('\n').map_or(0, |newline| newline + 1));
        }
        by
    }
}
