//! The relevance of a line to what was searched for, from the line and its path alone.
//!
//! Points are added up (`table`): what the line does with the name that was found (`line`), where it stands
//! (`place`), how many matches the file has, and which words of an alternation meet. Nothing here reads or
//! writes.

#![expect(clippy::indexing_slicing, reason = "matches and names are within their line")]

mod line;
mod name;
mod place;
mod table;

use std::ops::Range;

use memchr::memmem::Finder;

use line::is_name_byte;
pub use name::NameScorer;
use place::Place;

/// Times that a name is looked at in one line after the first.
const TIMES_IN_LINE: usize = 3;

/// The words of a pattern that are looked for beside the match: those of an alternation.
#[derive(Debug, Clone, Default)]
pub struct Words {
    words: Vec<Finder<'static>>,
    ignore_case: bool,
}

/// The words that were seen, one bit each.
type WordSet = u8;

impl Words {
    /// Takes the words of an alternation, the first few of them; of a single one nothing is looked for.
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

    /// Returns the set of all of them.
    fn all(&self) -> WordSet {
        (0..self.words.len()).fold(0, |all, bit| all | 1 << bit)
    }

    /// Returns the words that stand in a line.
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
    place: Place,
    words: &'a Words,
    /// Points for all words in one line.
    most_of_words: i32,
    /// The most that [`FileScorer::file`] can come to.
    pub most_of_file: i32,
    /// The words in the lines that were looked at.
    seen: WordSet,
    /// The last name that was compared with the file's, and the points for that.
    named: (Vec<u8>, i32),
}

impl<'a> FileScorer<'a> {
    /// Makes one for the file at `path`, in a search for `words`.
    pub fn new(path: &[u8], words: &'a Words) -> Self {
        let (place, most_of_words) = (Place::new(path), further(words.all()) * table::WORD_IN_LINE);
        let most_of_file = place.points + of_file(u64::MAX, words.all());
        Self { place, words, most_of_words, most_of_file, seen: 0, named: (Vec::new(), 0) }
    }

    /// Returns false only if no match in the line that ends at `end` makes it more than `needed` points.
    pub fn may_have_more(&mut self, line: &[u8], end: usize, needed: i32) -> bool {
        // What is left of a match before its last name is not known.
        if end == 0 || !is_name_byte(line[end - 1]) {
            return true;
        }
        // An empty match is of no name.
        let without_name = table::kind::USES;
        let name = line::name_around(line, end - 1..end);
        let part = if name.end > end { table::STARTS_NAME } else { 0 };
        if self.seen == self.words.all() {
            let most = self.most_of_words;
            let of_name = self.name(line, &name, part, needed.saturating_sub(most)).max(without_name);
            if of_name + most <= needed {
                return false;
            }
        }
        let of_line = self.of_line(line);
        of_line + self.name(line, &name, part, needed.saturating_sub(of_line)).max(without_name) > needed
    }

    /// Returns the points of a line with a match at `found`; `None` if they are not more than `needed`.
    pub fn line(&mut self, line: &[u8], found: &Range<usize>, needed: i32) -> Option<i32> {
        let of_line = self.of_line(line);
        let of_name = line::name_in(line, found).map_or(table::kind::USES, |matched| {
            let name = line::name_around(line, matched.clone());
            let part = if matched == name {
                0
            } else if matched.start == name.start {
                table::STARTS_NAME
            } else {
                table::WITHIN_NAME
            };
            self.name(line, &name, part, needed.saturating_sub(of_line))
        });
        Some(of_line + of_name).filter(|&points| points > needed)
    }

    /// Returns the points of a line that do not depend on the match.
    fn of_line(&mut self, line: &[u8]) -> i32 {
        let words = self.words.in_line(line);
        self.seen |= words;
        let long = if line.len() >= table::LONG_LINE_BYTES { table::LONG_LINE } else { 0 };
        further(words) * table::WORD_IN_LINE + long
    }

    /// Returns the points for a name of which `part` was found, at its best place in the line; exact where they are
    /// more than `needed`.
    fn name(&mut self, line: &[u8], name: &Range<usize>, part: i32, needed: i32) -> i32 {
        let text = &line[name.clone()];
        let named = if self.named.0 == text { self.named.1 } else { table::FILE_IS_NAMED };
        let points = part + named + self.role(line, name, needed.saturating_sub(part + named));
        if points <= needed || self.named.0 == text {
            return points;
        }
        self.named.0.clear();
        self.named.0.extend_from_slice(text);
        self.named.1 = self.place.named_like(text);
        points - named + self.named.1
    }

    /// Returns the points for what the line does with a name, at its best place; exact where they are more than `needed`.
    fn role(&self, line: &[u8], name: &Range<usize>, needed: i32) -> i32 {
        let text = &line[name.clone()];
        let mut points = line::points(line, name, self.place.language, needed);
        // The same again in the rest of the line, where that may say more.
        let mut from = name.end;
        for _ in 0..TIMES_IN_LINE {
            if points >= table::kind::DECLARES {
                break;
            }
            let Some(again) = line::next_same(line, text, from) else { break };
            from = again.end;
            points = points.max(line::points(line, &again, self.place.language, needed));
        }
        points
    }

    /// Returns the points of the file: for its place, its number of match lines, and all words that are in it.
    pub fn file(&self, matches: u64) -> i32 {
        self.place.points + of_file(matches, self.seen)
    }
}

/// Returns the points for the number of match lines in a file, and for the words in it.
fn of_file(matches: u64, words: WordSet) -> i32 {
    let doublings = i32::try_from(matches.max(1).ilog2().min(table::DOUBLINGS)).unwrap_or(0);
    doublings * table::DOUBLED_MATCHES + further(words) * table::WORD_IN_FILE
}

/// Returns how many words there are beside the first.
fn further(words: WordSet) -> i32 {
    i32::try_from(words.count_ones().saturating_sub(1)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
