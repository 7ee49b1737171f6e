//! Grades a line by the table of forms.

#![expect(
    clippy::indexing_slicing,
    reason = "the search gives positions in the text and numbers of literals"
)]

use std::sync::LazyLock;

use super::edges;
use super::forms::{Edge, Form, GROUPS, Grade};
use super::literals::Literals;
use super::location::{self, Location};
use super::scan::Line;
use super::verdict::{Verdict, verdict};

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

/// The number of literals in a line that are checked. A line of a report has few.
const HITS: usize = 16;

/// The shortest line of a text that is wrapped.
const WRAPPED_BYTES: usize = 40;

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// The grade of a line, and the number of the form that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Graded {
    pub(super) grade: Grade,
    pub(super) form: u16,
    /// True if the form is at the start of a message.
    pub(super) is_at_start: bool,
}

impl Graded {
    /// A location with a line, before a text or alone.
    const LINE: u16 = u16::MAX;
    /// A location with a line and a column, before a text.
    const COLUMN: u16 = u16::MAX - 1;
    /// A location before the code of an error.
    const CODE: u16 = u16::MAX - 2;
    /// A line that reports a failure only because a `--> file:line` follows it.
    const BEFORE_ARROW: u16 = u16::MAX - 3;

    /// Returns the grade of a line before a `--> file:line`.
    pub(super) const fn before_arrow() -> Self {
        Self { grade: Grade::Strong, form: Self::BEFORE_ARROW, is_at_start: true }
    }
}

impl Table {
    fn new() -> Self {
        let mut literals: Vec<(&str, Vec<Place>)> = Vec::new();
        let mut number = 0;
        for group in GROUPS {
            for text in group.literals {
                let of_form = |(form, number): (&'static Form, u16)| {
                    let literal = if form.any_case { text.to_ascii_lowercase() } else { (*text).to_owned() };
                    let start = form.text.find(&literal).map(|at| (at, 0));
                    // The spaces around a literal may be outside the form.
                    let inner = || {
                        Some((form.text.find(literal.trim())?, literal.len() - literal.trim_start().len()))
                    };
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

    /// Returns the grade of a line; `None` if it is no key line.
    pub(super) fn grade(
        &self,
        Line { text: line, hits, has_location, before, .. }: Line<'_>,
    ) -> Option<Graded> {
        let mut best: Option<(Place, usize)> = None;
        for hit in hits.iter().take(HITS) {
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
        let is_wrapped = best.is_some_and(|(_, start)| is_wrapped(before.lines().next(), line, start));
        let mut graded = best.map(|(Place { form, number, .. }, start)| Graded {
            grade: if is_wrapped { form.grade.max(Grade::Message) } else { form.grade },
            form: number,
            is_at_start: !matches!(form.before, Edge::Any | Edge::Word)
                || line[start..].starts_with(char::is_uppercase)
                || form.after == Edge::Colon,
        });
        let mut at = best.map_or(0, |(_, at)| at);
        let is_frame = line.trim_start().starts_with("at ");
        let location = if has_location && !is_frame { location::of(line) } else { None };
        if location.is_some_and(is_match_of_search) {
            return None;
        }
        if let Some(located) = location.map(of_location)
            && graded.is_none_or(|graded| graded.grade > located.grade)
        {
            (graded, at) = (Some(located), line.len());
        }
        let graded = graded?;
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

/// Returns the grade of a line whose message begins with `location`. Linters name an error by `E` or `F` and digits.
fn of_location(location: Location<'_>) -> Graded {
    let text = location.after.trim_start_matches([':', ' ', ')', '-', '[', ',']);
    let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let (grade, form) = match text.as_bytes().first() {
        None => (Grade::Faint, Graded::LINE),
        Some(b'E' | b'F') if digits >= 3 => (Grade::Strong, Graded::CODE),
        Some(_) if location.has_column => (Grade::Strong, Graded::COLUMN),
        Some(_) if begins_with_message(location) => (Grade::Strong, Graded::LINE),
        Some(_) => (Grade::Message, Graded::LINE),
    };
    Graded { grade, form, is_at_start: true }
}

/// True if a form is at `start`, the first word of a line, which continues a sentence of the line before it.
fn is_wrapped(previous: Option<&str>, line: &str, start: usize) -> bool {
    line[start..].starts_with(char::is_lowercase)
        && !line[..start].contains(|c: char| c.is_alphanumeric())
        && previous.is_some_and(|text| {
            let text = text.trim_end();
            text.len() >= WRAPPED_BYTES && text.ends_with(|c: char| c.is_lowercase() || c == ',')
        })
}

/// True if a line is a match of a search, as `a.py:3:    raise Error`: the text follows the line number without a space, or is
/// indented.
fn is_match_of_search(Location { is_first, has_column, after }: Location<'_>) -> bool {
    let text = after.strip_prefix(':').unwrap_or(" ");
    is_first
        && !has_column
        && (!text.starts_with([' ', ')']) && !text.starts_with("in ") || text.starts_with("  "))
}

/// True if a line is a location and a message, as `a.py:3: unused import`. In source code that a search found, the text
/// follows the colon directly or is indented.
fn begins_with_message(Location { is_first, after, .. }: Location<'_>) -> bool {
    let text = after.trim_start_matches([':', ')']).strip_prefix(' ').unwrap_or_default();
    is_first
        && text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '\'' | '"' | '`' | '[' | '\u{2018}'))
}

#[cfg(test)]
mod tests;
