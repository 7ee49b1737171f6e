//! Searches for many literals at once.

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Input, Match, Span};

use crate::text::NEWLINE;

/// Literals that are searched for at once. With more, the search has to check most positions of ordinary text.
const AT_ONCE: usize = 24;

/// A search for several literals.
#[derive(Debug)]
pub(super) struct Literals {
    /// A search for each [`AT_ONCE`] of them.
    searches: Vec<Search>,
}

/// The most searches.
const SEARCHES: usize = 4;

/// The next literal of each search in a text, each of which is searched for only once.
#[derive(Debug)]
pub(super) struct NextLiterals<'a> {
    literals: &'a Literals,
    text: &'a str,
    /// The positions; `None` if there is none up to the end.
    next: [Option<usize>; SEARCHES],
    /// The position from which they were searched for at least.
    from: Option<usize>,
}

impl NextLiterals<'_> {
    /// Returns the position of the first literal in the lines from `at`, the start of a line. For a literal that begins
    /// with a newline that is the start of the line after it.
    pub(super) fn from(&mut self, at: usize) -> Option<usize> {
        let is_new = self.from.is_none();
        self.from = Some(at);
        for (search, next) in self.literals.searches.iter().zip(&mut self.next) {
            if is_new || next.is_some_and(|next| next < at) {
                let found = search.find(self.text, at.saturating_sub(1)).map(|found| found.start());
                *next = found.map(|at| at + usize::from(self.text.as_bytes().get(at) == Some(&NEWLINE)));
            }
        }
        self.next.iter().take(self.literals.searches.len()).copied().flatten().min()
    }
}

#[derive(Debug)]
enum Search {
    /// Compares 16 or 32 bytes at a time.
    Packed(Box<Searcher>),
    /// For processors without such instructions: a step for each byte.
    Automaton(AhoCorasick),
}

impl Search {
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

    /// Returns the first literal in `text` from `from`.
    fn find(&self, text: &str, from: usize) -> Option<Match> {
        let span = Span { start: from, end: text.len() };
        match self {
            Self::Packed(searcher) => searcher.find_in(text.as_bytes(), span),
            Self::Automaton(automaton) => automaton.find(Input::new(text).span(span)),
        }
    }
}

impl Literals {
    pub(super) fn new(literals: &[&str]) -> Self {
        let search = |part| Search::packed(part).or_else(|| Search::automaton(part));
        Self { searches: literals.chunks(AT_ONCE).filter_map(search).collect() }
    }

    /// Returns the next literals of `text`.
    pub(super) fn next_in<'a>(&'a self, text: &'a str) -> NextLiterals<'a> {
        NextLiterals { literals: self, text, next: [Some(0); SEARCHES], from: None }
    }

    /// True if a literal is in `text`.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.searches.iter().any(|search| search.find(text, 0).is_some())
    }

    /// Returns the start and the number of each literal in `text`. Of those that overlap, some are missing.
    pub(super) fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.searches.iter().enumerate().flat_map(move |(n, search)| {
            let mut from = 0;
            std::iter::from_fn(move || {
                let found = search.find(text, from)?;
                from = found.end();
                Some((found.start(), n * AT_ONCE + found.pattern().as_usize()))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_find_the_same() {
        let words = ["rror", "fail", "FAIL", "\n! "];
        let text = "no error here, one FAIL and more failures\n! error".repeat(9);
        let all = |search: Option<Search>| {
            Literals { searches: search.into_iter().collect() }.find_all(&text).collect::<Vec<_>>()
        };
        let (packed, automaton) = (all(Search::packed(&words)), all(Search::automaton(&words)));
        assert_eq!(packed, automaton);
        assert_eq!(packed.len(), 45);
    }
}
