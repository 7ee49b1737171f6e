//! Counts the lines that report a failure.

use std::collections::BTreeMap;

use super::super::Truncation;
use super::{Chosen, Gap};
use crate::key_lines::{Grade, Kind, Kinds};
use crate::text::as_index;

/// Shown lines of which the number of similar lines is reported.
const ALIKE_LISTED: usize = 3;

/// How many lines of a text report a failure, and which of them are not shown. Lines of one kind differ only in numbers
/// and paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reports {
    /// The number of lines.
    pub lines: u64,
    /// The number of their kinds.
    pub kinds: u64,
    /// True if there may be more: not all kinds were counted.
    pub is_at_least: bool,
    /// Shown lines, and how many lines of their kinds are not shown, the most frequent first.
    pub alike: Vec<(u64, u64)>,
    /// The number of kinds of which no line is shown, and the first line of the first one.
    pub hidden: Option<(u64, u64)>,
}

/// Counts the lines of all the text that report a failure with the grade `worst` or a stronger one.
pub(super) fn reports(kinds: &Kinds, worst: Grade, chosen: &Chosen<'_>, ends: &Truncation) -> Reports {
    let gap = Gap::of(ends);
    let head_bytes = ends.cut.map_or(0, |cut| cut.head.bytes);
    let (head, tail) = ends.content.split_at(as_index(head_bytes));
    let key_lines = chosen.lines.iter().map(|(line, text)| (*line, *text));
    // The shown lines, with an empty line for each gap, and their numbers.
    let (mut text, mut numbers) = (String::new(), Vec::new());
    for (line, shown) in (1..).zip(head.lines()).chain(key_lines).chain((gap.after..).zip(tail.lines())) {
        if numbers.last().is_some_and(|last| last + 1 != line) {
            text += "\n";
            numbers.push(line - 1);
        }
        text = text + shown + "\n";
        numbers.push(line);
    }
    // For each kind, its first line that is shown, and the number of its shown lines.
    let of_kind = |(kind, line, count)| Some((kind, (*numbers.get(as_index(line - 1))?, count)));
    let mut shown: BTreeMap<usize, (u64, u64)> =
        kinds.count_in(&text).into_iter().filter_map(of_kind).collect();
    let counted = || kinds.kinds().iter().enumerate().filter(|(_, kind)| kind.grade <= worst);
    // Some lines count as a report only because of the next line, which may not be shown.
    let is_shown = |line| !gap.contains(line) || chosen.lines.contains_key(&line);
    for (kind, Kind { line, .. }) in counted().filter(|(_, kind)| is_shown(kind.line)) {
        shown.entry(kind).or_insert((*line, 1));
    }
    let alike = counted().filter_map(|(kind, Kind { count, .. })| {
        let (line, shown) = shown.get(&kind)?;
        (count > shown).then(|| (*line, count - shown))
    });
    let mut alike: Vec<(u64, u64)> = alike.collect();
    alike.sort_by_key(|(line, more)| (std::cmp::Reverse(*more), *line));
    alike.truncate(ALIKE_LISTED);
    let mut hidden = counted().filter(|(kind, _)| !shown.contains_key(kind)).map(|(_, kind)| kind.line);
    let first_hidden = hidden.next();
    Reports {
        lines: counted().map(|(_, kind)| kind.count).sum(),
        kinds: counted().count() as u64,
        is_at_least: kinds.is_over(),
        alike,
        hidden: first_hidden.map(|line| (1 + hidden.count() as u64, line)),
    }
}
