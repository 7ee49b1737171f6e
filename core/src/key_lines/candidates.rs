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
    /// A line near that candidate, with no form of its own, and its distance in lines.
    Near(usize, u64),
    /// The only line between two candidates, and the candidate with its template. It is shown if the marker for it would be
    /// longer.
    Between(Option<usize>),
}

/// Lines with the template of a strong candidate that are stored after the first.
const AGAIN: u64 = 5;
/// Lines after a candidate that are its context.
const AFTER: u64 = 24;
/// Lines before a candidate that are its context.
const BEFORE: u64 = 12;
/// The distance up to which a line of the context is close. Others may use only half of the space.
const CLOSE: u64 = 5;
/// The last candidates that are checked for one two lines before the next.
const LAST: usize = 4;
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
    /// Returns a collector that stores at most seven times `max_bytes` of lines, whatever the length of the text.
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
        let Found { mut all, others, rare, .. } = self.found;
        all.extend(others);
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
    /// Bytes of those that repeat a template.
    bytes_again: usize,
    /// Bytes of the context of the candidates of each grade.
    bytes_near: [usize; GRADES],
    /// The candidate whose context is read.
    context: Option<Context>,
    all: Vec<Candidate>,
    /// Candidates without a form: the context, and the lines between two others.
    others: Vec<Candidate>,
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
    /// For each grade, the number of the last line whose context was stored.
    last: [u64; GRADES],
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

/// A candidate whose next lines are stored.
#[derive(Debug)]
struct Context {
    candidate: usize,
    /// Number of lines that were read.
    lines: u64,
    /// Templates of the lines that were stored.
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
        let role = self.take(line);
        let grade = |context: &Context| self.all[context.candidate].grade;
        if let Some(context) = context
            && self.context.as_ref().is_none_or(|new| grade(&context) < grade(new))
        {
            self.add_context(context, line, role);
        }
        let Line { number, before, .. } = line;
        let mut last = self.all.iter().rev().take(LAST);
        if self.all.len() > stored
            && let Some(text) = before.lines().next()
            && last.any(|candidate| candidate.line + 2 == number)
        {
            self.add_between(number - 1, text);
        }
    }
}

impl Found {
    /// Takes a line after a candidate as its context, unless its own role has that grade or it is like a line before it there. A
    /// line that reports a success ends the context.
    fn add_context(&mut self, mut context: Context, line: Line<'_>, role: Option<Grade>) {
        if is_success(line.text) {
            return;
        }
        context.lines += 1;
        let template = template::hash(line.text);
        if is_repeated(line.text, template, &context.templates) {
            self.add_between(line.number, line.text);
        } else if role.is_none_or(|grade| grade > self.all[context.candidate].grade) {
            self.add_near(line.number, line.text, context.candidate, context.lines);
            context.templates.push(template);
        }
        self.context = (context.lines < AFTER).then_some(context);
    }

    /// Stores the lines before a candidate as its context, without lines that are like a nearer one. A line that reports a
    /// success, or whose own context is stored, ends the context.
    fn add_context_before(&mut self, candidate: usize, number: u64, before: Before<'_>) {
        let grade = self.all[candidate].grade as usize;
        let known = self.last[..=grade].iter().copied().max().unwrap_or_default();
        let mut templates = Vec::new();
        for (distance, text) in (1..=BEFORE.min(number.saturating_sub(known + 1))).zip(before.lines()) {
            if is_success(text) {
                break;
            }
            let template = template::hash(text);
            let role = self.templates.get(&template).copied().flatten().map(|first| self.all[first].grade);
            if is_repeated(text, template, &templates) {
                self.add_between(number - distance, text);
            } else if role.is_none_or(|role| role as usize > grade) {
                self.add_near(number - distance, text, candidate, distance);
                templates.push(template);
            }
        }
        self.last[grade] = number;
    }

    /// Stores a line next to the last stored one, because it may be the only one before the next.
    fn add_between(&mut self, line: u64, text: &str) {
        let is_next_to =
            |last: &Candidate| last.line.abs_diff(line) == 1 && !matches!(last.role, Role::Between(_));
        let is_next = self.all.last().is_some_and(is_next_to) || self.others.last().is_some_and(is_next_to);
        if is_next && text.len() <= BETWEEN_BYTES && self.fits_again(text) {
            self.bytes_again += text.len() + 1;
            let role = Role::Between(self.templates.get(&template::hash(text)).copied().flatten());
            let (text, grade) = (text.to_owned(), Grade::Strong);
            self.others.push(Candidate { line, text, grade, count: 1, role, of_form: 0 });
        }
    }

    /// Takes a line. Returns the grade of its role; `None` if it has none of its own.
    fn take(&mut self, line: Line<'_>) -> Option<Grade> {
        if self.trace.is_some() {
            self.in_trace(line);
            return Some(Grade::Strong);
        }
        let open = self.open.take();
        if line.is_triggered() && location::is_arrow(line.text) {
            self.arrow(line, open);
            return Some(Grade::Strong);
        }
        let template = if line.is_triggered() { template::hash(line.text) } else { 0 };
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
            None if line.is_triggered() => self.is_calm(line, template),
            None => {}
        }
        graded.map(|graded| graded.grade)
    }

    /// Stores a line of the context of a candidate if the limits allow it.
    fn add_near(&mut self, line: u64, text: &str, candidate: usize, distance: u64) {
        let grade = self.all[candidate].grade;
        // Key lines never take more than half of the limits.
        let space = self.max_bytes / if distance > CLOSE { 4 } else { 2 };
        let bytes = &mut self.bytes_near[grade as usize];
        if *bytes + text.len() < space && text.len() <= self.max_bytes / PART {
            *bytes += text.len() + 1;
            let role = Role::Near(candidate, distance);
            self.others.push(Candidate { line, text: text.to_owned(), grade, count: 1, role, of_form: 0 });
        }
    }

    /// True if a line that is not the first one of its template can be stored.
    fn fits_again(&self, text: &str) -> bool {
        text.len() <= self.max_bytes / PART && self.bytes_again + text.len() < self.max_bytes
    }

    /// Takes a line of a stack trace. The message is the first line after the frames, which are indented.
    fn in_trace(&mut self, line: Line<'_>) {
        let template = template::hash(line.text);
        let known = self.templates.get(&template).copied();
        if line.text.trim().is_empty() || Some(indent(line.text)) > self.trace {
            if location::is_frame(line.text) {
                self.location = Some((line.number, line.text.to_owned()));
            } else if let Some(Some(first)) = known {
                self.count(line, first);
            }
            return;
        }
        self.trace = None;
        match known {
            Some(Some(first)) => _ = self.count(line, first),
            Some(None) => {}
            None => {
                self.add_first(line.number, line.text, line.before, template, Graded::near(Grade::Strong));
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
        self.add_context_before(candidate, number, before);
        self.context = Some(Context { candidate, lines: 0, templates: Vec::new() });
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

/// True if a line adds nothing to context with lines of these templates. The locations of a stack trace all have the same
/// template.
fn is_repeated(line: &str, template: u64, templates: &[u64]) -> bool {
    line.trim().is_empty() || templates.contains(&template) && !location::is_only_location(line)
}

/// True if a line reports a success.
fn is_success(line: &str) -> bool {
    calm::mood(line, 0, "", false) == Mood::Well
}

/// True if a line has only a status. The next line names what failed.
fn is_status(line: &str) -> bool {
    let word = line.trim_matches(|c: char| !c.is_alphanumeric());
    matches!(word, "FAIL" | "FAILED" | "ERROR" | "Error" | "error")
}
