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
    let after = Gap::of(ends).after;
    let head_bytes = ends.cut.map_or(0, |cut| cut.head.bytes);
    let (head, tail) = ends.content.split_at(as_index(head_bytes));
    let mut parts: Vec<(u64, &str)> = vec![(0, head), (after - 1, tail)];
    parts.extend(chosen.lines.iter().map(|(line, text)| (line - 1, *text)));
    // For each kind, its first line that is shown, and the number of those.
    let mut shown: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for (before, text) in parts {
        for (kind, line, count) in kinds.count_in(text) {
            let entry = shown.entry(kind).or_insert((before + line, 0));
            *entry = (entry.0.min(before + line), entry.1 + count);
        }
    }
    let counted = || kinds.kinds().iter().enumerate().filter(|(_, kind)| kind.grade <= worst);
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
