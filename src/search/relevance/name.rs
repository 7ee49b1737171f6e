//! Scores file names for words: the complete name, starts of its words, letters in order.

#![expect(clippy::indexing_slicing, reason = "a name starts inside its path")]

use super::path_facts::{self, PathFacts};
use super::table::name as weights;

/// Maximum number of bytes of a word that are searched one by one. More would hardly change the score.
const MAX_LETTERS: usize = 64;

/// Scores paths for the words of a pattern.
pub struct NameScorer {
    words: Vec<Word>,
    /// All words joined, in lower case and without separators.
    joined: Vec<u8>,
}

struct Word {
    /// The word in lower case.
    lower_case: Vec<u8>,
    /// Its first bytes, which are searched one by one.
    letters: Vec<u8>,
}

impl NameScorer {
    /// Creates a scorer for words that are separated by white space.
    pub fn new(words: &str) -> Self {
        let word = |text: &str| {
            let lower_case = text.to_ascii_lowercase().into_bytes();
            Word { letters: lower_case.iter().copied().take(MAX_LETTERS).collect(), lower_case }
        };
        let joined = path_facts::bare(words.as_bytes());
        Self { words: words.split_whitespace().map(word).collect(), joined }
    }

    /// Returns the score of a path. Returns `None` if a word does not match the path, or if all words match only
    /// folders, and none has a `/`.
    pub fn score(&self, path: &[u8]) -> Option<i32> {
        let facts = PathFacts::new(path);
        let name_start = facts.name_start(path);
        let name = &path[name_start..];
        let (mut total, mut in_name) = (0, 0);
        let count = i32::try_from(self.words.len()).unwrap_or(i32::MAX).max(1);
        for word in &self.words {
            // A word with `/` is searched in the complete path.
            let is_path = word.lower_case.contains(&b'/');
            let of_name = if is_path { None } else { word.score(name) };
            if let Some(score) = of_name {
                (total, in_name) = (total + score, in_name + 1);
            } else {
                // Letters that are scattered over several folders are not significant.
                let of_occurrence = word.occurrence_points(path);
                if of_occurrence == 0 {
                    return None;
                }
                total += of_occurrence * weights::IN_PATH_PERCENT / 100;
                in_name += i32::from(is_path);
            }
        }
        if in_name == 0 {
            return None;
        }
        let length = i32::try_from(name.len()).unwrap_or(i32::MAX).min(weights::LONGEST_NAME);
        // A word with the extension is exactly the wanted file, even in a location that ranks lower.
        let is_exact = self.joined == path_facts::bare(path_facts::own_name(path));
        let complete = if is_exact || facts.is_stem(&self.joined) { weights::WHOLE } else { 0 };
        let location =
            if is_exact { facts.location_points } else { facts.location_points * weights::LOWER_LOCATION };
        Some(total / count + complete - length + location)
    }
}

impl Word {
    /// Returns the points of a word in `text`, or `None` if `text` does not contain its letters in this order.
    fn score(&self, text: &[u8]) -> Option<i32> {
        let letters = letters_points(&self.letters, text)?;
        let most = i32::try_from(self.letters.len()).unwrap_or(i32::MAX).max(1) * weights::LETTER;
        Some(letters * weights::LETTERS / most + self.occurrence_points(text))
    }

    /// Returns the points for an exact occurrence of the word, by its position.
    fn occurrence_points(&self, text: &[u8]) -> i32 {
        let lower_case = text.to_ascii_lowercase();
        let found = memchr::memmem::find_iter(&lower_case, &self.lower_case);
        let of_occurrence =
            found.map(|at| if starts_word(text, at) { weights::STARTS_WORD } else { weights::WITHIN_WORD });
        of_occurrence.max().unwrap_or(0)
    }
}

/// Returns the points of the best way to find `letters`, in lower case, in this order in `text`. Returns `None` if
/// there is none. Letters that continue the letter before or start a word get the most points.
fn letters_points(letters: &[u8], text: &[u8]) -> Option<i32> {
    let mut rest = text.iter();
    if !letters.iter().all(|letter| rest.any(|byte| byte.to_ascii_lowercase() == *letter)) {
        return None;
    }
    // The best points with the last letter at each byte of the text.
    let mut best: Vec<Option<i32>> = vec![None; text.len()];
    for (number, letter) in letters.iter().enumerate() {
        let mut with_letter = vec![None; text.len()];
        // The best points with the letter before at an earlier byte, less those for the bytes since then.
        let mut after_gap: Option<i32> = None;
        for at in 0..text.len() {
            let adjacent = at.checked_sub(1).and_then(|before| best[before]);
            if text[at].to_ascii_lowercase() == *letter {
                let scattered =
                    if starts_word(text, at) { weights::LETTER } else { weights::SCATTERED_LETTER };
                let continued = adjacent.map(|total| total + weights::LETTER);
                let others =
                    if number == 0 { Some(scattered) } else { after_gap.map(|total| total + scattered) };
                with_letter[at] = continued.max(others);
            }
            after_gap = after_gap.max(adjacent).map(|total| total - weights::SKIPPED);
        }
        best = with_letter;
    }
    best.into_iter().flatten().max()
}

/// Returns true if a word starts at `at`: at the start of the name, after an ASCII separator, at a capital letter that
/// does not follow another one, or at a letter after a digit.
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
