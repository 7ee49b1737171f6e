//! Scores file names for words: the complete name, starts of its words, letters in order.

#![expect(clippy::indexing_slicing, reason = "a name starts inside its path")]

use frizbee::{CaseMatching, Config, Matcher};

use super::path_facts::{self, PathFacts};
use super::table::name as points;

/// Maximum characters of a word that are matched. More would hardly change the score.
const WORD_CHARS: usize = 64;

/// Scores paths for the words of a pattern.
pub struct NameScorer {
    words: Vec<Word>,
    /// All words joined, in lower case and without separators.
    joined: Vec<u8>,
}

struct Word {
    /// The word in lower case.
    lower: Vec<u8>,
    letters: Matcher,
}

impl NameScorer {
    /// Creates a scorer for words that are separated by white space.
    pub fn new(words: &str) -> Self {
        let config = Config::default().max_typos(Some(0)).casing(CaseMatching::Ignore);
        let word = |text: &str| {
            let text: String = text.chars().take(WORD_CHARS).collect();
            Word { letters: Matcher::new(&text, &config), lower: text.to_ascii_lowercase().into_bytes() }
        };
        let joined = path_facts::bare(words.as_bytes());
        Self { words: words.split_whitespace().map(word).collect(), joined }
    }

    /// Returns the score of a path. Returns `None` if a word does not match the path, or if all words match only
    /// folders, and none has a `/`.
    pub fn score(&mut self, path: &[u8]) -> Option<i32> {
        let facts = PathFacts::new(path);
        let name_start = facts.name_start(path);
        let text = String::from_utf8_lossy(path);
        let name = String::from_utf8_lossy(&path[name_start..]);
        let (mut total, mut in_name) = (0, 0);
        let count = i32::try_from(self.words.len()).unwrap_or(i32::MAX).max(1);
        for word in &mut self.words {
            // A word with `/` is searched in the complete path.
            let is_path = word.lower.contains(&b'/');
            let of_name = if is_path { None } else { word.score(&name) };
            if let Some(score) = of_name {
                (total, in_name) = (total + score, in_name + 1);
            } else {
                // Letters that are scattered over several folders are not significant.
                let of_occurrence = word.occurrence_points(text.as_bytes());
                if of_occurrence == 0 {
                    return None;
                }
                total += of_occurrence * points::IN_PATH_PERCENT / 100;
                in_name += i32::from(is_path);
            }
        }
        if in_name == 0 {
            return None;
        }
        let length = i32::try_from(name.len()).unwrap_or(i32::MAX).min(points::LONGEST_NAME);
        // A word with the extension is exactly the wanted file, even in a location that ranks lower.
        let is_exact = self.joined == path_facts::bare(path_facts::own_name(path));
        let complete = if is_exact || facts.is_stem(&self.joined) { points::WHOLE } else { 0 };
        let lower = if is_exact { facts.points } else { facts.points * points::LOWER_LOCATION };
        Some(total / count + complete - length + lower)
    }
}

impl Word {
    /// Returns the points of a word in `text`, or `None` if `text` does not contain its letters in this order.
    fn score(&mut self, text: &str) -> Option<i32> {
        // Not more than the matcher can distinguish.
        let score = i32::from(self.letters.match_one(text, 0)?.score);
        let most = i32::try_from(self.lower.len())
            .unwrap_or(i32::MAX)
            .saturating_mul(points::MOST_FOR_LETTER)
            .max(1);
        let letters = (score * points::LETTERS / most).min(points::LETTERS);
        Some(letters + self.occurrence_points(text.as_bytes()))
    }

    /// Returns the points for an exact occurrence of the word, by its position.
    fn occurrence_points(&self, text: &[u8]) -> i32 {
        let lower = text.to_ascii_lowercase();
        let found = memchr::memmem::find_iter(&lower, &self.lower);
        let of_occurrence =
            found.map(|at| if starts_word(text, at) { points::STARTS_WORD } else { points::WITHIN_WORD });
        of_occurrence.max().unwrap_or(0)
    }
}

/// Returns true if a word starts at `at`: at the start of the name, after a separator, or at a capital letter.
fn starts_word(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    match (before, text.get(at)) {
        (Some(before), Some(first)) => {
            !before.is_ascii_alphanumeric() && before.is_ascii()
                || first.is_ascii_uppercase() && !before.is_ascii_uppercase()
                || first.is_ascii_alphabetic() && before.is_ascii_digit()
        }
        _ => true,
    }
}
