//! The body of grep's answer: whole units within the limits, and the count of what does not fit.
//!
//! A unit is a match line with its context up to the next match, or a file; it is shown whole or not at
//! all, so that pages that follow each other leave no context out. Of the first match the context goes,
//! from the outside in, where it does not fit; the line itself is always shown, cut to the byte limit
//! where it is far over that. After the first thing
//! that does not fit nothing more is shown, only counted.

use std::collections::VecDeque;

use cutline_core::details::TruncationDetails;
use cutline_core::text;
use cutline_core::text::TokenCounter;
use cutline_core::text::tokens::estimate;
use cutline_core::text::{Extent, as_index};
use cutline_core::truncate::line::MARK;
use cutline_core::truncate::{Bounds, TruncatedBy};

use super::super::page::SHOWN_BYTES;
use super::super::walk_support::shortened;

/// The line between groups that do not touch.
const SEPARATOR: &str = "--";

/// A line as it is shown.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    /// Bytes of the path that it begins with.
    pub(super) path: usize,
    /// True if it was cut to the limit of characters.
    pub(super) cut: bool,
}

impl Line {
    /// The line in so many bytes: of the path the middle goes, where that is more than half of them,
    /// of the rest the end.
    fn shorten(&mut self, max_bytes: u64) {
        let max = as_index(max_bytes);
        if self.text.len() <= max {
            return;
        }
        let (path, rest) = self.text.split_at_checked(self.path).unwrap_or((&self.text, ""));
        let room = if rest.is_empty() { max } else { (max / 2).max(max.saturating_sub(rest.len())) };
        let path = shortened(path, room as u64);
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

/// A unit, until all of its context is known.
#[derive(Debug)]
struct Unit {
    separated: bool,
    before: VecDeque<Line>,
    line: Line,
    after: VecDeque<Line>,
}

impl Unit {
    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.before.iter().chain([&self.line]).chain(&self.after)
    }
}

/// Takes lines and keeps those that fit.
#[derive(Debug)]
pub(super) struct Body {
    bounds: Bounds,
    text: String,
    lines: u64,
    /// The last unit, not shown yet.
    open: Option<Unit>,
    /// Units in the text.
    units: u64,
    /// Tokens of the text, where they have a limit.
    tokens: TokenCounter,
    /// All that was given.
    total: Extent,
    cut: Option<TruncatedBy>,
    /// True if the first unit alone was over the limit.
    first_too_large: bool,
    /// True if the first match line was over the limit alone.
    first_exceeds: bool,
    /// True if a line in the text was cut to the limit of characters.
    any_line_cut: bool,
}

impl Body {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            text: String::new(),
            lines: 0,
            open: None,
            units: 0,
            tokens: TokenCounter::default(),
            total: Extent::default(),
            cut: None,
            first_too_large: false,
            first_exceeds: false,
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
        if self.cut.is_none() {
            self.open = Some(Unit { separated, before, line, after: VecDeque::new() });
        }
    }

    /// Takes a line that stands after the last unit.
    pub(super) fn after(&mut self, line: Line) {
        self.count(&line.text);
        if let Some(unit) = &mut self.open {
            unit.after.push_back(line);
        }
    }

    /// Shows the last unit where it fits, now that its context is known.
    fn settle(&mut self) {
        let Some(mut unit) = self.open.take() else { return };
        if self.units == 0 {
            self.reduce(&mut unit);
            self.first_too_large = self.cut.is_some();
        } else {
            let separator = unit.separated.then(|| Line { text: SEPARATOR.to_owned(), path: 0, cut: false });
            unit.before = separator.into_iter().chain(unit.before).collect();
            self.cut = self.excess(unit.lines());
            if self.cut.is_some() {
                return;
            }
        }
        for line in unit.lines() {
            self.show(line);
        }
        self.units += 1;
    }

    /// Takes context away from the first unit until it fits.
    fn reduce(&mut self, unit: &mut Unit) {
        while let Some(by) = self.excess(unit.lines()) {
            if unit.before.is_empty() && unit.after.is_empty() {
                let limit = self.bounds.tokens.unwrap_or(u64::MAX).min(self.bounds.bytes);
                unit.line.shorten(limit.max(SHOWN_BYTES));
                self.cut = Some(by);
                self.first_exceeds = true;
                break;
            }
            self.cut = Some(by);
            if unit.after.len() >= unit.before.len() {
                unit.after.pop_back();
            } else {
                unit.before.pop_front();
            }
        }
    }

    /// The limit that these lines would pass.
    fn excess<'a>(&self, lines: impl IntoIterator<Item = &'a Line>) -> Option<TruncatedBy> {
        let (mut count, mut bytes) = (self.lines, self.text.len() as u64);
        let mut tokens = self.tokens;
        for line in lines {
            if self.bounds.tokens.is_some() {
                tokens.push(if count > 0 { "\n" } else { "" });
                tokens.push(&line.text);
            }
            bytes += line.text.len() as u64 + u64::from(count > 0);
            count += 1;
        }
        if count > self.bounds.lines {
            Some(TruncatedBy::Lines)
        } else {
            let is_over = self.bounds.tokens.is_some_and(|limit| tokens.count() > limit);
            (bytes > self.bounds.bytes)
                .then_some(TruncatedBy::Bytes)
                .or(is_over.then_some(TruncatedBy::Tokens))
        }
    }

    fn show(&mut self, line: &Line) {
        let newline = if self.lines > 0 { "\n" } else { "" };
        for part in [newline, &line.text] {
            self.text.push_str(part);
            if self.bounds.tokens.is_some() {
                self.tokens.push(part);
            }
        }
        self.lines += 1;
        self.any_line_cut |= line.cut;
    }

    fn count(&mut self, text: &str) {
        self.total.bytes += text.len() as u64 + u64::from(self.total.lines > 0);
        self.total.lines += 1;
    }

    /// Takes away the text of all units but the last.
    pub(super) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Ends the body.
    pub(super) fn finish(mut self) -> Finished {
        self.settle();
        let Self {
            bounds, text, lines, units, total, cut, first_too_large, first_exceeds, any_line_cut, ..
        } = self;
        let output = Extent { lines, bytes: text.len() as u64 };
        let truncation = cut.map(|by| TruncationDetails {
            first_line_exceeds_limit: first_exceeds,
            ..TruncationDetails::new(by, output, estimate(&text), total, bounds)
        });
        Finished { bounds, text, units, truncation, first_too_large, any_line_cut }
    }
}

/// A body that is complete.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) bounds: Bounds,
    pub(super) text: String,
    /// Units in the text.
    pub(super) units: u64,
    /// Details of the cut that the limits made; `None` without one.
    pub(super) truncation: Option<TruncationDetails>,
    /// True if the first unit alone was over the limits.
    pub(super) first_too_large: bool,
    /// True if a line in the text was cut to the limit of characters.
    pub(super) any_line_cut: bool,
}
