//! The body of grep's answer: whole units within the limits, and the count of what does not fit.
//!
//! A unit is a match line with the context before it, or a file; it is shown whole or not at all. What
//! stands after a match is shown as it fits. Of the first match the context goes, from the outside in,
//! where it does not fit; the line itself is always shown. After the first thing that does not fit
//! nothing more is shown, only counted.

use std::collections::VecDeque;

use crate::details::{CHARS_PER_TOKEN, TruncationDetails};
use crate::limits::Bounds;
use crate::truncate::{Extent, TruncatedBy};

/// What stands between groups that do not touch.
const SEPARATOR: &str = "--";

/// A line as it is shown, and whether it was cut.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) cut: bool,
}

/// The first match, until all of its context is known.
#[derive(Debug)]
struct First {
    before: VecDeque<Line>,
    line: Line,
    after: VecDeque<Line>,
}

/// Takes lines and keeps those that fit.
#[derive(Debug)]
pub(super) struct Body {
    bounds: Bounds,
    text: String,
    lines: u64,
    first: Option<First>,
    /// Units in the text.
    units: u64,
    /// All that was given.
    total: Extent,
    cut: Option<TruncatedBy>,
    /// Whether a line in the text was cut to its characters.
    any_line_cut: bool,
}

impl Body {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            text: String::new(),
            lines: 0,
            first: None,
            units: 0,
            total: Extent::default(),
            cut: None,
            any_line_cut: false,
        }
    }

    /// Takes a unit: `separated` from what was before it, or touching it.
    pub(super) fn unit(&mut self, separated: bool, before: VecDeque<Line>, line: Line) {
        self.settle();
        let separated = separated && self.total.lines > 0;
        if separated {
            self.count(SEPARATOR);
        }
        for line in before.iter().chain([&line]) {
            self.count(&line.text);
        }
        if self.cut.is_some() {
            return;
        }
        if self.units == 0 {
            self.first = Some(First { before, line, after: VecDeque::new() });
            self.units = 1;
            return;
        }
        let separator = Line { text: SEPARATOR.to_owned(), cut: false };
        let unit: Vec<&Line> =
            separated.then_some(&separator).into_iter().chain(&before).chain([&line]).collect();
        self.cut = self.excess(unit.iter().copied());
        if self.cut.is_none() {
            for line in unit {
                self.show(line);
            }
            self.units += 1;
        }
    }

    /// Takes a line that stands after the last unit.
    pub(super) fn after(&mut self, line: Line) {
        self.count(&line.text);
        if let Some(first) = &mut self.first {
            first.after.push_back(line);
        } else if self.cut.is_none() {
            self.cut = self.excess([&line]);
            if self.cut.is_none() {
                self.show(&line);
            }
        }
    }

    /// Shows the first match, now that its context is known.
    fn settle(&mut self) {
        let Some(First { mut before, line, mut after }) = self.first.take() else { return };
        while let Some(by) = self.excess(before.iter().chain([&line]).chain(&after)) {
            if before.is_empty() && after.is_empty() {
                break;
            }
            self.cut = Some(by);
            if after.len() >= before.len() {
                after.pop_back();
            } else {
                before.pop_front();
            }
        }
        for line in before.iter().chain([&line]).chain(&after) {
            self.show(line);
        }
    }

    /// The limit that these lines would pass.
    fn excess<'a>(&self, lines: impl IntoIterator<Item = &'a Line>) -> Option<TruncatedBy> {
        let (mut count, mut bytes) = (self.lines, self.text.len() as u64);
        for line in lines {
            bytes += line.text.len() as u64 + u64::from(count > 0);
            count += 1;
        }
        if count > self.bounds.lines {
            Some(TruncatedBy::Lines)
        } else {
            (bytes > self.bounds.bytes).then_some(TruncatedBy::Bytes)
        }
    }

    fn show(&mut self, line: &Line) {
        if self.lines > 0 {
            self.text.push('\n');
        }
        self.text.push_str(&line.text);
        self.lines += 1;
        self.any_line_cut |= line.cut;
    }

    fn count(&mut self, text: &str) {
        self.total.bytes += text.len() as u64 + u64::from(self.total.lines > 0);
        self.total.lines += 1;
    }

    /// Ends the body.
    pub(super) fn finish(mut self) -> Finished {
        self.settle();
        let Self { bounds, text, lines, units, total, cut, any_line_cut, .. } = self;
        let truncation = cut.map(|by| TruncationDetails {
            truncated: true,
            truncated_by: by,
            total_lines: total.lines,
            total_bytes: total.bytes,
            output_lines: lines,
            output_bytes: text.len() as u64,
            max_lines: bounds.lines,
            max_bytes: bounds.bytes,
            last_line_partial: false,
            first_line_exceeds_limit: false,
            estimated_tokens: (text.chars().count() as u64).div_ceil(CHARS_PER_TOKEN),
            total_estimated_tokens: total.bytes.div_ceil(CHARS_PER_TOKEN),
            limit_tokens: bounds.bytes / CHARS_PER_TOKEN,
            total_is_lower_bound: None,
        });
        Finished { text, units, truncation, any_line_cut }
    }
}

/// A body that is complete.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) text: String,
    /// Units in the text.
    pub(super) units: u64,
    /// What the limits cut.
    pub(super) truncation: Option<TruncationDetails>,
    /// Whether a line in the text was cut to its characters.
    pub(super) any_line_cut: bool,
}
