//! Searches for many literals at once.

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Match};

/// A literal in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// The offset of its first byte.
    pub(super) at: usize,
    /// Its index in the list of the search.
    pub(super) literal: usize,
}

/// A search for several literals.
#[derive(Debug)]
pub(super) struct Literals {
    /// Compares 16 or 32 bytes at a time.
    packed: Option<Searcher>,
    /// For processors without such instructions: a step for each byte.
    automaton: Option<AhoCorasick>,
}

impl Literals {
    pub(super) fn new(literals: &[&str]) -> Self {
        let packed = packed(literals);
        let automaton = if packed.is_none() { automaton(literals) } else { None };
        Self { packed, automaton }
    }

    /// Returns the literals in `text`, in order. Of those that overlap, only the first is returned, or the longest of
    /// those that begin at the same place.
    pub(super) fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Hit> + use<'a> {
        let packed = self.packed.iter().flat_map(move |search| search.find_iter(text));
        let stepwise = self.automaton.iter().flat_map(move |search| search.find_iter(text));
        packed
            .chain(stepwise)
            .map(|found: Match| Hit { at: found.start(), literal: found.pattern().as_usize() })
    }
}

fn packed(literals: &[&str]) -> Option<Searcher> {
    let mut config = Config::new();
    config.match_kind(MatchKind::LeftmostLongest).heuristic_pattern_limits(false);
    config.builder().extend(literals.iter().map(|literal| literal.as_bytes())).build()
}

fn automaton(literals: &[&str]) -> Option<AhoCorasick> {
    AhoCorasick::builder().match_kind(aho_corasick::MatchKind::LeftmostLongest).build(literals).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_find_the_same() {
        let words = ["rror", "fail", "FAIL", "E   "];
        let text = "no error here, one FAIL and more failures\nE   error".repeat(9);
        let all = |search: Literals| search.find_all(&text).collect::<Vec<_>>();
        let stepwise = all(Literals { packed: None, automaton: automaton(&words) });
        assert_eq!(stepwise.len(), 45);
        assert_eq!(all(Literals::new(&words)), stepwise);
    }
}
