//! The body of a page: whole units within the limits, and the count of what does not fit.
//!
//! A unit is a name, or a match line with its context up to the next match; it is shown whole or not at
//! all, so that pages that follow each other leave no context out. Of the first match the context goes,
//! from the outside in, where it does not fit; the line itself is always shown, cut to the byte limit
//! where it is far over that. After the first thing
//! that does not fit nothing more is shown, only counted.

use std::borrow::Cow;
use std::collections::VecDeque;

use cutline_core::details::TruncationDetails;
use cutline_core::text::tokens::estimate;
use cutline_core::text::{self, Extent, as_index};
use cutline_core::truncate::line::MARK;
use cutline_core::truncate::{Bounds, Meter, TruncatedBy};

use super::SHOWN_BYTES;

/// The line between groups that do not touch.
pub(in crate::tools) const SEPARATOR: &str = "--";

/// A line as it is shown.
#[derive(Debug, Clone)]
pub(in crate::tools) struct Line {
    pub(in crate::tools) text: String,
    /// Bytes of the path that it begins with.
    pub(in crate::tools) path: usize,
    /// Bytes that it was cut from, if it was cut to the limit of characters.
    pub(in crate::tools) cut_from: Option<u64>,
}

impl Line {
    /// A line that is a path, or another name.
    pub(in crate::tools) fn name(text: String) -> Self {
        Self { path: text.len(), text, cut_from: None }
    }

    /// The line in so many bytes: of the path the middle goes, where that is more than half of them,
    /// of the rest the end.
    fn shorten(&mut self, max_bytes: u64) {
        let max = as_index(max_bytes);
        if self.text.len() <= max {
            return;
        }
        let (path, rest) = self.text.split_at_checked(self.path).unwrap_or((&self.text, ""));
        let room = if rest.is_empty() { max } else { (max / 2).max(max.saturating_sub(rest.len())) };
        let path = shortened(path, room);
        let room = max - path.len().min(max);
        let rest = if rest.len() <= room {
            rest.to_owned()
        } else {
            let bare = rest.strip_suffix(MARK).unwrap_or(rest);
            [text::prefix(bare, room.saturating_sub(MARK.len())), MARK].concat()
        };
        self.text = [&*path, &rest].concat();
    }
}

/// A path, or both its ends around `…` where it has more than `max_bytes` bytes.
fn shortened(path: &str, max_bytes: usize) -> Cow<'_, str> {
    if path.len() <= max_bytes {
        return Cow::Borrowed(path);
    }
    let kept = max_bytes.saturating_sub('…'.len_utf8());
    Cow::Owned([text::prefix(path, kept - kept / 2), "…", text::suffix(path, kept / 2)].concat())
}

/// A unit, until all of its context is known.
#[derive(Debug)]
struct Unit {
    separated: bool,
    lines: VecDeque<Line>,
    /// Index of the match line among them.
    at: usize,
}

/// Takes lines and keeps those that fit.
#[derive(Debug)]
pub(in crate::tools) struct Body {
    pub(super) bounds: Bounds,
    pub(super) text: String,
    /// Lines of the text.
    lines: u64,
    /// The measure of the text.
    meter: Meter,
    /// Units in the text.
    pub(super) units: u64,
    /// The last unit, not shown yet.
    open: Option<Unit>,
    /// All that was given.
    total: Extent,
    cut: Option<TruncatedBy>,
    /// True if the first unit alone was over the limits.
    pub(super) first_too_large: bool,
    /// Bytes of the first match line or name, where it was over the limits alone.
    pub(super) first_line_bytes: Option<u64>,
    /// Context lines that the first unit lost.
    pub(in crate::tools) context_left_out: u64,
    /// Bytes of the longest line of which a part is shown.
    pub(in crate::tools) cut_from: Option<u64>,
}

impl Body {
    /// An empty body.
    pub(in crate::tools) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            text: String::new(),
            lines: 0,
            meter: Meter::new(bounds),
            units: 0,
            open: None,
            total: Extent::default(),
            cut: None,
            first_too_large: false,
            first_line_bytes: None,
            context_left_out: 0,
            cut_from: None,
        }
    }

    /// Takes a name, or another line that is a unit alone.
    pub(in crate::tools) fn line(&mut self, line: Line) {
        self.unit(false, VecDeque::new(), line);
    }

    /// Takes a match line with those `before` it: separated from what was before them, or touching it.
    pub(in crate::tools) fn unit(&mut self, separated: bool, before: VecDeque<Line>, line: Line) {
        self.settle();
        let separated = separated && self.total.lines > 0;
        if separated {
            self.count(SEPARATOR);
        }
        for line in before.iter().chain([&line]) {
            self.count(&line.text);
        }
        if self.cut.is_none() {
            let (at, mut lines) = (before.len(), before);
            lines.push_back(line);
            self.open = Some(Unit { separated, lines, at });
        }
    }

    /// Takes a line that stands after the last unit.
    pub(in crate::tools) fn after(&mut self, line: Line) {
        self.count(&line.text);
        if let Some(unit) = &mut self.open {
            unit.lines.push_back(line);
        }
    }

    /// True if a limit of lines or of size cut what was given: more lines would only be counted.
    pub(in crate::tools) fn is_full(&self) -> bool {
        self.cut.is_some()
    }

    /// Shows the last unit where it fits, now that its context is known.
    pub(in crate::tools) fn settle(&mut self) {
        let Some(mut unit) = self.open.take() else { return };
        if self.units == 0 {
            self.reduce(&mut unit);
            self.first_too_large = self.cut.is_some();
        } else {
            if unit.separated {
                unit.lines.push_front(Line { text: SEPARATOR.to_owned(), path: 0, cut_from: None });
            }
            self.cut = self.excess(&unit.lines);
            if self.cut.is_some() {
                return;
            }
        }
        for line in &unit.lines {
            self.show(line);
        }
        self.units += 1;
    }

    /// Takes context away from the first unit until it fits.
    fn reduce(&mut self, unit: &mut Unit) {
        while let Some(by) = self.excess(&unit.lines) {
            self.cut = Some(by);
            if let [line] = unit.lines.make_contiguous() {
                self.first_line_bytes = Some(line.text.len() as u64);
                line.shorten(self.bounds.sure_bytes().max(SHOWN_BYTES));
                break;
            }
            self.context_left_out += 1;
            if unit.lines.len() > 2 * unit.at {
                unit.lines.pop_back();
            } else {
                unit.lines.pop_front();
                unit.at -= 1;
            }
        }
    }

    /// The limit that these lines would pass.
    fn excess(&self, lines: &VecDeque<Line>) -> Option<TruncatedBy> {
        let bounds = self.bounds;
        let (mut count, mut bytes) = (self.lines, self.text.len() as u64);
        let mut meter = self.meter;
        for line in lines {
            meter.push(if count > 0 { "\n" } else { "" });
            meter.push(&line.text);
            bytes += line.text.len() as u64 + u64::from(count > 0);
            count += 1;
        }
        if count > bounds.lines {
            Some(TruncatedBy::Lines)
        } else if bytes > bounds.bytes {
            Some(TruncatedBy::Bytes)
        } else {
            meter.exceeded()
        }
    }

    fn show(&mut self, line: &Line) {
        let newline = if self.lines > 0 { "\n" } else { "" };
        for part in [newline, &line.text] {
            self.text.push_str(part);
            self.meter.push(part);
        }
        self.lines += 1;
        self.cut_from = self.cut_from.max(line.cut_from);
    }

    fn count(&mut self, text: &str) {
        self.total.bytes += text.len() as u64 + u64::from(self.total.lines > 0);
        self.total.lines += 1;
    }

    /// Returns the details of the cut that the limits made, if they made one; `total` is the extent of all, if that is more
    /// than was given.
    pub(super) fn truncation(&self, total: Option<Extent>) -> Option<TruncationDetails> {
        let total = total.unwrap_or(self.total);
        let output = Extent { lines: self.lines, bytes: self.text.len() as u64 };
        self.cut.map(|by| TruncationDetails {
            first_line_exceeds_limit: self.first_line_bytes.is_some(),
            ..TruncationDetails::new(by, output, estimate(&self.text), total, self.bounds)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_cut_to_bytes_keeps_both_ends() {
        assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
        assert_eq!(shortened("abcdefghij", 9), "abc…hij");
        assert_eq!(shortened("éééééé", 9), "é…é");
        assert_eq!(shortened("abcdefghij", 2), "…");
    }
}
