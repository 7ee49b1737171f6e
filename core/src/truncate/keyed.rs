//! Shows key lines: lines from the omitted part of a text that report a failure.

#![expect(clippy::indexing_slicing, reason = "the indexes are those of the kinds")]

mod reports;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::{Bounds, Cut, Truncation};
use crate::key_lines::{self, Grade, Kind, Kinds, Near};
use crate::text::{Extent, TokenCounter, as_index};
pub use reports::Reports;
use reports::reports;

/// A line from the omitted part of a text: one that reports a failure, or one near such a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyLine {
    /// Its number, from 1.
    pub line: u64,
    /// The number of lines in the text that differ from it at most in numbers and paths; 1 if it is context.
    pub count: u64,
}

/// The lines that count as key lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForms {
    /// None.
    None,
    /// For a text that may report a success: the lines with the structure of a failure report, such as `error: …`. There are
    /// none if only one such line is omitted, without a location or a stack trace.
    Strong,
    /// For the output of a failed command: the lines with the strongest evidence of a failure in the omitted part.
    All,
}

/// The limits of the key lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySpace {
    /// At most half of the limits of the text. The end of the text (or the start) gets what key lines do not need.
    Shared,
    /// The part of these limits that the other lines leave, and at most half of them. The other lines stay as they are. There
    /// are at most 20 key lines, or as many as the limit of lines allows if that is more.
    Beside(Bounds),
}

/// The number of key lines that may always be shown next to the lines that a call requested, if the limits allow them.
const BESIDE_LINES: u64 = 20;
/// Number of kinds with the same form that keep their full rank.
const OF_FORM_FIRST: u32 = 4;
/// The distance of a location from the line that it belongs to.
const LOCATION_DISTANCE: u64 = 2;
/// Lines near the only report of a text that are searched for a location.
const EVIDENCE_DISTANCE: u64 = 3;
/// What the rank of a frame in a library adds to its distance.
const LIBRARY_DISTANCE: u64 = 1000;
/// The longest gap that is shown instead of a marker, in lines.
const GAP_LINES: u64 = 3;
/// In a short text, gaps may take this part of the space of key lines in addition.
const GAPS_PART: u64 = 5;
/// Lines at the end of a text that can fill a gap.
const RECENT_LINES: usize = 100;
/// How often the space of key lines that the end shows is given to the end.
const ROUNDS: usize = 4;

/// The ends of a text, with and without key lines between them.
#[derive(Debug)]
pub(super) struct Ends<'a> {
    /// The ends without key lines.
    pub(super) plain: Truncation,
    /// The ends if key lines use all of their limits.
    pub(super) least: Truncation,
    /// The limits of all.
    pub(super) bounds: Bounds,
    /// The limits of the key lines, with the markers for gaps.
    pub(super) space: Bounds,
    /// The largest number of key lines.
    pub(super) most: usize,
    /// True if the end of the text is shown.
    pub(super) has_tail: bool,
    /// The end of the text, with lines before those that are shown. Empty if it has none.
    pub(super) recent: &'a str,
}

/// Returns the limits of key lines next to `plain`, within `all`, and the largest number of key lines. A call requested
/// `requested_lines`.
pub(super) fn beside(all: Bounds, plain: &Truncation, requested_lines: u64) -> (Bounds, usize) {
    let (left, most) = (all.less(&plain.content), half(all));
    let space = Bounds {
        lines: all.lines.saturating_sub(plain.output.lines).min(most.lines),
        bytes: left.bytes.min(most.bytes),
        tokens: left.tokens.min(most.tokens),
        ..all
    };
    (space, as_index(requested_lines.max(BESIDE_LINES)))
}

pub(super) fn half(bounds: Bounds) -> Bounds {
    let tokens = bounds.tokens.map(|tokens| tokens / 2);
    Bounds { lines: bounds.lines / 2, bytes: bounds.bytes / 2, tokens, ..bounds }
}

/// Returns the ends of a text with key lines between them; the ends alone if there are none.
///
/// `with_less` returns the ends if key lines use the given part of the limits; `None` if the ends stay as they are.
pub(super) fn with_key_lines<'a>(
    kinds: &'a Kinds,
    forms: KeyForms,
    ends: Ends<'a>,
    with_less: impl Fn(Bounds) -> Option<Truncation>,
) -> Truncation {
    let Ends { plain, least, bounds, space, most, has_tail, recent } = ends;
    let Some(cut) = plain.cut else { return plain };
    let gap = Gap::of(&least);
    let Some(worst) = worst_grade(kinds, forms, gap) else { return plain };
    let mut chosen = Chosen::new(kinds, worst, &least, Limits { bounds: space, most, has_tail });
    chosen.fill_gaps(space, "");
    let (mut ends, mut last_space) = (least, space);
    if !recent.is_empty() {
        last_space.bytes += space.bytes / GAPS_PART;
    }
    for _ in 0..ROUNDS {
        let Some(more) = with_less(chosen.space(space)) else { break };
        last_space = bounds.less(&more.content);
        last_space.lines = bounds.lines.saturating_sub(more.output.lines);
        ends = more;
        if !chosen.keep_inside(Gap::of(&ends)) {
            break;
        }
    }
    // The ends may include all lines that decided.
    if worst_grade(kinds, forms, Gap::of(&ends)).is_none() || !chosen.has_report() {
        return plain;
    }
    chosen.fill_gaps(last_space, recent);
    let cut = Cut { by: cut.by, ..ends.cut.unwrap_or(cut) };
    let mut shown = chosen.show(&ends, cut);
    shown.reports = Some(reports(kinds, worst, &chosen, &ends, cut));
    shown
}

/// Returns the lowest grade of the lines that count; `None` if there are no key lines.
fn worst_grade(kinds: &Kinds, forms: KeyForms, gap: Gap) -> Option<Grade> {
    let omitted = || kinds.kinds().iter().enumerate().filter(|(_, kind)| gap.contains(kind.line));
    let best = omitted().map(|(_, kind)| kind.grade).min()?;
    match (forms, best) {
        (KeyForms::Strong, Grade::Strong) => {
            let mut strong = omitted().filter(|(_, kind)| kind.grade == Grade::Strong);
            let (first, second) = (strong.next()?, strong.next());
            let is_evidence =
                second.is_some() || first.1.is_at_start || first.1.count > 1 || has_evidence(kinds, first);
            is_evidence.then_some(Grade::Message)
        }
        (KeyForms::None | KeyForms::Strong, _) => None,
        // Mere words count only if no line has the structure of a report.
        (KeyForms::All, Grade::Strong) => Some(Grade::Message),
        (KeyForms::All, Grade::Faint) => Some(Grade::Faint),
        (KeyForms::All, _) => Some(Grade::Weak),
    }
}

/// True if the first line of a kind has a location, or a line near it is a location or a frame of a stack trace.
fn has_evidence(kinds: &Kinds, (kind, first): (usize, &Kind)) -> bool {
    let is_near = |near: &&Near| near.kind == kind && near.distance <= EVIDENCE_DISTANCE;
    let is_evidence = |text: &str| key_lines::has_location(text) || key_lines::is_frame(text);
    first.text.as_deref().is_none_or(is_evidence)
        || kinds.near().filter(is_near).any(|near| is_evidence(&near.text))
}

/// The gap between the ends: the last line before it and the first line after it. If only the start is kept, the line after
/// it is one more than the number of lines.
#[derive(Debug, Clone, Copy)]
struct Gap {
    before: u64,
    after: u64,
}

impl Gap {
    fn of(ends: &Truncation) -> Self {
        let head = ends.cut.map_or(0, |cut| cut.head.lines);
        Self { before: head, after: ends.total.lines + 1 - (ends.output.lines - head) }
    }

    fn contains(self, line: u64) -> bool {
        self.before < line && line < self.after
    }
}

/// What lines take of the limits.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    lines: u64,
    bytes: u64,
    tokens: u64,
}

impl Cost {
    /// Returns the cost of a line with its newline.
    fn of(line: &str, bounds: Bounds) -> Self {
        let tokens = if bounds.tokens.is_some() { TokenCounter::of(line).count() } else { 0 };
        // A newline may be a token.
        Self { lines: 1, bytes: bounds.bytes_of(line) + bounds.bytes_of("\n"), tokens: tokens + 1 }
    }

    fn plus(self, other: Self, times: u64) -> Self {
        Self {
            lines: self.lines + other.lines * times,
            bytes: self.bytes + other.bytes * times,
            tokens: self.tokens + other.tokens * times,
        }
    }

    fn is_within(self, bounds: Bounds) -> bool {
        let Self { lines, bytes, tokens } = self;
        lines <= bounds.lines && bytes <= bounds.bytes && bounds.tokens.is_none_or(|most| tokens <= most)
    }
}

/// The limits of key lines.
#[derive(Debug, Clone, Copy)]
struct Limits {
    bounds: Bounds,
    most: usize,
    has_tail: bool,
}

/// The key lines that are shown.
struct Chosen<'a> {
    kinds: &'a Kinds,
    /// By their numbers.
    lines: BTreeMap<u64, &'a str>,
    /// The templates of the lines that are shown, also at the ends.
    templates: HashSet<u64>,
    gap: Gap,
    limits: Limits,
    /// The cost of the lines without markers.
    used: Cost,
    /// The number of markers.
    markers: u64,
    /// An upper bound of the cost of a marker.
    marker: Cost,
    /// The number of lines of the text.
    total_lines: u64,
}

impl<'a> Chosen<'a> {
    /// Chooses lines between the `ends`: first one of each kind with at least the grade `worst`, with its location, then the
    /// lines near them. No line repeats another, or a line of the ends.
    fn new(kinds: &'a Kinds, worst: Grade, ends: &Truncation, limits: Limits) -> Self {
        let total = ends.total.lines;
        let mut chosen = Self {
            kinds,
            lines: BTreeMap::new(),
            templates: ends.content.lines().map(key_lines::template_of).collect(),
            gap: Gap::of(ends),
            limits,
            used: Cost::default(),
            markers: 1,
            marker: Cost::of(&marker(total, total), limits.bounds),
            total_lines: total,
        };
        let all = kinds.kinds();
        let mut order: Vec<usize> = (0..all.len()).filter(|kind| all[*kind].grade <= worst).collect();
        // Other kinds come before those of which the ends show a similar line.
        order.sort_by_key(|kind| (chosen.templates.contains(&all[*kind].template), rank(&all[*kind])));
        let shown: HashSet<&str> = ends.content.lines().map(str::trim).collect();
        let mut locations: BTreeMap<usize, Vec<&Near>> = BTreeMap::new();
        let mut near: Vec<&Near> = Vec::new();
        for line in kinds.near() {
            let is_location = line.line > all[line.kind].line
                && line.distance <= LOCATION_DISTANCE
                && key_lines::is_only_location(&line.text)
                && !key_lines::is_library_frame(&line.text);
            if is_location {
                locations.entry(line.kind).or_default().push(line);
            } else {
                near.push(line);
            }
        }
        for kind in order {
            let Kind { line, text, template, .. } = &all[kind];
            let Some(text) = text.as_deref().filter(|text| !shown.contains(text.trim())) else { continue };
            if chosen.add(*line, text) {
                chosen.templates.insert(*template);
                for location in locations.get(&kind).into_iter().flatten() {
                    chosen.add(location.line, &location.text);
                }
            }
        }
        near.sort_by_key(|near| {
            let library = if key_lines::is_library_frame(&near.text) { LIBRARY_DISTANCE } else { 0 };
            (near.distance + library, near.line)
        });
        for Near { kind, line, text, is_context, .. } in near {
            let template = key_lines::template_of(text);
            let is_new = !chosen.templates.contains(&template) || key_lines::is_only_location(text);
            let is_wanted = is_new
                && *is_context
                && !text.trim().is_empty()
                && chosen.lines.contains_key(&all[*kind].line);
            if is_wanted && chosen.add(*line, text) {
                chosen.templates.insert(template);
            }
        }
        chosen
    }

    /// Adds a line if it is in the gap and the limits allow it. Returns true if it is shown.
    fn add(&mut self, line: u64, text: &'a str) -> bool {
        if !self.gap.contains(line) {
            return false;
        }
        if self.lines.contains_key(&line) {
            return true;
        }
        let used = self.used.plus(Cost::of(text, self.limits.bounds), 1);
        // A line between two others replaces a marker.
        let markers = self.markers + 1 - self.neighbours(line);
        let is_within = used.plus(self.marker, markers).is_within(self.limits.bounds);
        if self.lines.len() >= self.limits.most || !is_within {
            return false;
        }
        (self.used, self.markers) = (used, markers);
        self.lines.insert(line, text);
        true
    }

    /// Returns how many of the lines before and after `line` are shown, or do not exist.
    fn neighbours(&self, line: u64) -> u64 {
        let is_shown = |line: u64| line == self.gap.before || self.lines.contains_key(&line);
        let is_last = line + 1 == self.gap.after || self.lines.contains_key(&(line + 1));
        u64::from(is_shown(line - 1)) + u64::from(is_last)
    }

    /// True if a line of a kind is shown.
    fn has_report(&self) -> bool {
        self.kinds.kinds().iter().any(|kind| self.lines.contains_key(&kind.line))
    }

    /// Drops the lines outside `gap`. Returns true if there were any.
    fn keep_inside(&mut self, gap: Gap) -> bool {
        let before = self.lines.len();
        self.lines.retain(|line, _| gap.contains(*line));
        self.gap = gap;
        self.measure();
        self.lines.len() < before
    }

    /// Measures the lines and their markers again.
    fn measure(&mut self) {
        let (mut used, mut markers, mut last) = (Cost::default(), 0, self.gap.before);
        for (line, text) in &self.lines {
            used = used.plus(Cost::of(text, self.limits.bounds), 1);
            markers += u64::from(*line > last + 1);
            last = *line;
        }
        markers += u64::from(self.gap.after > last + 1);
        (self.used, self.markers) = (used, markers);
    }

    /// Returns the space that the lines and their markers take, in the units of `bounds`.
    fn space(&self, bounds: Bounds) -> Bounds {
        let Cost { lines, bytes, tokens } = self.used.plus(self.marker, self.markers);
        Bounds { lines, bytes, tokens: bounds.tokens.map(|_| tokens), ..bounds }
    }

    /// Adds the lines of gaps that are short or cost no more than their marker, within `bounds`. `recent` is the end of the
    /// text.
    fn fill_gaps(&mut self, bounds: Bounds, recent: &'a str) {
        let kinds = self.kinds;
        let mut texts: BTreeMap<u64, &'a str> =
            kinds.near().map(|near| (near.line, near.text.as_str())).collect();
        texts.extend(kinds.kinds().iter().filter_map(|kind| Some((kind.line, kind.text.as_deref()?))));
        // The number of the last line of `recent` is `total`.
        let total = self.total_lines;
        let body = recent.strip_suffix('\n').unwrap_or(recent);
        if !body.is_empty() {
            let recent = body.rsplit('\n').take(RECENT_LINES);
            texts.extend((0..total).zip(recent).map(|(back, text)| (total - back, text)));
        }
        let ends: Vec<u64> = self.lines.keys().copied().chain([self.gap.after]).collect();
        let mut last = self.gap.before;
        for end in ends {
            let gap = last + 1..end;
            last = end;
            let lines = gap.clone().map_while(|line| Some((line, *texts.get(&line)?)));
            let lines: Vec<(u64, &str)> = lines.take(as_index(self.marker.bytes)).collect();
            let cost =
                lines.iter().fold(Cost::default(), |sum, (_, text)| sum.plus(Cost::of(text, bounds), 1));
            let marker = Cost::of(&marker(gap.start, end - 1), bounds);
            let is_short = lines.len() as u64 <= GAP_LINES || cost.bytes <= marker.bytes;
            let is_complete = !lines.is_empty() && lines.len() as u64 == end - gap.start;
            let is_allowed = self.lines.len() + lines.len() <= self.limits.most;
            let used = self.used.plus(cost, 1);
            if is_allowed
                && is_complete
                && is_short
                && used.plus(self.marker, self.markers - 1).is_within(bounds)
            {
                (self.used, self.markers) = (used, self.markers - 1);
                self.lines.extend(lines);
            }
        }
    }

    /// Returns the text of which `ends` are shown, with these lines between them.
    fn show(&self, ends: &Truncation, cut: Cut) -> Truncation {
        let Gap { before, after } = Gap::of(ends);
        let head_bytes = if self.limits.has_tail { as_index(cut.head.bytes) } else { ends.content.len() };
        let (head, tail) = ends.content.split_at(head_bytes);
        let mut content = head.to_owned();
        if !self.limits.has_tail && before > 0 {
            content.push('\n');
        }
        let mut tokens = TokenCounter::of(&content);
        let (mut last, mut bytes) = (before, 0);
        for (line, text) in &self.lines {
            omit(&mut content, last, *line);
            content.push_str(text);
            content.push('\n');
            tokens.push(text);
            tokens.push("\n");
            bytes += text.len() as u64 + 1;
            last = *line;
        }
        omit(&mut content, last, after);
        if after > ends.total.lines {
            content.pop();
        }
        content.push_str(tail);
        tokens.push(tail);
        let counts: HashMap<u64, u64> =
            self.kinds.kinds().iter().map(|kind| (kind.line, kind.count)).collect();
        let key_line = |line: &u64| KeyLine { line: *line, count: counts.get(line).copied().unwrap_or(1) };
        let key_lines: Vec<KeyLine> = self.lines.keys().map(key_line).collect();
        let output =
            Extent { lines: ends.output.lines + key_lines.len() as u64, bytes: ends.output.bytes + bytes };
        Truncation {
            content,
            total: ends.total,
            output,
            cut: Some(cut),
            key_lines,
            reports: None,
            key_bytes: bytes,
            // A token has a byte at least.
            own_tokens: Some(tokens.count().min(output.bytes)),
        }
    }
}

/// Returns the rank of a kind. Lower ranks are chosen first.
fn rank(kind: &Kind) -> (u64, u64) {
    let of_form = u64::from((kind.of_form / OF_FORM_FIRST + 1).ilog2());
    (2 * (kind.grade as u64) + of_form, kind.line)
}

/// Returns the line in place of the lines from `first` to `last`.
pub(super) fn marker(first: u64, last: u64) -> String {
    format!("[...lines {first}-{last} omitted...]")
}

/// Adds the line in place of the lines between `before` and `after`, if there are any.
fn omit(content: &mut String, before: u64, after: u64) {
    if before + 1 < after {
        let _infallible = writeln!(content, "{}", marker(before + 1, after - 1));
    }
}

#[cfg(test)]
mod tests;
