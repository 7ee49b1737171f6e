//! The relevance of a line to what was searched for, from the line and its path alone.
//!
//! Points are added up (`table`): what the line does with the name that was found (`line`), where it stands
//! (`place`), how many matches the file has, and which words of an alternation meet. Nothing here reads or
//! writes.

#![expect(clippy::indexing_slicing, reason = "a match is within its line")]

mod line;
mod name;
mod place;
mod table;

use std::ops::Range;

use line::is_name_byte;
pub use name::NameScorer;
use place::Place;

/// Times that a name is looked at in one line after the first.
const TIMES_IN_LINE: usize = 3;

/// The words of a pattern that are looked for beside the match: those of an alternation.
#[derive(Debug, Clone, Default)]
pub struct Words {
    words: Vec<Vec<u8>>,
    ignore_case: bool,
}

/// The words that were seen, one bit each.
pub type WordSet = u8;

impl Words {
    /// Takes the words of an alternation, the first few of them.
    pub fn new(words: Vec<String>, ignore_case: bool) -> Self {
        let as_searched = |word: String| if ignore_case { word.to_ascii_lowercase() } else { word };
        let mut words: Vec<_> = words.into_iter().map(as_searched).map(String::into_bytes).collect();
        words.sort_unstable();
        words.dedup();
        words.truncate(table::WORDS);
        Self { words, ignore_case }
    }

    /// Returns their number.
    fn count(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(0)
    }

    /// Returns the words that stand in a line.
    pub fn in_line(&self, line: &[u8]) -> WordSet {
        if self.words.len() < 2 {
            return 0;
        }
        let folded = if self.ignore_case { line.to_ascii_lowercase() } else { Vec::new() };
        let line = if self.ignore_case { &folded } else { line };
        let has = |word: &Vec<u8>| WordSet::from(memchr::memmem::find(line, word).is_some());
        self.words.iter().enumerate().fold(0, |all, (bit, word)| all | has(word) << bit)
    }
}

/// Scores the lines of one file.
#[derive(Debug)]
pub struct FileScorer {
    place: Place,
    /// The last name that was compared with the file's, and the points for that.
    named: (Vec<u8>, i32),
}

impl FileScorer {
    /// Makes one for the file at `path`.
    pub fn new(path: &[u8]) -> Self {
        Self { place: Place::new(path), named: (Vec::new(), 0) }
    }

    /// Returns the points of a line with a match at `found`, and with `words` of an alternation in it; `None` if
    /// they are not more than `needed`.
    pub fn line(&mut self, line: &[u8], found: &Range<usize>, words: WordSet, needed: i32) -> Option<i32> {
        let long = if line.len() >= table::LONG_LINE_BYTES { table::LONG_LINE } else { 0 };
        let of_line = further(words.count_ones()) * table::WORD_IN_LINE + long;
        let points = of_line + self.name(line, found, needed.saturating_sub(of_line));
        (points > needed).then_some(points)
    }

    /// Returns the points for the name that is found, at its best place in the line; exact where they are more than
    /// `needed`.
    fn name(&mut self, line: &[u8], found: &Range<usize>, needed: i32) -> i32 {
        let Some((matched, name)) = line::name_in(line, found) else { return table::kind::USES };
        let part = if matched == name {
            0
        } else if matched.start == name.start {
            table::STARTS_NAME
        } else {
            table::WITHIN_NAME
        };
        let text = &line[name.clone()];
        if self.named.0 != text {
            self.named = (text.to_vec(), self.place.named_like(text));
        }
        let of_name = part + self.named.1;
        let needed = needed.saturating_sub(of_name);
        let mut points = line::points(line, &name, self.place.language, needed);
        // The same again in the rest of the line, where that may say more.
        let mut from = name.end;
        for _ in 0..TIMES_IN_LINE {
            if points >= table::kind::DECLARES {
                break;
            }
            let Some(at) = memchr::memmem::find(&line[from..], text) else { break };
            let again = from + at..from + at + text.len();
            from = again.end;
            let is_whole = !is_name_byte(line[again.start - 1])
                && line.get(again.end).is_none_or(|&byte| !is_name_byte(byte));
            if is_whole {
                points = points.max(line::points(line, &again, self.place.language, needed));
            }
        }
        points + of_name
    }

    /// Returns the points of the file: for its place, its number of match lines, and all words that are in it.
    pub fn file(&self, matches: u64, words: WordSet) -> i32 {
        let doublings = i32::try_from(matches.max(1).ilog2().min(table::DOUBLINGS)).unwrap_or(0);
        let of_words = further(words.count_ones()) * table::WORD_IN_FILE;
        self.place.points + doublings * table::DOUBLED_MATCHES + of_words
    }

    /// Returns the most that [`FileScorer::file`] can come to in a search for `words`.
    pub fn most_of_file(&self, words: &Words) -> i32 {
        self.file(u64::MAX, 0) + further(words.count()) * table::WORD_IN_FILE
    }

    /// Returns the most that [`FileScorer::line`] can come to in a search for `words`.
    pub fn most_of_line(words: &Words) -> i32 {
        let of_name = table::kind::DEFINES + table::AT_LINE_START + table::EXPORTED + table::FILE_IS_NAMED;
        of_name + further(words.count()) * table::WORD_IN_LINE
    }
}

/// Returns how many words there are beside the first.
fn further(words: u32) -> i32 {
    i32::try_from(words.saturating_sub(1)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
