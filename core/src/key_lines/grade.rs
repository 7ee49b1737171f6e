//! Grades a line by the table of forms.

#![expect(
    clippy::indexing_slicing,
    reason = "the search gives positions in the text and numbers of literals"
)]

use std::sync::LazyLock;

use super::edges;
use super::forms::{Form, GROUPS, Grade};
use super::literals::{Hit, Literals};
use super::location::{self, Location};
use super::scan::{Before, Line};
use super::verdict::{Verdict, is_source, may_be_source, verdict};

/// A form, its number in the table, and the position of a literal in its text.
#[derive(Debug, Clone, Copy)]
struct Place {
    form: &'static Form,
    number: u16,
    /// Offset of the literal in the form.
    in_form: usize,
    /// Offset of the form in the literal, which may begin with a space.
    in_literal: usize,
}

/// The literals of the table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) literals: Literals,
    /// For each literal, its places in forms.
    places: Vec<Vec<Place>>,
}

/// Kinds of messages below a warning, as linters write them after a location.
const MINOR: [&str; 6] = ["style", "performance", "portability", "information", "convention", "refactor"];

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// The grade of a line, and the number of the form that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Graded {
    pub(super) grade: Grade,
    pub(super) form: u16,
}

impl Graded {
    /// A location with a line, before a text.
    const LINE: u16 = u16::MAX;
    /// A location with a line and a column, before a text.
    const COLUMN: u16 = u16::MAX - 1;
    /// A location before the code of an error.
    const CODE: u16 = u16::MAX - 2;
    /// A location before the code of a warning.
    const MINOR: u16 = u16::MAX - 5;
    /// A line that is a key line only because of the lines around it.
    const NEIGHBOUR: u16 = u16::MAX - 3;
    /// A mark at the start of the line.
    const MARK: u16 = u16::MAX - 6;
    /// A line unlike all others.
    const RARE: u16 = u16::MAX - 4;

    /// The grade of a line that belongs to one of `grade`, or is the message of a trace.
    pub(super) fn neighbour(grade: Grade) -> Self {
        Self { grade, form: Self::NEIGHBOUR }
    }

    /// The grade of a line unlike all others.
    pub(super) const fn rare() -> Self {
        Self { grade: Grade::Faint, form: Self::RARE }
    }
}

impl Table {
    fn new() -> Self {
        let mut literals: Vec<(&str, Vec<Place>)> = Vec::new();
        let mut number = 0;
        for group in GROUPS {
            for text in group.needles {
                let of_form = |(form, number): (&'static Form, u16)| {
                    let needle = if form.any_case { text.to_ascii_lowercase() } else { (*text).to_owned() };
                    let start = form.text.find(&needle).map(|at| (at, 0));
                    // The spaces around a literal may be outside the form.
                    let inner =
                        || Some((form.text.find(needle.trim())?, needle.len() - needle.trim_start().len()));
                    let (in_form, in_literal) = start.or_else(inner)?;
                    Some(Place { form, number, in_form, in_literal })
                };
                literals.push((text, group.forms.iter().zip(number..).filter_map(of_form).collect()));
            }
            number += u16::try_from(group.forms.len()).unwrap_or_default();
        }
        let literals = in_order_of_search(literals);
        let texts: Vec<&str> = literals.iter().map(|(text, _)| *text).collect();
        let search = Literals::new(&texts);
        Self { literals: search, places: literals.into_iter().map(|(_, places)| places).collect() }
    }

    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    /// Returns the grade of a line that was not scanned; `None` if it is no key line.
    pub(super) fn grade_alone(&self, text: &str) -> Option<Graded> {
        let hits: Vec<Hit> = self.literals.find_all(text).collect();
        let has_location = location::find(text.as_bytes(), 0).is_some();
        self.grade(Line { number: 0, text, before: Before::default(), hits: &hits, has_location })
    }

    /// Returns the grade of a line; `None` if it is no key line.
    pub(super) fn grade(&self, Line { text: line, hits, has_location, .. }: Line<'_>) -> Option<Graded> {
        let mut best: Option<(Place, usize)> = None;
        for hit in hits {
            for place in &self.places[hit.literal] {
                if best.is_some_and(|(best, _)| best.form.grade <= place.form.grade) {
                    continue;
                }
                if let Some(start) = (hit.at + place.in_literal).checked_sub(place.in_form)
                    && edges::matches(line, start, place.form)
                {
                    best = Some((*place, start));
                }
            }
        }
        let mut graded = best.map(|(place, _)| Graded { grade: place.form.grade, form: place.number });
        let mut at = best.map_or(0, |(_, at)| at);
        let is_frame = line.trim_start().starts_with("at ");
        let location = if has_location && !is_frame { location::of(line) } else { None };
        if let Some(located) = location.map(of_location)
            && graded.is_none_or(|graded| graded.grade > located.grade || located.form == Graded::MINOR)
        {
            (graded, at) = (Some(located), line.len());
        }
        let message_of_program = after_program(line);
        if graded.is_some_and(|graded| graded.grade == Grade::Message) && message_of_program.is_some() {
            graded = graded.map(|graded| Graded { grade: Grade::Strong, ..graded });
        }
        if graded.is_none_or(|graded| graded.grade > Grade::Strong)
            && message_of_program.is_some_and(begins_with_line)
        {
            (graded, at) = (Some(Graded { grade: Grade::Strong, form: Graded::LINE }), line.len());
        }
        if line.starts_with("! ") || line.starts_with("** (") || has_level_letter(line) {
            graded = Some(Graded { grade: Grade::Strong, form: Graded::MARK });
        }
        let graded = graded?;
        let message = location.map_or(line, |location| location.after);
        if is_source(line, message, at) {
            return None;
        }
        let is_uncertain =
            may_be_source(line, message) && location.is_none_or(|location| !location.has_column);
        let most = if is_uncertain { Grade::Message } else { Grade::Strong };
        let graded = Graded { grade: graded.grade.max(most), ..graded };
        let form = best.map_or("", |(place, _)| place.form.text);
        match verdict(line, at, form, graded.grade == Grade::Strong) {
            Verdict::Failure => Some(graded),
            Verdict::Warning => Some(Graded { grade: Grade::Faint, ..graded }),
            Verdict::Success => None,
        }
    }
}

/// Returns literals in an order that makes the search twice as fast.
///
/// The packed search distributes the literals to 16 buckets, one after the other. It compares a position in the text with all
/// literals of a bucket if each byte there matches any of them. So similar literals have to be in the same bucket.
fn in_order_of_search(mut literals: Vec<(&str, Vec<Place>)>) -> Vec<(&str, Vec<Place>)> {
    const BUCKETS: usize = 16;
    literals.sort_by_key(|(text, _)| [2, 3, 1].map(|at| text.as_bytes().get(at).map(|byte| byte % 16)));
    let (rows, longer) = (literals.len() / BUCKETS, literals.len() % BUCKETS);
    // The first buckets have one literal more.
    let place = |n: usize| match n.checked_sub(longer * (rows + 1)) {
        None => (n % (rows + 1), n / (rows + 1)),
        Some(n) => (n % rows, longer + n / rows),
    };
    let mut ordered: Vec<_> = literals.into_iter().enumerate().collect();
    ordered.sort_by_key(|(n, _)| place(*n));
    ordered.into_iter().map(|(_, literal)| literal).collect()
}

/// Returns the grade of a line whose message begins with `location`.
///
/// Linters name a message by a letter and digits: `E` is an error, `F` a fatal error, and `W`, `C`, `R`, `I`, `N`
/// and `D` are minor messages.
fn of_location(location: Location<'_>) -> Graded {
    let text = location.after.trim_start_matches([':', ' ', ')', '-', '[', ',']);
    let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let (grade, form) = match text.as_bytes().first() {
        None => (Grade::Faint, Graded::LINE),
        Some(b'E' | b'F') if digits >= 3 => (Grade::Strong, Graded::CODE),
        Some(b'W' | b'C' | b'R' | b'I' | b'N' | b'D') if digits >= 3 => (Grade::Faint, Graded::MINOR),
        Some(_) if MINOR.iter().any(|kind| is_kind(text, kind)) => (Grade::Faint, Graded::MINOR),
        Some(_) if location.has_column && digits < 3 => (Grade::Strong, Graded::COLUMN),
        Some(_) if begins_with_message(location) => (Grade::Strong, Graded::LINE),
        Some(_) => (Grade::Message, Graded::LINE),
    };
    Graded { grade, form }
}

/// True if `text` begins with the kind of a message and a colon.
fn is_kind(text: &str, kind: &str) -> bool {
    text.strip_prefix(kind).is_some_and(|rest| rest.starts_with(": "))
}

/// True if a line is a location and a message, as `a.py:3: unused import`. In source code that a search found, the text
/// follows the colon directly or is indented.
fn begins_with_message(Location { is_first, after, .. }: Location<'_>) -> bool {
    let text = after.trim_start_matches([':', ')']).strip_prefix(' ').unwrap_or_default();
    is_first
        && text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '\'' | '"' | '`' | '[' | '\u{2018}'))
}

/// True if a line begins with the letter of a log level, a date and a time, as `E1123 10:00:01.123456 1 a.go:7] …`.
fn has_level_letter(line: &str) -> bool {
    let is_like = |(byte, like): (&u8, &u8)| match like {
        b'0' => byte.is_ascii_digit(),
        _ => byte == like,
    };
    line.starts_with(['E', 'F'])
        && line
            .as_bytes()
            .get(1..)
            .is_some_and(|rest| rest.len() > 8 && rest.iter().zip(b"0000 00:00").all(is_like))
}

/// Returns the text after the name of a program and a colon, with which messages on standard error begin.
fn after_program(line: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/');
    let after = line.trim_start_matches(is_name);
    let name = &line[..line.len() - after.len()];
    let is_program = name.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/'))
        && !name.starts_with("debug");
    after.strip_prefix(": ").filter(|text| is_program && !text.starts_with(' '))
}

/// True if a message begins with the number of a line, as those of shells do: `line 3: foo: unbound variable`.
fn begins_with_line(message: &str) -> bool {
    message.strip_prefix("line ").and_then(edges::after_number).is_some_and(|text| text.starts_with(": "))
}

#[cfg(test)]
mod tests;
