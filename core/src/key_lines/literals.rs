//! Searches for many literals at once.

use aho_corasick::AhoCorasick;
use aho_corasick::packed::{Config, MatchKind, Searcher};

/// A literal in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// The offset of its first byte.
    pub(super) at: usize,
    /// Its number.
    pub(super) literal: usize,
}

/// A search for several literals.
#[derive(Debug)]
pub(super) enum Literals {
    /// Compares 16 or 32 bytes at a time.
    Packed(Box<Searcher>),
    /// For processors without such instructions: a step for each byte.
    Automaton(AhoCorasick),
    /// There are no literals.
    Nothing,
}

impl Literals {
    pub(super) fn new(literals: &[&str]) -> Self {
        Self::packed(literals).or_else(|| Self::automaton(literals)).unwrap_or(Self::Nothing)
    }

    fn packed(literals: &[&str]) -> Option<Self> {
        let mut config = Config::new();
        config.match_kind(MatchKind::LeftmostLongest).heuristic_pattern_limits(false);
        let mut builder = config.builder();
        builder.extend(literals.iter().map(|literal| literal.as_bytes()));
        builder.build().map(|searcher| Self::Packed(Box::new(searcher)))
    }

    fn automaton(literals: &[&str]) -> Option<Self> {
        let kind = aho_corasick::MatchKind::LeftmostLongest;
        AhoCorasick::builder().match_kind(kind).build(literals).ok().map(Self::Automaton)
    }

    /// Returns the literals in `text`, in order. Of those that overlap, only the first is returned.
    pub(super) fn find_all<'a>(&'a self, text: &'a str) -> Hits<'a> {
        match self {
            Self::Packed(searcher) => Hits::Packed(searcher.find_iter(text)),
            Self::Automaton(automaton) => Hits::Automaton(automaton.find_iter(text)),
            Self::Nothing => Hits::Nothing,
        }
    }
}

/// The literals in a text.
#[derive(Debug)]
pub(super) enum Hits<'a> {
    Packed(aho_corasick::packed::FindIter<'a, 'a>),
    Automaton(aho_corasick::FindIter<'a, 'a>),
    Nothing,
}

impl Iterator for Hits<'_> {
    type Item = Hit;

    fn next(&mut self) -> Option<Hit> {
        let found = match self {
            Self::Packed(hits) => hits.next(),
            Self::Automaton(hits) => hits.next(),
            Self::Nothing => None,
        };
        found.map(|found| Hit { at: found.start(), literal: found.pattern().as_usize() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_find_the_same() {
        let words = ["rror", "fail", "FAIL", "E   "];
        let text = "no error here, one FAIL and more failures\nE   error".repeat(9);
        let all = |search: Option<Literals>| search.map(|search| search.find_all(&text).collect::<Vec<_>>());
        let automaton = all(Literals::automaton(&words)).unwrap();
        assert_eq!(automaton.len(), 45);
        // Some processors have no packed search.
        assert!(all(Literals::packed(&words)).is_none_or(|packed| packed == automaton));
    }
}
