//! The lines near the first lines of kinds: their context.

use std::collections::BTreeMap;

use super::forms::Grade;
use super::kinds::LINE_PART;
use super::scan::Line;
use super::verdict::{Verdict, verdict};

/// Lines after the first line of a kind that are stored.
const AFTER: u64 = 10;
/// Lines before it that are stored.
const BEFORE: u64 = 5;
/// Lines from a success on that are stored.
const FILL: u64 = 3;

/// A line near the first line of a kind.
#[derive(Debug, Clone)]
pub(crate) struct Near {
    /// The index of the kind.
    pub(crate) kind: usize,
    /// The number of the line, from 1.
    pub(crate) line: u64,
    /// The lines from the first line of the kind to this one.
    pub(crate) distance: u64,
    pub(crate) text: String,
    /// False for a success after the kind and the lines after that. Such a line is shown only if it fills a short gap.
    pub(crate) is_context: bool,
}

/// A kind whose next lines are read.
#[derive(Debug, Clone)]
struct Open {
    kind: usize,
    grade: Grade,
    /// The number of its first line.
    number: u64,
    /// The number of the last line that is stored.
    until: u64,
    is_context: bool,
}

/// Stores the lines near kinds. If the space is full, those of better grades are kept, and then the nearest ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Nearby {
    max_bytes: usize,
    bytes: usize,
    /// By the grade of the kind, the distance from it, and the number of the line.
    lines: BTreeMap<(Grade, u64, u64), Near>,
    open: Option<Open>,
    /// The last line that was stored, or that is of a kind, and the grade of the kind.
    last: Option<(u64, Grade)>,
}

impl Nearby {
    /// Returns a store for `max_bytes` of lines.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, ..Self::default() }
    }

    /// True if the next line is needed.
    pub(super) fn needs_next(&self) -> bool {
        self.open.is_some()
    }

    /// Stores the lines before the first line of a kind, and begins to read those after it.
    pub(super) fn start(&mut self, kind: usize, grade: Grade, line: Line<'_>) {
        let number = line.number;
        // Lines near a weaker kind, such as the start of a stack trace, are shown with this one too.
        let last = self.last.filter(|(_, other)| *other <= grade).map_or(0, |(last, _)| last);
        let most = BEFORE.min(number.saturating_sub(last + 1));
        for (line, text) in (number - most..number).rev().zip(line.before.lines()) {
            if is_success(text) {
                break;
            }
            let text = text.to_owned();
            self.store(grade, Near { kind, line, distance: number - line, text, is_context: true });
        }
        self.last = Some((number, grade));
        // The lines after a report belong to it, also if a weaker one follows.
        if self.open.as_ref().is_none_or(|open| grade <= open.grade || !open.is_context) {
            self.open = Some(Open { kind, grade, number, until: number + AFTER, is_context: true });
        }
    }

    /// Takes a line. A line that reports a success ends the context.
    pub(super) fn push(&mut self, line: u64, text: &str, is_of_kind: bool) {
        let Some(open) = self.open.as_mut().filter(|open| line > open.number) else { return };
        if open.is_context && !is_of_kind && is_success(text) {
            open.is_context = false;
            open.until = open.until.min(line + FILL - 1);
        }
        let Open { kind, grade, number, until, is_context } = *open;
        if line >= until {
            self.open = None;
        }
        if line <= until {
            self.last = Some((line, grade));
            self.store(
                grade,
                Near { kind, line, distance: line - number, text: text.to_owned(), is_context },
            );
        }
    }

    /// Stores a line. If the space is full, it replaces lines with a lower priority.
    fn store(&mut self, grade: Grade, near: Near) {
        let key = (grade, near.distance, near.line);
        if near.text.len() > self.max_bytes / LINE_PART {
            return;
        }
        while self.bytes + near.text.len() >= self.max_bytes {
            let Some(last) = self.lines.last_entry().filter(|last| *last.key() > key) else { return };
            self.bytes -= last.remove().text.len() + 1;
        }
        self.bytes += near.text.len() + 1;
        self.lines.insert(key, near);
    }

    /// Returns the lines, in the order of their priority.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Near> {
        self.lines.values()
    }
}

/// True if a line reports a success.
fn is_success(line: &str) -> bool {
    verdict(line, 0, "", false) == Verdict::Success
}
