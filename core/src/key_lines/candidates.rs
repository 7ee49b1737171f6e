//! Collects the candidates for key lines of a stream.

#![expect(clippy::indexing_slicing, reason = "the indices are those of candidates that were stored")]

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::candidate::{Candidate, Role};
use super::context::{BETWEEN_BYTES, Context, GRADES, PART};
use super::forms::Grade;
use super::grade::{Graded, Table};
use super::location::{self, indent};
use super::rare::Rare;
use super::scan::{Before, LINE_BYTES, Line, Scan, Sink};
use super::template::{self, IsHash};
use super::verdict::{Verdict, verdict};

/// Lines with the template of a strong candidate that are stored after the first.
const AGAIN: u64 = 5;
/// Number of last candidates that are searched for the line two lines before the next one.
const LAST: usize = 4;
/// Number of stored templates of lines that are no key lines, so that such lines need not be graded again.
const OTHER_TEMPLATES: usize = 1024;
/// After this number of strong lines that did not fit, no new candidates are stored.
const REJECTED: u32 = 20_000;
/// The message follows its location within this number of lines.
const LINES_AFTER_LOCATION: u64 = 5;

/// Finds the candidates of a text.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    scan: Scan,
    found: Found,
}

impl Candidates {
    /// Returns a collector that stores at most six times `max_bytes` of lines, and the start of the text for [`Rare`], whatever
    /// the length of the text.
    pub(crate) fn new(max_bytes: usize) -> Self {
        let context = Context::new(max_bytes);
        Self { scan: Scan::default(), found: Found { max_bytes, context, ..Found::default() } }
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, text: &str) {
        self.scan.push(text, &mut self.found);
    }

    /// Returns the candidates.
    pub(crate) fn finish(mut self) -> Vec<Candidate> {
        self.scan.finish(&mut self.found);
        let Found { mut all, between, context, rare, .. } = self.found;
        all.extend(between);
        all.extend(context.finish());
        for n in 0..all.len() {
            if let Role::Again(first, _) | Role::Of(first) | Role::Between(Some(first)) = all[n].role {
                all[n].count = all[first].count;
            }
        }
        let rare = rare.finish().into_iter().map(|(line, text, count)| {
            let grade = Graded::rare().grade;
            Candidate { line, text, grade, count, role: Role::First, of_form: 0 }
        });
        all.extend(rare);
        all
    }
}

/// The candidates so far.
#[derive(Debug, Clone, Default)]
struct Found {
    max_bytes: usize,
    /// Bytes of the candidates of each grade.
    bytes: [usize; GRADES],
    /// Bytes of those that repeat a template, and of the lines between.
    bytes_again: usize,
    context: Context,
    all: Vec<Candidate>,
    between: Vec<Candidate>,
    /// For each template, its first candidate; `None` if its lines are no key lines.
    templates: HashMap<u64, Option<usize>, BuildHasherDefault<IsHash>>,
    other_templates: usize,
    /// For each form and grade, the number and the bytes of the candidates.
    forms: HashMap<(u16, Grade), (u32, usize)>,
    /// The indentation of a stack trace whose message has not been read yet.
    trace: Option<usize>,
    /// The candidate to which the next lines may belong.
    open: Option<Open>,
    /// A line that names the location of the next message.
    location: Option<(u64, String)>,
    rare: Rare,
    /// Number of strong lines that did not fit.
    rejected: u32,
}

/// A candidate to which the next line may belong.
#[derive(Debug, Clone, Copy)]
struct Open {
    candidate: usize,
    /// Number of further lines to check. All except the last are blank.
    lines: u8,
    /// True if any line that is not blank belongs to it. Otherwise only a location does.
    takes_any: bool,
}

impl Sink for Found {
    fn needs_next(&self) -> bool {
        self.trace.is_some() || self.open.is_some() || self.context.needs_next() || self.rare.needs_next()
    }

    fn line(&mut self, line: Line<'_>) {
        let template = template::hash(line.text);
        if self.rare.needs_next() {
            self.rare.push(line.number, line.text, template);
        }
        let stored = self.all.len();
        let grade = self.take(line, template);
        self.context.push(line, template, grade);
        if self.all.len() > stored {
            self.add_between(line);
        }
    }
}

impl Found {
    /// Stores the line before a candidate if it is none, and the one before it is.
    fn add_between(&mut self, Line { number, before, .. }: Line<'_>) {
        let is_candidate = |line| self.all.iter().rev().take(LAST).any(|candidate| candidate.line == line);
        if let Some(text) = before.lines().next()
            && text.len() <= BETWEEN_BYTES
            && !is_candidate(number - 1)
            && number > 2
            && is_candidate(number - 2)
            && self.fits_again(text)
        {
            self.bytes_again += text.len() + 1;
            let role = Role::Between(self.templates.get(&template::hash(text)).copied().flatten());
            let (line, text, grade) = (number - 1, text.to_owned(), Grade::Strong);
            self.between.push(Candidate { line, text, grade, count: 1, role, of_form: 0 });
        }
    }

    /// Takes a line. Returns its grade, or that of the candidate that it belongs to; `None` if it is no candidate.
    fn take(&mut self, line: Line<'_>, template: u64) -> Option<Grade> {
        if self.trace.is_some() {
            return self.in_trace(line, template);
        }
        let open = self.open.take();
        if line.is_triggered() && location::is_arrow(line.text) {
            self.arrow(line, open);
            return Some(Grade::Strong);
        }
        if line.is_triggered()
            && let Some(known) = self.templates.get(&template)
        {
            return known.map(|first| self.count(line, first));
        }
        if self.rejected >= REJECTED {
            return Some(Grade::Strong);
        }
        let graded = if line.is_triggered() { Table::get().grade(line) } else { None };
        if let Some(open) = open
            && graded.is_none_or(|graded| graded.grade > Grade::Strong)
            && self.belongs(line, open)
        {
            return Some(Grade::Strong);
        }
        match graded {
            Some(_) if line.text.contains("Traceback (most recent") => self.trace = Some(indent(line.text)),
            Some(graded) => self.add_first(line.number, line.text, line.before, template, graded),
            None if line.is_triggered() => self.take_other(line, template),
            None => {}
        }
        graded.map(|graded| graded.grade)
    }

    /// True if a line that is not the first one of its template can be stored.
    fn fits_again(&self, text: &str) -> bool {
        text.len() <= self.max_bytes / PART && self.bytes_again + text.len() < self.max_bytes
    }

    /// Takes a line of a stack trace. The message is the first line after the frames, which are indented. Returns the same as
    /// [`take`](Self::take).
    fn in_trace(&mut self, line: Line<'_>, template: u64) -> Option<Grade> {
        let known = self.templates.get(&template).copied();
        if line.text.trim().is_empty() || Some(indent(line.text)) > self.trace {
            if location::is_frame(line.text) {
                self.location = Some((line.number, line.text.to_owned()));
            } else if let Some(Some(first)) = known {
                self.count(line, first);
            }
            return None;
        }
        self.trace = None;
        match known {
            Some(Some(first)) => Some(self.count(line, first)),
            Some(None) => None,
            None => {
                self.add_first(
                    line.number,
                    line.text,
                    line.before,
                    template,
                    Graded::neighbour(Grade::Strong),
                );
                Some(Grade::Strong)
            }
        }
    }

    /// Counts a line with the template of the candidate `first`. Returns its grade.
    fn count(&mut self, line: Line<'_>, first: usize) -> Grade {
        let candidate = &mut self.all[first];
        candidate.count += 1;
        let (grade, before) = (candidate.grade, candidate.count - 2);
        if grade == Grade::Strong && before < AGAIN && self.fits_again(line.text) {
            self.bytes_again += line.text.len() + 1;
            self.push(line.number, line.text, grade, Role::Again(first, before), 0);
        }
        grade
    }

    /// Takes a line as a part of the open candidate, if it is one.
    fn belongs(&mut self, line: Line<'_>, open: Open) -> bool {
        if line.text.trim().is_empty() {
            self.open = (open.lines > 1).then_some(Open { lines: open.lines - 1, ..open });
            return true;
        }
        let belongs = open.takes_any || location::is_only_location(line.text);
        if belongs {
            self.add_to(open.candidate, line.number, line.text);
        }
        belongs
    }

    /// Takes the `--> file:line` after a message. Nothing else may show that the line before it is a message.
    fn arrow(&mut self, line: Line<'_>, open: Option<Open>) {
        if let Some(open) = open {
            return self.add_to(open.candidate, line.number, line.text);
        }
        let previous = line.before.lines().next().unwrap_or_default();
        let template = template::hash(previous);
        let is_known = self.templates.contains_key(&template);
        if is_known
            || previous.trim().is_empty()
            || verdict(previous, previous.len(), "", false) != Verdict::Failure
            || Table::get().grade_alone(previous).is_some()
        {
            return;
        }
        let (number, before) = (line.number - 1, line.before.without_last());
        self.add_first(number, previous, before, template, Graded::neighbour(Grade::Strong));
        if let Some(open) = self.open.take() {
            self.add_to(open.candidate, line.number, line.text);
        }
    }

    /// Takes a triggered line that is no key line. It may be the location of one.
    fn take_other(&mut self, line: Line<'_>, template: u64) {
        if location::is_frame(line.text) {
            self.location = Some((line.number, line.text.to_owned()));
        } else if self.other_templates < OTHER_TEMPLATES {
            self.other_templates += 1;
            self.templates.insert(template, None);
        }
    }

    /// Stores the first line of a template if the limits allow it.
    fn add_first(&mut self, number: u64, text: &str, before: Before<'_>, template: u64, graded: Graded) {
        let Graded { grade, form } = graded;
        if grade < Grade::Faint {
            self.rare.stop();
        }
        let (max_bytes, all_bytes) = (self.max_bytes, self.bytes[grade as usize]);
        let (of_form, form_bytes) = self.forms.entry((form, grade)).or_default();
        // One form never takes all the space. A grade that is full stays full, so the order of the text decides.
        let is_full = *form_bytes + text.len() > max_bytes / 2 || all_bytes + text.len() > max_bytes;
        self.rejected += u32::from(is_full && grade == Grade::Strong);
        if is_full || text.len() > (max_bytes / PART).min(LINE_BYTES) {
            return;
        }
        *form_bytes += text.len() + 1;
        *of_form += 1;
        let of_form = *of_form - 1;
        let new = self.all.len();
        self.templates.insert(template, Some(new));
        self.bytes[grade as usize] += text.len() + 1;
        self.push(number, text, grade, Role::First, of_form);
        if grade < Grade::Faint {
            self.open_report(new, number, text, before);
        }
        if grade <= Grade::Message {
            let takes_any = text.trim_end().ends_with(':') || is_status(text);
            self.open = Some(Open { candidate: new, lines: 2, takes_any });
        }
    }

    /// Stores the heading, the location and the context before a candidate, and opens the context after it.
    fn open_report(&mut self, candidate: usize, number: u64, text: &str, before: Before<'_>) {
        if let Some((lines, heading)) = location::heading(text, before.lines()) {
            self.add_to(candidate, number - lines, heading);
        }
        if let Some((line, text)) = self.location.take()
            && number <= line + LINES_AFTER_LOCATION
        {
            self.add_to(candidate, line, &text);
        }
        let (all, templates) = (&self.all, &self.templates);
        let grade_of = |template| templates.get(&template).copied().flatten().map(|first| all[first].grade);
        self.context.start((candidate, all[candidate].grade, number), before, grade_of);
    }

    /// Stores a line that belongs to a candidate.
    fn add_to(&mut self, candidate: usize, number: u64, text: &str) {
        let grade = self.all[candidate].grade;
        if self.bytes[grade as usize] + text.len() <= self.max_bytes && text.len() <= self.max_bytes / PART {
            self.bytes[grade as usize] += text.len() + 1;
            self.push(number, text, grade, Role::Of(candidate), 0);
        }
    }

    fn push(&mut self, line: u64, text: &str, grade: Grade, role: Role, of_form: u32) {
        self.all.push(Candidate { line, text: text.to_owned(), grade, count: 1, role, of_form });
    }
}

/// True if a line has only a status. The next line names what failed.
fn is_status(line: &str) -> bool {
    let word = line.trim_matches(|c: char| !c.is_alphanumeric());
    matches!(word, "FAIL" | "FAILED" | "ERROR" | "Error" | "error")
}
