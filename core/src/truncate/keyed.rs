//! Shows key lines: lines from the omitted part of a text that report a failure.

#![expect(clippy::indexing_slicing, reason = "the indexes are those of the kinds")]

mod reports;

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::bounds::Amount;
use super::collector::{SHORT_KEY_LINES, SHORT_TAIL, short};
use super::{Bounds, Collector, Cut, Keep, TruncatedBy, Truncation};
use crate::key_lines::{self, Grade, Kind, Kinds, Near};
use crate::text::as_index;
pub use reports::Reports;
use reports::reports;

/// A line from the omitted part of a text: one that reports a failure, or one near such a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyLine {
    /// Its number, from 1.
    pub line: u64,
    /// For the first line of a kind, the number of lines in the text that differ from it at most in numbers and paths.
    /// 1 for other lines, even if they report a failure too.
    pub count: u64,
}

/// The lines that count as key lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForms {
    /// None.
    None,
    /// For a text that may report a success: lines with the structure of a failure report, such as `error: …`, or with a
    /// phrase of a failure, if an omitted line has that structure. If it is the only one, it must also have a location or a
    /// stack trace, occur several times, or be at the start of a message. There are none in a text that describes failures.
    Strong,
    /// For the output of a command that failed or still runs: lines with the structure or a phrase of a failure, if an
    /// omitted line has that structure; otherwise lines with a phrase or a word of a failure. Warnings, and locations
    /// without a message, only if there are no others.
    All,
}

/// The limits of the key lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySpace {
    /// At most half of the limits of the text, or with [`Keep::Both`] of what its first lines leave. The end of the
    /// text (or the start, if only that is kept) gets what key lines do not need, and lines of short gaps may take what
    /// it leaves. With [`Keep::Short`], a fixed part, and some more for lines of gaps.
    Shared,
    /// The part of these limits that the other lines leave, and at most half of these limits. The other lines stay as
    /// they are. There are at most 20 key lines, or as many as the collector's own limit of lines if that is more.
    Beside(Bounds),
}

/// The number of key lines that may be shown beside the lines of a collector with a lower limit of lines.
const BESIDE_LINES: u64 = 20;
/// Number of kinds with the same form that keep their full rank.
const OF_FORM_FIRST: u32 = 4;
/// The distance of a location from the line that it belongs to.
const LOCATION_DISTANCE: u64 = 2;
/// Lines near the only report of a text that are searched for a location.
const EVIDENCE_DISTANCE: u64 = 3;
/// What the rank of a frame in a library adds to its distance.
const LIBRARY_DISTANCE: u64 = 1000;
/// The fewest phrases of failures in a text that describes failures.
const DESCRIPTION_PHRASES: usize = 20;
/// The longest gap, in lines, that is shown if it takes more than its marker.
const GAP_LINES: u64 = 3;
/// With [`Keep::Short`], lines of gaps may take one part in this number of the bytes of key lines in addition.
const GAPS_PART: u64 = 5;
/// Lines at the end of a text that can fill a gap.
const RECENT_LINES: usize = 100;
/// How often the end can get the space of key lines that it shows itself.
const ROUNDS: usize = 4;

/// Returns the ends of a text with key lines between them, or `None` if there are no key lines. `plain` has the ends
/// without key lines.
pub(super) fn with_key_lines(
    collector: &Collector,
    plain: &Truncation,
    kinds: &Kinds,
    space: KeySpace,
    forms: KeyForms,
) -> Option<Truncation> {
    let cut = plain.cut?;
    let bounds = collector.bounds;
    let half = |bounds: Bounds| bounds.each(|limit| limit / 2);
    // Lines at the end of the text, before those that are shown.
    let mut recent = "";
    // The limits of the key lines with their markers, their largest number, and the ends if they use all of it.
    let (mut most, mut rounds) = (usize::MAX, 0);
    let (mut room, mut ends) = match (space, collector.keep, &collector.tail) {
        (KeySpace::Beside(all), ..) => {
            most = as_index(bounds.lines.max(BESIDE_LINES));
            (half(all).min(all.after(&plain.content, plain.output.lines)), plain.clone())
        }
        (KeySpace::Shared, Keep::Short { bytes }, Some(tail)) => {
            recent = tail.after_first_newline();
            let ends = collector.ends(tail, short(bounds, bytes, SHORT_TAIL), cut.by);
            (short(bounds, bytes, SHORT_KEY_LINES), ends)
        }
        (KeySpace::Shared, ..) => {
            rounds = ROUNDS;
            let room = half(bounds.after(collector.head_before_tail(), collector.head_lines));
            (room, collector.plain_within(bounds.without(room.amount())))
        }
    };
    let worst = worst_grade(kinds, forms, Gap::of(&ends))?;
    let mut chosen = Chosen::new(kinds, worst, &ends, room, most);
    let mut texts: BTreeMap<u64, &str> = kinds.near().map(|near| (near.line, near.text.as_str())).collect();
    texts.extend(kinds.kinds().iter().filter_map(|kind| Some((kind.line, kind.text.as_deref()?))));
    chosen.fill_gaps(room, &texts);
    let recent = recent.strip_suffix('\n').unwrap_or(recent);
    if !recent.is_empty() {
        let lines = (1..=plain.total.lines).rev().zip(recent.rsplit('\n'));
        texts.extend(lines.take(RECENT_LINES));
        room.bytes += room.bytes / GAPS_PART;
    }
    for _ in 0..rounds {
        ends = collector.plain_within(bounds.without(chosen.used + chosen.marker * chosen.markers));
        room = bounds.after(&ends.content, ends.output.lines);
        if !chosen.keep_inside(Gap::of(&ends)) {
            break;
        }
    }
    // The ends may include all lines that decided.
    let has_report = kinds.kinds().iter().any(|kind| chosen.lines.contains_key(&kind.line));
    if worst_grade(kinds, forms, Gap::of(&ends)).is_none() || !has_report {
        return None;
    }
    chosen.fill_gaps(room, &texts);
    let count = |line: u64| {
        let kind = kinds.kinds().binary_search_by_key(&line, |kind| kind.line);
        kind.map_or(1, |kind| kinds.kinds()[kind].count)
    };
    let key_line = |line: u64| KeyLine { line, count: count(line) };
    let lines: Vec<_> = chosen.lines.iter().map(|(line, text)| (key_line(*line), *text)).collect();
    let reports = reports(kinds, worst, &chosen, &ends);
    Some(Truncation { reports: Some(reports), ..show(&ends, cut.by, &lines) })
}

/// Returns the weakest grade of the lines that count; `None` if there are no key lines.
fn worst_grade(kinds: &Kinds, forms: KeyForms, gap: Gap) -> Option<Grade> {
    let omitted = || kinds.kinds().iter().enumerate().filter(|(_, kind)| gap.contains(kind.line));
    let best = omitted().map(|(_, kind)| kind.grade).min()?;
    match (forms, best) {
        (KeyForms::Strong, Grade::Strong) => {
            let mut strong = omitted().filter(|(_, kind)| kind.grade == Grade::Strong);
            let (first, second, evident) = (strong.next()?, strong.next(), with_evidence(kinds));
            let is_report =
                second.is_some() || first.1.is_at_start || first.1.count > 1 || evident.contains(&first.0);
            (is_report && !is_description(kinds, &evident)).then_some(Grade::Message)
        }
        (KeyForms::None | KeyForms::Strong, _) => None,
        // Mere words count only if no line has the structure of a report.
        (KeyForms::All, Grade::Strong) => Some(Grade::Message),
        (KeyForms::All, Grade::Faint) => Some(Grade::Faint),
        (KeyForms::All, _) => Some(Grade::Weak),
    }
}

/// Returns the kinds whose first line has a location or is not stored, or is near a location or a frame of a stack trace.
fn with_evidence(kinds: &Kinds) -> HashSet<usize> {
    let is_evidence = |text: &str| key_lines::has_location(text) || key_lines::is_frame(text);
    let near = kinds.near().filter(|near| near.distance <= EVIDENCE_DISTANCE && is_evidence(&near.text));
    let own = kinds.kinds().iter().enumerate();
    let own = own.filter(|(_, kind)| kind.text.as_deref().is_none_or(is_evidence)).map(|(index, _)| index);
    near.map(|near| near.kind).chain(own).collect()
}

/// Returns true if a text describes failures, as a manual does: it has many phrases of failures, hardly any of them `evident`
/// or at the start of a message, and no line with the structure of a report occurs twice.
fn is_description(kinds: &Kinds, evident: &HashSet<usize>) -> bool {
    let of = |grade| kinds.kinds().iter().filter(move |kind| kind.grade == grade);
    let phrases = of(Grade::Message).count();
    let at_start = of(Grade::Message).filter(|kind| kind.is_at_start).count();
    let of_failures = evident.iter().filter(|kind| kinds.kinds()[**kind].grade <= Grade::Message).count();
    phrases >= DESCRIPTION_PHRASES
        && of(Grade::Strong).all(|kind| kind.count == 1)
        && of_failures * 10 <= phrases
        && at_start * 5 <= phrases
}

/// The gap between the ends: the last line before it and the first line after it. If only the start is kept, the line after
/// it is one more than the number of lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    pub(super) before: u64,
    pub(super) after: u64,
}

impl Gap {
    pub(super) fn of(ends: &Truncation) -> Self {
        let head = ends.cut.map_or(0, |cut| cut.head.lines);
        Self { before: head, after: ends.total.lines + 1 - (ends.output.lines - head) }
    }

    fn contains(self, line: u64) -> bool {
        self.before < line && line < self.after
    }
}

/// The key lines that are shown.
struct Chosen<'a> {
    /// By their numbers.
    lines: BTreeMap<u64, &'a str>,
    /// The templates of the lines that are shown, also at the ends.
    templates: HashSet<u64>,
    gap: Gap,
    bounds: Bounds,
    /// The largest number of lines, without markers.
    most: usize,
    /// What the lines take without markers.
    used: Amount,
    /// The number of markers.
    markers: u64,
    /// An upper bound of what a marker takes.
    marker: Amount,
}

impl<'a> Chosen<'a> {
    /// Chooses lines between the `ends`: first one of each kind with the grade `worst` or a stronger one, with its
    /// location, then the lines near them. No line repeats another, or a line of the ends.
    fn new(kinds: &'a Kinds, worst: Grade, ends: &Truncation, bounds: Bounds, most: usize) -> Self {
        let total = ends.total.lines;
        let mut chosen = Self {
            lines: BTreeMap::new(),
            templates: ends.content.lines().map(key_lines::template_of).collect(),
            gap: Gap::of(ends),
            bounds,
            most,
            used: Amount::default(),
            markers: 1,
            marker: Amount::of_line(&marker(total, total), bounds),
        };
        // A shorter number can cost up to a token more.
        chosen.marker.tokens += 1;
        let all = kinds.kinds();
        let mut order: Vec<usize> = (0..all.len()).filter(|kind| all[*kind].grade <= worst).collect();
        // Other kinds come before those of which the ends show a similar line.
        order.sort_by_key(|kind| (chosen.templates.contains(&all[*kind].template), rank(&all[*kind])));
        let shown: HashSet<&str> = ends.content.lines().map(str::trim).collect();
        let is_location = |near: &&Near| {
            near.line > all[near.kind].line
                && near.distance <= LOCATION_DISTANCE
                && key_lines::is_only_location(&near.text)
                && !key_lines::is_library_frame(&near.text)
        };
        let (locations, mut near): (Vec<&Near>, Vec<&Near>) = kinds.near().partition(is_location);
        // If all kinds fit, they come before the names of their files. Otherwise, each has the name.
        let needed = order.iter().filter_map(|kind| all[*kind].text.as_deref());
        let needed =
            needed.fold(Amount::default(), |sum, text| sum + Amount::of_line(text, bounds) + chosen.marker);
        let at_once = if needed.is_within(bounds) { bounds.each(|_| 0) } else { bounds };
        let mut later = Vec::new();
        for kind in order {
            let Kind { line, text, template, .. } = &all[kind];
            let Some(text) = text.as_deref().filter(|text| !shown.contains(text.trim())) else { continue };
            if chosen.add(*line, text) {
                chosen.templates.insert(*template);
                if let Some((line, text)) = kinds.heading(&all[kind])
                    && !chosen.add_within(line, text, at_once)
                {
                    later.push((line, text));
                }
                for location in locations.iter().filter(|location| location.kind == kind) {
                    chosen.add(location.line, &location.text);
                }
            }
        }
        for (line, text) in later {
            chosen.add(line, text);
        }
        near.sort_by_cached_key(|near| {
            let library = if key_lines::is_library_frame(&near.text) { LIBRARY_DISTANCE } else { 0 };
            (near.distance + library, near.line)
        });
        for Near { kind, line, text, is_context, .. } in near {
            if !*is_context || text.trim().is_empty() || !chosen.lines.contains_key(&all[*kind].line) {
                continue;
            }
            let template = key_lines::template_of(text);
            let is_new = !chosen.templates.contains(&template) || key_lines::is_only_location(text);
            if is_new && chosen.add(*line, text) {
                chosen.templates.insert(template);
            }
        }
        chosen
    }

    /// Adds a line if it is in the gap and the limits allow it. Returns true if it is shown.
    fn add(&mut self, line: u64, text: &'a str) -> bool {
        self.add_within(line, text, self.bounds)
    }

    /// Does the same within `bounds`.
    fn add_within(&mut self, line: u64, text: &'a str, bounds: Bounds) -> bool {
        if !self.gap.contains(line) {
            return false;
        }
        self.lines.contains_key(&line) || self.add_run(&[(line, text)], bounds)
    }

    /// Adds consecutive lines that are not shown yet if they are within `bounds`. Returns true if they are.
    fn add_run(&mut self, run: &[(u64, &'a str)], bounds: Bounds) -> bool {
        let ([(first, _), ..], [.., (last, _)]) = (run, run) else { return false };
        let mut used = self.used;
        for (_, text) in run {
            used = used + Amount::of_line(text, bounds);
        }
        // A line between two others replaces a marker.
        let has_before = first - 1 == self.gap.before || self.lines.contains_key(&(first - 1));
        let has_after = last + 1 == self.gap.after || self.lines.contains_key(&(last + 1));
        let markers = self.markers + 1 - u64::from(has_before) - u64::from(has_after);
        let is_within = (used + self.marker * markers).is_within(bounds);
        if self.lines.len() + run.len() > self.most || !is_within {
            return false;
        }
        (self.used, self.markers) = (used, markers);
        self.lines.extend(run.iter().copied());
        true
    }

    /// Drops the lines outside `gap`, and measures the others with their markers. Returns true if it dropped any.
    fn keep_inside(&mut self, gap: Gap) -> bool {
        let before = self.lines.len();
        self.lines.retain(|line, _| gap.contains(*line));
        (self.gap, self.used, self.markers) = (gap, Amount::default(), 0);
        let mut last = gap.before;
        for (line, text) in &self.lines {
            self.used = self.used + Amount::of_line(text, self.bounds);
            self.markers += u64::from(*line > last + 1);
            last = *line;
        }
        self.markers += u64::from(gap.after > last + 1);
        self.lines.len() < before
    }

    /// Adds the lines of gaps that are short or take no more than their marker, within `bounds`.
    fn fill_gaps(&mut self, bounds: Bounds, texts: &BTreeMap<u64, &'a str>) {
        let ends: Vec<u64> = self.lines.keys().copied().chain([self.gap.after]).collect();
        let mut last = self.gap.before;
        for end in ends {
            let gap = last + 1..end;
            last = end;
            let lines: Option<Vec<_>> = gap.clone().map(|line| Some((line, *texts.get(&line)?))).collect();
            let Some(lines) = lines else { continue };
            let bytes = |text: &str| Amount::of_line(text, bounds).bytes;
            let taken: u64 = lines.iter().map(|(_, text)| bytes(text)).sum();
            if lines.len() as u64 <= GAP_LINES || taken <= bytes(&marker(gap.start, end - 1)) {
                self.add_run(&lines, bounds);
            }
        }
    }
}

/// Returns the `ends` of a text that is over the limit `by`, with these lines between them and a marker for each gap.
fn show(ends: &Truncation, by: TruncatedBy, lines: &[(KeyLine, &str)]) -> Truncation {
    let Gap { before, after } = Gap::of(ends);
    let cut = ends.cut.map(|cut| Cut { by, ..cut });
    let (head, tail) = ends.content.split_at(as_index(cut.map_or(0, |cut| cut.head.bytes)));
    let has_tail = after <= ends.total.lines;
    let mut content = head.to_owned();
    if !has_tail && before > 0 {
        content.push('\n');
    }
    let mut last = before;
    for (KeyLine { line, .. }, text) in lines {
        omit(&mut content, last, *line);
        content.extend([text, "\n"]);
        last = *line;
    }
    omit(&mut content, last, after);
    if !has_tail {
        content.pop();
    }
    content.push_str(tail);
    let mut output = ends.output;
    output.lines += lines.len() as u64;
    output.bytes += lines.iter().map(|(_, text)| text.len() as u64 + 1).sum::<u64>();
    let key_lines = lines.iter().map(|(key_line, _)| *key_line).collect();
    Truncation { content, output, cut, key_lines, ..ends.clone() }
}

/// Returns the rank of a kind. Lower ranks are chosen first.
fn rank(kind: &Kind) -> (u64, u64) {
    let of_form = u64::from((kind.of_form / OF_FORM_FIRST + 1).ilog2());
    (2 * (kind.grade as u64) + of_form, kind.line)
}

/// Returns the line in place of the lines from `first` to `last`.
fn marker(first: u64, last: u64) -> String {
    format!("[...lines {first}-{last} omitted...]")
}

/// Adds the line in place of the lines between `before` and `after`, if there are any.
fn omit(content: &mut String, before: u64, after: u64) {
    if before + 1 < after {
        *content += &marker(before + 1, after - 1);
        content.push('\n');
    }
}

#[cfg(test)]
mod tests;
