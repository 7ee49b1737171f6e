//! Scores the relevance of results: of match lines for grep, and of paths for find (`name`).
//!
//! The score of a match line is a sum of points (`table`): for how the line uses the matched name
//! (`cutline_core::source::line`), for the path of the file (`path_facts`), for the number of matches in the file, and
//! for words of an alternation that occur together. This module does no I/O.

#![expect(clippy::indexing_slicing, reason = "matches and names are inside their line")]

mod name;
mod path_facts;
mod table;

use std::ops::Range;

use memchr::memmem::Finder;

use cutline_core::source::line::{self, is_name_byte};
pub use name::NameScorer;
use path_facts::PathFacts;

/// Maximum number of further occurrences of a name in one line that are scored.
const TIMES_IN_LINE: usize = 3;

/// The words of a pattern that is an alternation.
#[derive(Debug, Clone, Default)]
pub struct Words {
    words: Vec<Finder<'static>>,
    ignore_case: bool,
}

/// A set of words, with one bit for each. It has as many bits as [`table::WORDS`].
type WordSet = u8;

impl Words {
    /// Uses the first words of an alternation, in byte order. A single word counts as none.
    pub fn new(words: Vec<String>, ignore_case: bool) -> Self {
        let as_searched = |word: String| if ignore_case { word.to_ascii_lowercase() } else { word };
        let mut words: Vec<_> = words.into_iter().map(as_searched).collect();
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        words.dedup();
        words.truncate(if words.len() > 1 { table::WORDS } else { 0 });
        let words = words.iter().map(|word| Finder::new(word).into_owned()).collect();
        Self { words, ignore_case }
    }

    /// Returns the set of all words.
    fn all(&self) -> WordSet {
        (0..self.words.len()).fold(0, |all, bit| all | 1 << bit)
    }

    /// Returns the words that occur in a line.
    fn in_line(&self, line: &[u8]) -> WordSet {
        let has = |word: &Finder<'_>| {
            if self.ignore_case {
                line.windows(word.needle().len()).any(|part| part.eq_ignore_ascii_case(word.needle()))
            } else {
                word.find(line).is_some()
            }
        };
        let words = self.words.iter().enumerate();
        words.fold(0, |all, (bit, word)| all | WordSet::from(has(word)) << bit)
    }
}

/// Scores the lines of one file.
#[derive(Debug)]
pub struct FileScorer<'a> {
    path_facts: PathFacts,
    words: &'a Words,
    /// The points for a line with all words.
    max_word_points: i32,
    /// The maximum of [`FileScorer::file_points`].
    pub max_file_points: i32,
    /// The words in the lines scored so far.
    seen: WordSet,
    /// The last name that was compared with the file name, and its points.
    named: (Vec<u8>, i32),
}

impl<'a> FileScorer<'a> {
    /// Creates a scorer for the file at `path` in a search for `words`.
    pub fn new(path: &[u8], words: &'a Words) -> Self {
        let (path_facts, max_word_points) =
            (PathFacts::new(path), further(words.all()) * table::WORD_IN_LINE);
        let max_file_points = path_facts.location_points + of_file(u64::MAX, words.all());
        Self { path_facts, words, max_word_points, max_file_points, seen: 0, named: (Vec::new(), 0) }
    }

    /// Returns false only if a line with a match that ends at `end` can't have more than `needed` points. Records the
    /// words in the line, except if all words were seen before.
    pub fn may_have_more(&mut self, line: &[u8], end: usize, needed: i32) -> bool {
        // The start of the last name in the match is unknown.
        if end == 0 || !is_name_byte(line[end - 1]) {
            return true;
        }
        // An empty match has no name.
        let without_name = table::kind::USES;
        let name = line::name_around(line, end - 1..end);
        let part = if name.end > end { table::STARTS_NAME } else { 0 };
        if self.seen == self.words.all() {
            let most = self.max_word_points;
            let of_name = self.name_points(line, &name, part, needed.saturating_sub(most)).max(without_name);
            if of_name + most <= needed {
                return false;
            }
        }
        let of_line = self.points_without_match(line);
        of_line + self.name_points(line, &name, part, needed.saturating_sub(of_line)).max(without_name)
            > needed
    }

    /// Returns the points of a line with a match at `found`, or `None` if they do not exceed `needed`. Records the
    /// words in the line.
    pub fn line_points(&mut self, line: &[u8], found: &Range<usize>, needed: i32) -> Option<i32> {
        let of_line = self.points_without_match(line);
        let of_name = line::name_in(line, found).map_or(table::kind::USES, |matched| {
            let name = line::name_around(line, matched.clone());
            let part = if matched == name {
                0
            } else if matched.start == name.start {
                table::STARTS_NAME
            } else {
                table::WITHIN_NAME
            };
            self.name_points(line, &name, part, needed.saturating_sub(of_line))
        });
        Some(of_line + of_name).filter(|&points| points > needed)
    }

    /// Returns the points of a line that do not depend on the match. Adds the words in the line to `seen`.
    fn points_without_match(&mut self, line: &[u8]) -> i32 {
        let words = self.words.in_line(line);
        self.seen |= words;
        let long = if line.len() >= table::LONG_LINE_BYTES { table::LONG_LINE } else { 0 };
        further(words) * table::WORD_IN_LINE + long
    }

    /// Returns the points for a matched name at its best position in the line, including the points `part`. The result
    /// is exact if it exceeds `needed`.
    fn name_points(&mut self, line: &[u8], name: &Range<usize>, part: i32, needed: i32) -> i32 {
        let text = &line[name.clone()];
        // For another name, this is the maximum. Most lines do not need the exact points. Without `named`, files with
        // many uses of one name took more than twice the time.
        let named = if self.named.0 == text { self.named.1 } else { table::FILE_IS_NAMED };
        let points = part + named + self.role_points(line, name, needed.saturating_sub(part + named));
        if points <= needed || self.named.0 == text {
            return points;
        }
        self.named.0.clear();
        self.named.0.extend_from_slice(text);
        self.named.1 = self.path_facts.named_like(text);
        points - named + self.named.1
    }

    /// Returns the points for how the line uses a name, at its best position. The result is exact if it exceeds
    /// `needed`.
    fn role_points(&self, line: &[u8], name: &Range<usize>, needed: i32) -> i32 {
        let text = &line[name.clone()];
        let mut points = line::points(line, name, self.path_facts.language, needed);
        // Later occurrences in the line can have more points.
        let mut from = name.end;
        for _ in 0..TIMES_IN_LINE {
            if points >= table::kind::DECLARES {
                break;
            }
            let Some(again) = line::next_same(line, text, from) else { break };
            from = again.end;
            points = points.max(line::points(line, &again, self.path_facts.language, needed));
        }
        points
    }

    /// Returns the points of the file: for its location, its number of match lines, and the words in it.
    pub fn file_points(&self, matches: u64) -> i32 {
        self.path_facts.location_points + of_file(matches, self.seen)
    }
}

/// Returns the points for the number of match lines in a file, and for the words in it.
fn of_file(matches: u64, words: WordSet) -> i32 {
    let doublings = i32::try_from(matches.max(1).ilog2().min(table::DOUBLINGS)).unwrap_or(0);
    doublings * table::DOUBLED_MATCHES + further(words) * table::WORD_IN_FILE
}

/// Returns the number of words beyond the first.
fn further(words: WordSet) -> i32 {
    i32::try_from(words.count_ones().saturating_sub(1)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
