//! Key lines among the lines that limits omit: which of them are shown, and how.

#![expect(clippy::indexing_slicing, reason = "the indices are those of the candidates")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::{Bounds, Cut, Truncation};
use crate::key_lines::{Candidate, Grade, Role};
use crate::text::{Extent, TokenCounter, as_index};

/// A key line: a line of the omitted part that reports a failure, or is in the context of such a line.
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
    /// For a text that may report a success: none, unless an omitted line has the structure of a failure report, such as
    /// `error: …`. Then this is the same as `All`.
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
/// A template that occurs more often ranks after other lines of its grade.
const FREQUENT: u64 = 20;
/// The rank of context, after all others.
const CONTEXT: u64 = 1 << 32;
/// Number of candidates with the same form that keep their full rank.
const OF_FORM_FIRST: u32 = 4;
/// Number of candidates after one that are checked whether they belong to it.
const BELONGING: usize = 12;
/// How often the space of key lines that the end shows is given to the end. Each time costs a copy of the text.
const ROUNDS: usize = 1000;

/// The gap between the ends: the last line before it and the first line after it. If only the start is kept, the line after
/// it is one more than the number of lines.
#[derive(Debug, Clone, Copy)]
struct Gap {
    before: u64,
    after: u64,
}

impl Gap {
    fn of(kept: &Truncation) -> Self {
        let head = kept.cut.map_or(0, |cut| cut.head.lines);
        Self { before: head, after: kept.total.lines + 1 - (kept.output.lines - head) }
    }

    fn contains(self, line: u64) -> bool {
        self.before < line && line < self.after
    }
}

/// How the ends of a text are cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    /// The limits of the full result.
    pub(super) bounds: Bounds,
    /// The limits that key lines share with the end of the text, or with the start if only that is shown.
    pub(super) shared: Bounds,
    /// True if the end of the text is shown.
    pub(super) has_tail: bool,
}

/// Returns the text with key lines from the part that `plain` omits; `plain` if there are none. `kept` cuts the text to
/// limits that are at most those of `ends`.
pub(super) fn with_key_lines(
    plain: Truncation,
    mut candidates: Vec<Candidate>,
    forms: KeyForms,
    space: KeySpace,
    Ends { bounds, shared, has_tail }: Ends,
    kept: impl Fn(Bounds) -> Truncation,
) -> Truncation {
    let (Some(cut), false) = (plain.cut, candidates.is_empty()) else { return plain };
    let total = plain.total.lines;
    // The ends if the key lines use all of their limits.
    let (least, limits, most) = match space {
        KeySpace::Shared => (kept(rest_of(bounds, half(shared))), half(shared), usize::MAX),
        KeySpace::Beside(all) => {
            (plain.clone(), beside(all, &plain), as_index(bounds.lines.max(BESIDE_LINES)))
        }
    };
    let gap = Gap::of(&least);
    retain_wanted(&mut candidates, forms, gap);
    let mut chosen = Chosen::new(&candidates, gap, (total, has_tail), limits, most);
    let mut ends = least;
    for _ in 0..ROUNDS {
        if chosen.lines.is_empty() {
            break;
        }
        if space == KeySpace::Shared {
            ends = kept(rest_of(bounds, chosen.space(bounds)));
        }
        // More of the end fits than with the full limits for key lines, and may include key lines.
        if !chosen.drop_outside(Gap::of(&ends)) {
            break;
        }
    }
    // The end can include all key lines, or those that decided.
    let is_needed = |candidate: &&Candidate| forms == KeyForms::All || is_report(candidate);
    if !chosen.lines.values().any(is_needed) {
        return plain;
    }
    chosen.show(&ends, Cut { by: cut.by, ..ends.cut.unwrap_or(cut) })
}

/// True if a line has the structure of a failure report, or belongs to such a line.
fn is_report(candidate: &Candidate) -> bool {
    candidate.grade == Grade::Strong && !candidate.role.is_surrounding()
}

fn half(bounds: Bounds) -> Bounds {
    let tokens = bounds.tokens.map(|tokens| tokens / 2);
    Bounds { lines: bounds.lines / 2, bytes: bounds.bytes / 2, tokens, ..bounds }
}

/// Returns `bounds` without `used`.
fn rest_of(bounds: Bounds, used: Bounds) -> Bounds {
    Bounds {
        lines: bounds.lines.saturating_sub(used.lines),
        bytes: bounds.bytes.saturating_sub(used.bytes),
        tokens: bounds.tokens.map(|tokens| tokens.saturating_sub(used.tokens.unwrap_or_default())),
        ..bounds
    }
}

/// Returns the part of `all` that `plain` leaves, at most half.
fn beside(all: Bounds, plain: &Truncation) -> Bounds {
    let (left, most) = (all.less(&plain.content), half(all));
    Bounds {
        lines: all.lines.saturating_sub(plain.output.lines).min(most.lines),
        bytes: left.bytes.min(most.bytes),
        tokens: left.tokens.min(most.tokens),
        ..all
    }
}

/// Drops the candidates that are not shown: those of a lower grade than others in the gap.
fn retain_wanted(candidates: &mut [Candidate], forms: KeyForms, gap: Gap) {
    let best = candidates
        .iter()
        .filter(|candidate| gap.contains(candidate.line))
        .filter(|candidate| !candidate.role.is_surrounding())
        .map(|candidate| candidate.grade)
        .min();
    let most = match (forms, best) {
        (KeyForms::None, _) => None,
        // Mere words count only if no line has the structure of a report.
        (_, Some(Grade::Strong)) => Some(Grade::Message),
        (KeyForms::Strong, _) => None,
        (KeyForms::All, Some(Grade::Faint)) => Some(Grade::Faint),
        (KeyForms::All, _) => Some(Grade::Weak),
    };
    for candidate in candidates {
        if most.is_none_or(|most| candidate.grade > most) {
            candidate.line = 0;
        }
    }
}

/// Returns the rank of a candidate. Lower ranks are chosen first.
fn rank(candidate: &Candidate) -> (u64, u64) {
    let rank = match candidate.role {
        // After most first lines.
        Role::Again(_, before) => 4 + before,
        // Context must not displace other candidates. The nearest lines come first.
        Role::Context(_, distance) => CONTEXT + distance,
        // Added at the end.
        Role::Between(_) => u64::MAX,
        Role::First | Role::Of(_) => {
            let is_frequent = u64::from(candidate.count > FREQUENT);
            let kind = u64::from((candidate.of_form / OF_FORM_FIRST + 1).ilog2());
            2 * (candidate.grade as u64 + is_frequent) + kind
        }
    };
    (rank, candidate.line)
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

    fn is_at_most(self, other: Self) -> bool {
        self.bytes <= other.bytes && self.tokens <= other.tokens
    }

    fn is_within(self, bounds: Bounds) -> bool {
        let Self { lines, bytes, tokens } = self;
        lines <= bounds.lines && bytes <= bounds.bytes && bounds.tokens.is_none_or(|most| tokens <= most)
    }
}

/// The key lines that are shown.
struct Chosen<'a> {
    lines: BTreeMap<u64, &'a Candidate>,
    gap: Gap,
    /// Number of the text's last line.
    total: u64,
    /// True if the end of the text is shown, after a line with its numbers.
    has_tail: bool,
}

impl<'a> Chosen<'a> {
    /// Chooses the best of `candidates` in `gap`, at most `most`, that are within `bounds` with their markers.
    fn new(
        candidates: &'a [Candidate],
        gap: Gap,
        (total, has_tail): (u64, bool),
        bounds: Bounds,
        most: usize,
    ) -> Self {
        let mut chosen = Self { lines: BTreeMap::new(), gap, total, has_tail };
        let is_own = |n: &usize| !matches!(candidates[*n].role, Role::Of(_) | Role::Between(_));
        let mut order: Vec<usize> = (0..candidates.len()).filter(is_own).collect();
        order.sort_by_key(|n| rank(&candidates[*n]));
        let marker = Cost::of(&marker(total, total), bounds);
        let (mut used, mut markers) = (Cost::default(), 1 + u64::from(has_tail));
        for first in order {
            if let Role::Context(candidate, _) = candidates[first].role
                && !chosen.lines.contains_key(&candidates[candidate].line)
            {
                continue;
            }
            let next = candidates.iter().enumerate().skip(first).take(BELONGING);
            for (_, candidate) in
                next.filter(|(n, candidate)| *n == first || candidate.role == Role::Of(first))
            {
                let line = candidate.line;
                if !gap.contains(line) || chosen.lines.contains_key(&line) {
                    continue;
                }
                let with_it = used.plus(Cost::of(&candidate.text, bounds), 1);
                let markers_with_it = markers + 1 - chosen.neighbours(line);
                if chosen.lines.len() >= most || !with_it.plus(marker, markers_with_it).is_within(bounds) {
                    break;
                }
                (used, markers) = (with_it, markers_with_it);
                chosen.lines.insert(line, candidate);
            }
        }
        chosen.fill(candidates, bounds, most);
        chosen
    }

    /// Adds lines that cost no more than the markers for them.
    fn fill(&mut self, candidates: &'a [Candidate], bounds: Bounds, most: usize) {
        let gap = self.gap;
        let between = candidates.iter().filter(|candidate| matches!(candidate.role, Role::Between(_)));
        for candidate in between.filter(|candidate| gap.contains(candidate.line)) {
            let line = candidate.line;
            let marker = Cost::of(&marker(line, line), bounds);
            let is_alone = [line - 1, line + 1].iter().all(|line| self.lines.contains_key(line));
            let is_shown = self.lines.contains_key(&line);
            if is_alone
                && !is_shown
                && self.lines.len() < most
                && Cost::of(&candidate.text, bounds).is_at_most(marker)
            {
                self.lines.insert(line, candidate);
            }
        }
    }

    /// Returns how many of the lines before and after `line` are shown.
    fn neighbours(&self, line: u64) -> u64 {
        let is_shown = |line: u64| line == self.gap.before && line > 0 || self.lines.contains_key(&line);
        u64::from(line == 1 || is_shown(line - 1)) + u64::from(self.lines.contains_key(&(line + 1)))
    }

    /// Drops the lines outside `gap`. Returns true if there were any.
    fn drop_outside(&mut self, gap: Gap) -> bool {
        let before = self.lines.len();
        self.lines.retain(|line, _| gap.contains(*line));
        self.gap = gap;
        self.lines.len() < before
    }

    /// Returns an upper bound of the space that the lines and their markers take.
    fn space(&self, bounds: Bounds) -> Bounds {
        let (mut used, mut last) = (Cost::default(), self.gap.before);
        let mut markers = 1 + u64::from(self.has_tail);
        for (line, candidate) in &self.lines {
            used = used.plus(Cost::of(&candidate.text, bounds), 1);
            markers += u64::from(*line > last + 1);
            last = *line;
        }
        let Cost { lines, bytes, tokens } =
            used.plus(Cost::of(&marker(self.total, self.total), bounds), markers);
        Bounds { lines, bytes, tokens: bounds.tokens.map(|_| tokens), ..bounds }
    }

    /// Returns the text of which `ends` are shown, with these lines between them.
    fn show(&self, ends: &Truncation, cut: Cut) -> Truncation {
        let Gap { before, after } = Gap::of(ends);
        let head_bytes = if self.has_tail { as_index(cut.head.bytes) } else { ends.content.len() };
        let (head, tail) = ends.content.split_at(head_bytes);
        let mut content = head.to_owned();
        if !self.has_tail && before > 0 {
            content.push('\n');
        }
        let mut tokens = TokenCounter::of(&content);
        let (mut last, mut bytes) = (before, 0);
        for (line, candidate) in &self.lines {
            omit(&mut content, last, *line);
            content.push_str(&candidate.text);
            content.push('\n');
            tokens.push(&candidate.text);
            tokens.push("\n");
            bytes += candidate.text.len() as u64 + 1;
            last = *line;
        }
        omit(&mut content, last, after);
        if self.has_tail {
            let _infallible = writeln!(content, "(lines {after} to {})", self.total);
            content.push_str(tail);
            tokens.push(tail);
        } else {
            content.pop();
        }
        let key_lines: Vec<KeyLine> =
            self.lines.values().map(|key| KeyLine { line: key.line, count: key.count }).collect();
        let lines = ends.output.lines + key_lines.len() as u64;
        let output = Extent { lines, bytes: ends.output.bytes + bytes };
        Truncation {
            content,
            total: ends.total,
            output,
            cut: Some(cut),
            key_lines,
            key_bytes: bytes,
            // A token has a byte at least.
            key_tokens: Some(tokens.count().min(output.bytes)),
        }
    }
}

/// Returns the line in place of the lines from `first` to `last`.
fn marker(first: u64, last: u64) -> String {
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
