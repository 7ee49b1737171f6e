//! The context of candidates: the lines around them.

#![expect(clippy::indexing_slicing, reason = "the arrays have a field for each grade")]

use std::collections::BTreeMap;

use super::candidate::{Candidate, Role};
use super::forms::Grade;
use super::location;
use super::scan::{Before, Line};
use super::template;
use super::verdict::{Verdict, verdict};

/// Lines after a candidate that are its context.
const AFTER: u64 = 24;
/// Lines before a candidate that are its context.
const BEFORE: u64 = 12;
/// The longest line that may be the only one between two others. A marker for one line has up to 63 bytes, and usually about
/// 30.
pub(super) const BETWEEN_BYTES: usize = 63;
/// A stored line has at most one `PART`th of the limit of bytes.
pub(super) const PART: usize = 4;
/// The number of grades.
pub(super) const GRADES: usize = 4;

/// Stores the lines around candidates. If the space is full, those of better grades are kept, and then the nearest ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    max_bytes: usize,
    bytes: usize,
    /// By the grade of the candidate, the distance from it, and the number of the line.
    lines: BTreeMap<(Grade, u64, u64), (Role, String)>,
    /// For each grade, the last candidate, if lines after it are read.
    open: [Option<Open>; GRADES],
    /// For each grade, the number of the last candidate.
    last: [u64; GRADES],
}

/// A candidate, and what was read of the lines on one side of it.
#[derive(Debug, Clone)]
struct Open {
    candidate: usize,
    number: u64,
    /// The last line that was stored, or that is a candidate of at least this grade.
    last: u64,
    /// Templates of the lines.
    templates: Vec<u64>,
}

impl Open {
    fn new(candidate: usize, number: u64) -> Self {
        Self { candidate, number, last: number, templates: Vec::new() }
    }
}

impl Context {
    /// Returns a store for `max_bytes` of lines.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, ..Self::default() }
    }

    /// True if the next line is needed.
    pub(super) fn needs_next(&self) -> bool {
        self.open.iter().any(Option::is_some)
    }

    /// Stores the lines before a candidate, given its index, grade and number, and begins to read those after it. `grade_of`
    /// returns the grade of the candidate with a template.
    pub(super) fn start(
        &mut self,
        (candidate, grade, number): (usize, Grade, u64),
        before: Before<'_>,
        grade_of: impl Fn(u64) -> Option<Grade>,
    ) {
        // Lines up to the previous candidate already belong to that one.
        let known = self.last[..=grade as usize].iter().copied().max().unwrap_or_default();
        let most = BEFORE.min(number.saturating_sub(known + 1));
        let mut open = Open::new(candidate, number);
        for (line, text) in (number - most..number).rev().zip(before.lines()) {
            let template = template::hash(text);
            let own = grade_of(template);
            if own.is_none() && is_success(text) {
                break;
            }
            self.add(grade, &mut open, (line, text, template), own);
        }
        self.last[grade as usize] = number;
        self.open[grade as usize] = Some(Open::new(candidate, number));
    }

    /// Takes a line after candidates. `own` is its grade, or that of the candidate that it belongs to.
    pub(super) fn push(&mut self, Line { number, text, .. }: Line<'_>, template: u64, own: Option<Grade>) {
        if !self.needs_next() {
            return;
        }
        let is_end = own.is_none() && is_success(text);
        for grade in [Grade::Strong, Grade::Message, Grade::Weak, Grade::Faint] {
            let Some(mut open) = self.open[grade as usize].take_if(|open| open.number < number) else {
                continue;
            };
            if !is_end {
                self.add(grade, &mut open, (number, text, template), own);
                self.open[grade as usize] = Some(open).filter(|open| number - open.number < AFTER);
            }
        }
    }

    /// Stores the next line on one side of a candidate with `grade`, unless it repeats another, or its `own` grade is as good.
    fn add(
        &mut self,
        grade: Grade,
        open: &mut Open,
        (line, text, template): (u64, &str, u64),
        own: Option<Grade>,
    ) {
        let distance = line.abs_diff(open.number);
        if is_repeated(text, template, &open.templates) {
            if line.abs_diff(open.last) == 1 {
                self.store((grade, distance, line), Role::Between(None), text);
            }
            return;
        }
        if own.is_none_or(|own| own > grade) {
            self.store((grade, distance, line), Role::Context(open.candidate, distance), text);
        }
        open.last = line;
        open.templates.push(template);
    }

    /// Stores a line. If the space is full, it replaces lines with a lower priority.
    fn store(&mut self, key: (Grade, u64, u64), role: Role, text: &str) {
        let most = if matches!(role, Role::Between(_)) { BETWEEN_BYTES } else { self.max_bytes / PART };
        if text.len() > most || self.lines.contains_key(&key) {
            return;
        }
        while self.bytes + text.len() >= self.max_bytes {
            let Some(last) = self.lines.last_entry().filter(|last| *last.key() > key) else { return };
            let (_, text) = last.remove();
            self.bytes -= text.len() + 1;
        }
        self.bytes += text.len() + 1;
        self.lines.insert(key, (role, text.to_owned()));
    }

    /// Returns the lines.
    pub(super) fn finish(self) -> impl Iterator<Item = Candidate> {
        self.lines.into_iter().map(|((grade, _, line), (role, text))| Candidate {
            line,
            text,
            grade,
            count: 1,
            role,
            of_form: 0,
        })
    }
}

/// True if a line is empty or has one of these templates, and so adds nothing. All locations of a stack trace have the same
/// template.
fn is_repeated(line: &str, template: u64, templates: &[u64]) -> bool {
    line.trim().is_empty() || templates.contains(&template) && !location::is_only_location(line)
}

/// True if a line reports a success.
fn is_success(line: &str) -> bool {
    verdict(line, 0, "", false) == Verdict::Success
}
