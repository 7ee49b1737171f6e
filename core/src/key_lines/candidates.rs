//! The candidates for key lines of a text that passes.

#![expect(clippy::indexing_slicing, reason = "the indices are those of candidates that were stored")]

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::calm::{self, Mood};
use super::forms::Grade;
use super::grade::{Graded, Table};
use super::location::{self, indent};
use super::rare::Rare;
use super::scan::{Before, LINE_BYTES, Line, Scan, Sink};
use super::template::{self, IsHash};

/// A line that may be shown as a key line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Its number, from 1.
    pub(crate) line: u64,
    /// Its text.
    pub(crate) text: String,
    /// The strength of the evidence that it reports a failure.
    pub(crate) grade: Grade,
    /// The number of lines with its template.
    pub(crate) count: u64,
    /// Its relation to other candidates.
    pub(crate) role: Role,
    /// The number of stored candidates with the same form before it.
    pub(crate) of_form: u32,
}

/// The relation of a candidate to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first line of its template.
    First,
    /// Another line with the template of that candidate, and the number of those before it.
    Again(usize, u64),
    /// A line that belongs to that candidate: its location, or its message.
    Of(usize),
    /// One of the lines after that candidate, which has no form of its own.
    After(usize),
    /// The only line between two candidates, and the candidate with its template. It is shown if the marker for it would be
    /// longer.
    Between(Option<usize>),
}

/// Lines with the template of a strong candidate that are stored after the first.
const AGAIN: u64 = 5;
/// Lines after a strong candidate that are read as its context.
const AFTER: u8 = 5;
/// Lines before a candidate that are compared with it, or with its context.
const COMPARED: usize = 4;
/// The longest line between two candidates that is stored. A marker for one line has up to 63 bytes, and usually about 30.
const BETWEEN_BYTES: usize = 63;
/// The longest line that is stored, as a part of the bytes.
const PART: usize = 4;
/// Templates of lines that are no key lines, which need not be graded again.
const CALM_TEMPLATES: usize = 1024;
/// After this number of lines that the limits did not allow to store, lines are only counted.
const REJECTED: u32 = 20_000;
/// The message follows its location within this number of lines.
const LINES_AFTER_LOCATION: u64 = 5;
/// Grades.
const GRADES: usize = 4;

/// Finds the candidates of a text.
#[derive(Debug)]
pub(crate) struct Candidates {
    scan: Scan,
    found: Found,
}

impl Candidates {
    /// Returns a collector that stores at most five times `max_bytes` of lines, whatever the length of the text.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { scan: Scan::default(), found: Found { max_bytes, ..Found::default() } }
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, text: &str) {
        self.scan.push(text, &mut self.found);
    }

    /// Returns the candidates.
    pub(crate) fn finish(mut self) -> Vec<Candidate> {
        self.scan.finish(&mut self.found);
        let Found { mut all, between, rare, .. } = self.found;
        all.extend(between);
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
#[derive(Debug, Default)]
struct Found {
    max_bytes: usize,
    /// Bytes of the candidates of each grade.
    bytes: [usize; GRADES],
    /// Bytes of those that repeat a template, and of the context.
    bytes_again: usize,
    /// The candidate whose context is read.
    context: Option<Context>,
    all: Vec<Candidate>,
    between: Vec<Candidate>,
    /// For each template, its first candidate; `None` if its lines are no key lines.
    templates: HashMap<u64, Option<usize>, BuildHasherDefault<IsHash>>,
    calm_templates: usize,
    /// For each form and grade, the number and the bytes of the candidates.
    forms: HashMap<(u16, Grade), (u32, usize)>,
    /// The indentation of a stack trace whose message has not been read yet.
    trace: Option<usize>,
    /// The candidate to which the next lines may belong.
    open: Option<Open>,
    /// A line that names the location of the next message.
    location: Option<(u64, String)>,
    rare: Rare,
    /// Number of lines with the structure of a report that the limits did not allow to store.
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

/// A strong candidate whose next lines are stored.
#[derive(Debug)]
struct Context {
    candidate: usize,
    /// Number of further lines to read.
    lines: u8,
    /// Templates of the lines around it. Lines that repeat them do not belong to the report.
    templates: Vec<u64>,
}

impl Sink for Found {
    fn needs_next(&self) -> bool {
        self.trace.is_some() || self.open.is_some() || self.context.is_some() || self.rare.needs_next()
    }

    fn line(&mut self, line: Line<'_>) {
        if self.rare.needs_next() {
            self.rare.push(line.number, line.text, template::hash(line.text));
        }
        let context = self.context.take();
        let stored = self.all.len();
        let has_role = self.take(line);
        if self.context.is_none()
            && let Some(context) = context
        {
            self.add_context(context, line, has_role);
        }
        if self.all.len() > stored {
            self.add_between(line);
        }
    }
}

impl Found {
    /// Takes a line after a candidate as its context, unless it has a role of its own or is one of several similar lines. A
    /// line that reports a success ends the context.
    fn add_context(&mut self, mut context: Context, line: Line<'_>, has_role: bool) {
        if calm::mood(line.text, 0, false, false) == Mood::Well {
            return;
        }
        let template = template::hash(line.text);
        if context.templates.contains(&template) {
            self.all.pop_if(|last| {
                last.role == Role::After(context.candidate) && template::hash(&last.text) == template
            });
        } else if !has_role
            && !line.text.trim().is_empty()
            && self.add_again(line, Role::After(context.candidate))
        {
            context.templates.push(template);
        }
        context.lines -= 1;
        self.context = (context.lines > 0).then_some(context);
    }

    /// Stores the line before a candidate if the line before that is one too.
    fn add_between(&mut self, Line { number, before, .. }: Line<'_>) {
        let mut last = self.all.iter().rev().take(COMPARED);
        if let Some(text) = before.lines().next()
            && text.len() <= BETWEEN_BYTES
            && last.any(|candidate| candidate.line + 2 == number)
            && self.fits_again(text)
        {
            self.bytes_again += text.len() + 1;
            let role = Role::Between(self.templates.get(&template::hash(text)).copied().flatten());
            let (line, text, grade) = (number - 1, text.to_owned(), Grade::Strong);
            self.between.push(Candidate { line, text, grade, count: 1, role, of_form: 0 });
        }
    }

    /// Takes a line. Returns true if it has a role of its own.
    fn take(&mut self, line: Line<'_>) -> bool {
        if self.trace.is_some() {
            self.in_trace(line);
            return true;
        }
        let open = self.open.take();
        if line.is_triggered() && location::is_arrow(line.text) {
            self.arrow(line, open);
            return true;
        }
        let template = if line.is_triggered() { template::hash(line.text) } else { 0 };
        if line.is_triggered()
            && let Some(is_candidate) = self.count(line, template)
        {
            return is_candidate;
        }
        if self.rejected >= REJECTED {
            return true;
        }
        let graded = if line.is_triggered() { Table::get().grade(line) } else { None };
        if let Some(open) = open
            && graded.is_none_or(|graded| graded.grade > Grade::Strong)
            && self.belongs(line, open)
        {
            return true;
        }
        match graded {
            Some(_) if line.text.contains("Traceback (most recent") => self.trace = Some(indent(line.text)),
            Some(graded) => self.add_first(line.number, line.text, line.before, template, graded),
            None if line.is_triggered() => self.is_calm(line, template),
            None => {}
        }
        graded.is_some()
    }

    /// Stores a strong line that is not the first one of its template, if the limits allow it. Returns true if they do.
    fn add_again(&mut self, line: Line<'_>, role: Role) -> bool {
        let fits = self.fits_again(line.text);
        if fits {
            self.bytes_again += line.text.len() + 1;
            self.push(line.number, line.text, Grade::Strong, role, 0);
        }
        fits
    }

    /// True if a line that is not the first one of its template can be stored.
    fn fits_again(&self, text: &str) -> bool {
        text.len() <= self.max_bytes / PART && self.bytes_again + text.len() < self.max_bytes
    }

    /// Takes a line of a stack trace. The message is the first line after the frames, which are indented.
    fn in_trace(&mut self, line: Line<'_>) {
        if line.text.trim().is_empty() || Some(indent(line.text)) > self.trace {
            if location::is_frame(line.text) {
                self.location = Some((line.number, line.text.to_owned()));
            } else if line.is_triggered() {
                self.count(line, template::hash(line.text));
            }
            return;
        }
        self.trace = None;
        let template = template::hash(line.text);
        if self.count(line, template).is_none() {
            self.add_first(line.number, line.text, line.before, template, Graded::near(Grade::Strong));
        }
    }

    /// Counts a line with a known template. Returns whether its lines are key lines; `None` if the template is unknown.
    fn count(&mut self, line: Line<'_>, template: u64) -> Option<bool> {
        let Some(known) = *self.templates.get(&template)? else { return Some(false) };
        let first = &mut self.all[known];
        first.count += 1;
        let (grade, before) = (first.grade, first.count - 2);
        if grade == Grade::Strong && before < AGAIN {
            self.add_again(line, Role::Again(known, before));
        }
        Some(true)
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
        if is_known || previous.trim().is_empty() || Table::get().grade_alone(previous).is_some() {
            return;
        }
        self.add_first(line.number - 1, previous, Before::default(), template, Graded::near(Grade::Strong));
        if let Some(open) = self.open.take() {
            self.add_to(open.candidate, line.number, line.text);
        }
    }

    /// Takes a triggered line that is no key line. It may be the location of one.
    fn is_calm(&mut self, line: Line<'_>, template: u64) {
        if location::is_frame(line.text) {
            self.location = Some((line.number, line.text.to_owned()));
        } else if self.calm_templates < CALM_TEMPLATES {
            self.calm_templates += 1;
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
        if grade == Grade::Strong {
            self.open_report(new, number, text, before);
        }
        if grade <= Grade::Message {
            let takes_any = text.trim_end().ends_with(':') || is_status(text);
            self.open = Some(Open { candidate: new, lines: 2, takes_any });
        }
    }

    /// Stores the heading and the location before a strong candidate, and opens its context.
    fn open_report(&mut self, candidate: usize, number: u64, text: &str, before: Before<'_>) {
        if let Some((lines, heading)) = location::heading(text, before.lines()) {
            self.add_to(candidate, number - lines, heading);
        }
        if let Some((line, text)) = self.location.take()
            && number <= line + LINES_AFTER_LOCATION
        {
            self.add_to(candidate, line, &text);
        }
        let templates = before.lines().take(COMPARED).map(template::hash).collect();
        self.context = Some(Context { candidate, lines: AFTER, templates });
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
