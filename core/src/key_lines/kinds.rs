//! The kinds of lines that report a failure, with the number of their lines.

#![expect(clippy::indexing_slicing, reason = "the indexes are those of kinds that are never removed")]

use std::collections::{BTreeMap, HashMap};

use super::forms::Grade;
use super::grade::{Graded, Table};
use super::location;
use super::near::{Near, Nearby};
use super::scan::{LINE_BYTES, Line, Scan, Sink};
use super::template;
use super::verdict::{Verdict, verdict};

/// The number of kinds that are distinguished. In a text with more, the counts are lower bounds.
const KINDS: usize = 20_000;
/// Number of stored templates of lines that report no failure, so that such lines need not be graded again.
const OTHER_TEMPLATES: usize = 1024;
/// A stored line has at most one part in this number of the limit of bytes.
pub(super) const LINE_PART: usize = 4;
/// The number of grades.
pub(super) const GRADES: usize = 4;

/// Lines that report a failure and differ only in numbers and paths.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    pub(crate) grade: Grade,
    /// The number of its first line, from 1.
    pub(crate) line: u64,
    /// The number of its lines.
    pub(crate) count: u64,
    /// The number of kinds with the same form before it.
    pub(crate) of_form: u32,
    /// True if its form is at the start of a message.
    pub(crate) is_at_start: bool,
    /// Its first line, if there was space for it.
    pub(crate) text: Option<String>,
    /// The number of the line with the name of its file, if it has no location.
    pub(crate) heading: Option<u64>,
    /// The template of its lines.
    pub(crate) template: u64,
}

/// Finds the kinds of a text.
#[derive(Debug, Clone)]
pub(crate) struct Kinds {
    scan: Scan,
    found: FoundKinds,
}

impl Kinds {
    /// Returns the kinds of an empty text. At most seven times `max_bytes` of lines are stored, whatever the length of
    /// the text.
    pub(crate) fn new(max_bytes: usize) -> Self {
        let near = Nearby::new(max_bytes);
        Self { scan: Scan::default(), found: FoundKinds { max_bytes, near, ..FoundKinds::default() } }
    }

    /// Takes the next piece.
    pub(crate) fn push(&mut self, text: &str) {
        self.scan.push(text, &mut self.found);
    }

    /// Takes the end of the text.
    pub(crate) fn finish(&mut self) {
        self.scan.finish(&mut self.found);
    }

    /// Returns the kinds, in the order of their first lines.
    pub(crate) fn kinds(&self) -> &[Kind] {
        &self.found.all
    }

    /// Returns the lines near the first lines of kinds: those of better grades first, and of a grade the nearest first.
    pub(crate) fn near(&self) -> impl Iterator<Item = &Near> {
        self.found.near.lines()
    }

    /// Returns the heading of a kind: its number, and its text.
    pub(crate) fn heading(&self, kind: &Kind) -> Option<(u64, &str)> {
        Some((kind.heading?, self.found.headings.get(&kind.heading?)?))
    }

    /// True if the text has more kinds than are counted.
    pub(crate) fn is_over(&self) -> bool {
        self.found.is_over
    }

    /// Counts the lines of each kind in `text`, a part of the text. Returns the index of the kind, the number of its first
    /// line in `text`, and the number of its lines.
    pub(crate) fn count_in(&self, text: &str) -> Vec<(usize, u64, u64)> {
        let mut counter = KindCounter { templates: &self.found.templates, counts: HashMap::new() };
        let mut scan = Scan::default();
        scan.push(text, &mut counter);
        scan.finish(&mut counter);
        counter.counts.into_iter().map(|(kind, (line, count))| (kind, line, count)).collect()
    }
}

/// The kinds so far.
#[derive(Debug, Clone, Default)]
struct FoundKinds {
    max_bytes: usize,
    all: Vec<Kind>,
    /// The kind of each template; `None` if its lines report no failure.
    templates: HashMap<u64, Option<usize>>,
    other_templates: usize,
    /// Bytes of the stored lines of each grade.
    bytes: [usize; GRADES],
    /// For each form and grade, the number of kinds and the bytes of their stored lines.
    forms: HashMap<(u16, Grade), (u32, usize)>,
    near: Nearby,
    /// Lines with the name of a file, by their numbers.
    headings: BTreeMap<u64, String>,
    heading_bytes: usize,
    is_over: bool,
}

impl Sink for FoundKinds {
    fn needs_next(&self) -> bool {
        self.near.needs_next()
    }

    fn line(&mut self, line: Line<'_>) {
        let is_of_kind = self.take(line);
        self.near.push(line.number, line.text, is_of_kind);
    }
}

impl FoundKinds {
    /// Counts the line if it reports a failure. Returns true if it does, or if it is the arrow after such a line.
    fn take(&mut self, line: Line<'_>) -> bool {
        let Some((reported, is_before_arrow)) = reported(line) else { return false };
        let template = template::hash(reported.text);
        if let Some(known) = self.templates.get(&template).copied() {
            known.inspect(|kind| self.all[*kind].count += 1);
            return known.is_some();
        }
        if self.all.len() >= KINDS {
            self.is_over = true;
            return false;
        }
        let graded = if is_before_arrow {
            let is_failure = verdict(reported.text, reported.text.len(), "", false) == Verdict::Failure;
            is_failure.then(Graded::before_arrow)
        } else {
            Table::get().grade(reported)
        };
        if let Some(graded) = graded {
            self.add(reported, template, graded);
        } else if self.other_templates < OTHER_TEMPLATES {
            self.other_templates += 1;
            self.templates.insert(template, None);
        }
        graded.is_some()
    }

    /// Adds the first line of a kind. Stores its text if the limits allow it.
    fn add(&mut self, line: Line<'_>, template: u64, Graded { grade, form, is_at_start }: Graded) {
        let (bytes, kind) = (line.text.len(), self.all.len());
        let (of_form, form_bytes) = self.forms.entry((form, grade)).or_default();
        let of_grade = &mut self.bytes[grade as usize];
        // One form never takes all the space. A grade that is full stays full, so the order of the text decides.
        let has_space = *form_bytes + bytes <= self.max_bytes / 2
            && *of_grade + bytes <= self.max_bytes
            && bytes <= (self.max_bytes / LINE_PART).min(LINE_BYTES);
        let text = has_space.then(|| line.text.to_owned());
        let earlier = *of_form;
        *of_form += 1;
        if has_space {
            *form_bytes += bytes + 1;
            *of_grade += bytes + 1;
            if grade < Grade::Faint {
                self.near.start(kind, grade, line);
            }
        }
        let heading = if has_space { self.heading(line) } else { None };
        self.all.push(Kind {
            grade,
            line: line.number,
            count: 1,
            of_form: earlier,
            is_at_start,
            text,
            heading,
            template,
        });
        self.templates.insert(template, Some(kind));
    }

    /// Stores the heading of a line without a location, and returns its number.
    fn heading(&mut self, line: Line<'_>) -> Option<u64> {
        let (distance, text) =
            if line.has_location { None } else { location::heading(line.text, line.before.lines()) }?;
        let number = line.number - distance;
        if !self.headings.contains_key(&number) && self.heading_bytes + text.len() < self.max_bytes {
            self.heading_bytes += text.len() + 1;
            self.headings.insert(number, text.to_owned());
        }
        Some(number)
    }
}

/// Returns the line that `line` shows to be a report: itself, or the line before it if `line` is the `--> file:line` that
/// follows a message without a form. The second value is true in the second case.
fn reported(line: Line<'_>) -> Option<(Line<'_>, bool)> {
    if !line.is_triggered() {
        return None;
    }
    if !location::is_arrow(line.text) {
        return Some((line, false));
    }
    let text = line.before.lines().next().filter(|text| !text.trim().is_empty())?;
    // `File "a.py", line 3` and `a.sh: line 3: …` are locations too.
    let is_own = Table::get().literals.find_all(text).next().is_some()
        || location::has_location(text)
        || text.contains(" line ");
    let before = line.before.without_last();
    let previous = Line { number: line.number - 1, text, before, hits: &[], has_location: false };
    (!is_own).then_some((previous, true))
}

/// Counts the lines of known kinds.
struct KindCounter<'a> {
    templates: &'a HashMap<u64, Option<usize>>,
    /// For each kind, its first line and the number of its lines.
    counts: HashMap<usize, (u64, u64)>,
}

impl Sink for KindCounter<'_> {
    fn needs_next(&self) -> bool {
        false
    }

    fn line(&mut self, line: Line<'_>) {
        let Some((reported, _)) = reported(line) else { return };
        if let Some(Some(kind)) = self.templates.get(&template::hash(reported.text)) {
            self.counts.entry(*kind).or_insert((reported.number, 0)).1 += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher as _;

    #[test]
    fn a_text_cannot_know_which_templates_collide() {
        let hash = |kinds: Kinds| kinds.found.templates.hasher().hash_one(1_u64);
        assert_ne!(hash(Kinds::new(1000)), hash(Kinds::new(1000)));
    }
}
