//! Scores file names for words: the complete name, starts of its words, letters in order.

#![expect(clippy::indexing_slicing, reason = "a name starts inside its path")]

use super::{FileScorer, bare};

/// Points if the words are the complete name, with or without extensions.
const WHOLE: i32 = 1000;
/// Points if a word is the start of a word in the name: `service` in `userService.ts`, `user_service.py`.
const STARTS_WORD: i32 = 700;
/// Points if a word is inside a word of the name.
const WITHIN_WORD: i32 = 550;
/// Points if the letters of a word occur in the name in this order. Each byte between them takes one.
const LETTERS: i32 = 200;
/// Percentage of its points that a word gets if it occurs only in the folders, or has a `/`.
const IN_PATH_PERCENT: i32 = 30;
/// Factor for the points of a location, unless the words are the complete name with extensions. All names in locations
/// that rank lower then rank below other locations.
const LOWER_LOCATION: i32 = 4;
/// Maximum number of bytes of a name that count. Each takes one point.
const LONGEST_NAME: usize = 60;

/// Scores paths for the words of a pattern.
#[derive(Debug, Clone)]
pub struct NameScorer {
    /// The words in lower case.
    words: Vec<Vec<u8>>,
    /// All words joined, in lower case and without separators.
    joined: Vec<u8>,
}

impl NameScorer {
    /// Creates a scorer for words that are separated by white space.
    pub fn new(words: &str) -> Self {
        let lower_case = words.split_whitespace().map(|word| word.to_ascii_lowercase().into_bytes());
        Self { words: lower_case.collect(), joined: bare(words.as_bytes()) }
    }

    /// Returns the score of a path. Returns `None` if a word does not match the path, or if all words match only
    /// folders, and none has a `/`. The name of a main file, such as `index.ts`, includes that of its folder.
    pub fn score(&self, path: &[u8]) -> Option<i32> {
        let facts = FileScorer::new(path);
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let mut starts = memchr::memrchr_iter(b'/', path).map(|slash| slash + 1);
        let (own, folder) = (starts.next().unwrap_or(0), starts.next().unwrap_or(0));
        let name = &path[if facts.folder.is_empty() { own } else { folder }..];
        let (mut total, mut in_name) = (0, 0);
        for word in &self.words {
            // A word with `/` is searched in the complete path.
            let is_path = word.contains(&b'/');
            let of_name = occurrence(name, word).or_else(|| letters(name, word)).filter(|_| !is_path);
            // Letters that are scattered over several folders are not significant.
            let of_path = || occurrence(path, word).map(|points| points * IN_PATH_PERCENT / 100);
            in_name += i32::from(is_path || of_name.is_some());
            total += of_name.or_else(of_path)?;
        }
        if in_name == 0 {
            return None;
        }
        // Words with the extension are exactly the wanted file, even in a location that ranks lower.
        let is_exact = self.joined == bare(&path[own..]);
        let is_stem = self.joined == facts.stem || self.joined == facts.folder;
        let location = if is_exact { facts.location } else { facts.location * LOWER_LOCATION };
        let words = i32::try_from(self.words.len()).unwrap_or(i32::MAX).max(1);
        let length = i32::try_from(name.len().min(LONGEST_NAME)).unwrap_or(0);
        Some(total / words + if is_exact || is_stem { WHOLE } else { 0 } - length + location)
    }
}

/// Returns the points for the best exact occurrence of a word.
fn occurrence(text: &[u8], word: &[u8]) -> Option<i32> {
    let lower_case = text.to_ascii_lowercase();
    let found = memchr::memmem::find_iter(&lower_case, word);
    found.map(|at| if starts_word(text, at) { STARTS_WORD } else { WITHIN_WORD }).max()
}

/// Returns the points if the letters of a word occur in this order.
fn letters(text: &[u8], word: &[u8]) -> Option<i32> {
    let lower_case = text.to_ascii_lowercase();
    let mut at = 0;
    for letter in word {
        at += memchr::memchr(*letter, &lower_case[at..])? + 1;
    }
    let skipped = i32::try_from(at - word.len()).unwrap_or(i32::MAX);
    Some((LETTERS - skipped).max(0))
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
