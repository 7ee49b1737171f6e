//! The body of a page: whole groups within the limits, and the count of what does not fit.
//!
//! A group is a name, or a match line with its context up to the next match; it is shown whole or not at
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

/// Lines that are shown together: a match line with its context, or a name.
#[derive(Debug)]
pub(in crate::tools) struct Group {
    /// True if they do not touch those before them.
    pub(in crate::tools) separated: bool,
    pub(in crate::tools) lines: VecDeque<Line>,
    /// Index of the match line among them.
    pub(in crate::tools) at: usize,
}

/// Takes groups and keeps those that fit.
#[derive(Debug)]
pub(in crate::tools) struct Body {
    pub(super) bounds: Bounds,
    pub(super) text: String,
    /// Lines of the text.
    lines: u64,
    /// The measure of the text.
    meter: Meter,
    /// Groups in the text.
    pub(super) groups: u64,
    /// All that was given.
    total: Extent,
    cut: Option<TruncatedBy>,
    /// Bytes of the first match line or name, where it was over the limits alone.
    pub(super) first_line_bytes: Option<u64>,
    /// Context lines that the first group lost.
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
            groups: 0,
            total: Extent::default(),
            cut: None,
            first_line_bytes: None,
            context_left_out: 0,
            cut_from: None,
        }
    }

    /// Takes a name, or another line that is a group alone.
    pub(in crate::tools) fn line(&mut self, line: Line) {
        self.group(Group { separated: false, lines: VecDeque::from([line]), at: 0 });
    }

    /// Takes a group: shows it where it fits, of the first one what fits.
    pub(in crate::tools) fn group(&mut self, mut group: Group) {
        if group.separated && self.total.lines > 0 {
            group.lines.push_front(Line { text: SEPARATOR.to_owned(), path: 0, cut_from: None });
        }
        for line in &group.lines {
            self.total.bytes += line.text.len() as u64 + u64::from(self.total.lines > 0);
            self.total.lines += 1;
        }
        if self.is_full() {
            return;
        }
        self.cut = self.show(&group.lines);
        if self.is_full() {
            if self.groups > 0 {
                return;
            }
            self.show_part(group);
        }
        self.groups += 1;
    }

    /// True if a limit of lines or of size cut what was given: more lines would only be counted.
    pub(in crate::tools) fn is_full(&self) -> bool {
        self.cut.is_some()
    }

    /// Shows the first group, which does not fit, without the context that has no room.
    fn show_part(&mut self, Group { mut lines, mut at, .. }: Group) {
        loop {
            if let [line] = lines.make_contiguous() {
                self.first_line_bytes = Some(line.text.len() as u64);
                line.shorten(self.bounds.sure_bytes().max(SHOWN_BYTES));
                return self.push(line);
            }
            self.context_left_out += 1;
            if lines.len() > 2 * at {
                lines.pop_back();
            } else {
                lines.pop_front();
                at -= 1;
            }
            let Some(by) = self.show(&lines) else { return };
            self.cut = Some(by);
        }
    }

    /// Shows lines if they fit; else returns the limit that they would pass.
    fn show(&mut self, lines: &VecDeque<Line>) -> Option<TruncatedBy> {
        let (bytes, before, meter, cut_from) = (self.text.len(), self.lines, self.meter, self.cut_from);
        for line in lines {
            self.push(line);
        }
        let passed = if self.lines > self.bounds.lines {
            Some(TruncatedBy::Lines)
        } else if self.text.len() as u64 > self.bounds.bytes {
            Some(TruncatedBy::Bytes)
        } else {
            self.meter.exceeded()
        };
        if passed.is_some() {
            self.text.truncate(bytes);
            (self.lines, self.meter, self.cut_from) = (before, meter, cut_from);
        }
        passed
    }

    fn push(&mut self, line: &Line) {
        let newline = if self.lines > 0 { "\n" } else { "" };
        for part in [newline, &line.text] {
            self.text.push_str(part);
            self.meter.push(part);
        }
        self.lines += 1;
        self.cut_from = self.cut_from.max(line.cut_from);
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
