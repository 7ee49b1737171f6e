//! Grades a line by the table of forms.

#![expect(
    clippy::indexing_slicing,
    reason = "the search gives positions in the text and numbers of literals"
)]

use std::sync::LazyLock;

use super::calm::{self, Mood};
use super::edges;
use super::forms::{Form, GROUPS, Grade};
use super::literals::Literals;
use super::location::{self, Location};

/// A form, its number in the table, and the position of a literal in its text.
#[derive(Debug, Clone, Copy)]
struct Place {
    form: &'static Form,
    number: u16,
    /// Bytes of the form before the literal.
    before: usize,
    /// Bytes of the literal before the form.
    after: usize,
}

/// The literals of the table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) literals: Literals,
    /// For each literal, its text and its places in forms.
    places: Vec<(&'static str, Vec<Place>)>,
}

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
    /// A line that only its neighbours make a key line.
    const NEAR: u16 = u16::MAX - 3;
    /// A line unlike all others.
    const RARE: u16 = u16::MAX - 4;

    /// The grade of a line that belongs to one of `grade`, or is the message of a trace.
    pub(super) fn near(grade: Grade) -> Self {
        Self { grade, form: Self::NEAR }
    }

    /// The grade of a line unlike all others.
    pub(super) const fn rare() -> Self {
        Self { grade: Grade::Faint, form: Self::RARE }
    }
}

impl Table {
    fn new() -> Self {
        let mut places = Vec::new();
        let mut number = 0;
        for group in GROUPS {
            for text in group.needles {
                let bare = text.trim_start_matches('\n');
                let of_form = |(form, number): (&'static Form, u16)| {
                    let needle = if form.any_case { bare.to_ascii_lowercase() } else { bare.to_owned() };
                    let start = form.text.find(&needle).map(|at| (at, 0));
                    // The spaces around a literal may be outside the form.
                    let inner =
                        || Some((form.text.find(needle.trim())?, needle.len() - needle.trim_start().len()));
                    let (before, after) = start.or_else(inner)?;
                    Some(Place { form, number, before, after })
                };
                places.push((*text, group.forms.iter().zip(number..).filter_map(of_form).collect()));
            }
            number += u16::try_from(group.forms.len()).unwrap_or_default();
        }
        // The short ones are found as marks.
        places.sort_by_key(|(text, _)| is_mark(text));
        let literals: Vec<&str> =
            places.iter().filter(|(text, _)| !is_mark(text)).map(|(text, _)| *text).collect();
        let literals = Literals::new(&literals);
        Self { literals, places }
    }

    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    /// Returns the forms of literals that are at the start of `line`.
    fn at_start<'a>(&'a self, line: &'a str) -> impl Iterator<Item = Place> + 'a {
        let of_lines = self.places.iter().filter(|(text, _)| text.starts_with('\n'));
        of_lines
            .flat_map(|(_, places)| places)
            .filter(move |place| line.starts_with(place.form.text))
            .copied()
    }

    /// True if a literal that begins with a newline is at the start of `line`.
    pub(super) fn is_at_start(&self, line: &str) -> bool {
        self.at_start(line).next().is_some()
    }

    /// True if `line` has a literal or a location.
    pub(super) fn triggers(&self, line: &str) -> bool {
        self.is_at_start(line) || self.literals.is_in(line) || location::find(line.as_bytes(), 0).is_some()
    }

    /// Returns the grade of a line; `None` if it is no key line.
    pub(super) fn grade(&self, line: &str) -> Option<Graded> {
        if calm::is_source(line) {
            return None;
        }
        let mut best: Option<(Place, usize)> = None;
        for place in self.at_start(line) {
            best = Some((place, 0));
        }
        for (at, literal) in self.literals.find_all(line) {
            for place in &self.places[literal].1 {
                if best.is_some_and(|(best, _)| best.form.grade <= place.form.grade) {
                    continue;
                }
                if let Some(start) = (at + place.after).checked_sub(place.before)
                    && edges::matches(line, start, place.form)
                {
                    best = Some((*place, start));
                }
            }
        }
        let mut graded = best.map(|(place, _)| Graded { grade: place.form.grade, form: place.number });
        let mut at = best.map_or(0, |(_, at)| at);
        if graded.is_none_or(|graded| graded.grade > Grade::Strong)
            && let Some(located) = location::of(line).map(of_location)
            && graded.is_none_or(|graded| graded.grade > located.grade || located.form == Graded::MINOR)
        {
            (graded, at) = (Some(located), line.len());
        }
        let graded = graded?;
        let is_fail = best.is_some_and(|(place, _)| place.form.text.starts_with("fail"));
        match calm::mood(line, at, graded.grade == Grade::Strong, is_fail) {
            Mood::Wrong => Some(graded),
            Mood::Warning => Some(Graded { grade: Grade::Faint, ..graded }),
            Mood::Well => None,
        }
    }
}

/// True for a literal that is too short for the scan.
fn is_mark(literal: &str) -> bool {
    literal == "\n!"
}

/// Returns the grade of a line that begins with `location`.
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
        Some(_) if location.has_column && digits < 3 => (Grade::Strong, Graded::COLUMN),
        Some(_) => (Grade::Message, Graded::LINE),
    };
    Graded { grade, form }
}

#[cfg(test)]
mod tests;
