//! Lines unlike all others: the fallback for failures without a known form.

use std::collections::HashMap;

/// Lines from the start of a text that are compared: each costs about as much as copying it 20 times.
const LINES: u64 = 10_000;
/// Templates that are distinguished. A text with more has no rule that a line could be an exception from.
const TEMPLATES: usize = 500;
/// Lines are rare if at least this many lines were compared for each of them.
const LINES_PER_RARE: usize = 20;
/// The same for each passage of rare lines.
const LINES_PER_PASSAGE: usize = 100;
/// Lines from one rare line to the next of the same passage.
const PASSAGE_LINES: u64 = 3;

/// Finds lines with a rare template.
#[derive(Debug, Clone, Default)]
pub(super) struct Rare {
    lines: u64,
    /// For each template, the number of its lines, and the first.
    templates: HashMap<u64, (u64, u64, String)>,
    is_over: bool,
}

impl Rare {
    /// True if the next line is needed.
    pub(super) fn needs_next(&self) -> bool {
        !self.is_over
    }

    /// Stops: the text has better lines.
    pub(super) fn stop(&mut self) {
        self.is_over = true;
        self.templates = HashMap::new();
    }

    /// Takes a line and its template.
    pub(super) fn push(&mut self, number: u64, text: &str, template: u64) {
        if self.is_over || text.trim().is_empty() {
            return;
        }
        self.lines += 1;
        let of_template = self.templates.entry(template).or_insert_with(|| (0, number, text.to_owned()));
        of_template.0 += 1;
        if of_template.0 > 2 {
            of_template.2 = String::new();
        }
        if self.templates.len() > TEMPLATES {
            self.stop();
        }
        self.is_over |= self.lines >= LINES;
    }

    /// Returns the rare lines, in the order of the text: their numbers, texts, and how often the template is there.
    pub(super) fn finish(self) -> Vec<(u64, String, u64)> {
        let lines = usize::try_from(self.lines).unwrap_or(usize::MAX);
        let rare = self.templates.into_values().filter(|(count, ..)| *count <= 2);
        let mut rare: Vec<_> = rare.map(|(count, number, text)| (number, text, count)).collect();
        rare.sort_unstable();
        let next_lines = rare.iter().skip(1).map(|(line, ..)| line);
        let gaps = rare.iter().zip(next_lines).filter(|((line, ..), next)| **next - line > PASSAGE_LINES);
        let passages = gaps.count() + 1;
        if rare.len() * LINES_PER_RARE > lines || passages * LINES_PER_PASSAGE > lines {
            rare.clear();
        }
        rare
    }
}
