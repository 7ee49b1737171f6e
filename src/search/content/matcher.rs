//! A pattern as the searcher asks for it, stopped where the search is.

#![expect(clippy::indexing_slicing, reason = "a search begins within its text")]

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};

use super::{Pattern, Stop};

/// The search was stopped while a match was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the search was stopped")
    }
}

impl std::error::Error for Stopped {}

/// Finds a pattern in one file.
#[derive(Debug)]
pub(super) struct GuardedMatcher<'a> {
    pattern: &'a Pattern,
    /// All of the text, where matches may span lines; the searcher gives what is left of it.
    text: &'a [u8],
    stop: &'a Stop,
    calls: std::cell::Cell<u32>,
}

impl<'a> GuardedMatcher<'a> {
    pub(super) fn new(pattern: &'a Pattern, text: &'a [u8], stop: &'a Stop) -> Self {
        Self { pattern, text, stop, calls: std::cell::Cell::new(0) }
    }

    pub(super) fn pattern(&self) -> &'a Pattern {
        self.pattern
    }

    fn check(&self) -> Result<(), Stopped> {
        self.calls.set(self.calls.get() + 1);
        if self.calls.get() % 64 == 1 && self.stop.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// The next match in all of the text, of which the searcher gave what is left.
    fn find_across(&self, left: &[u8]) -> Result<Option<Match>, Stopped> {
        let before = self.text.len() - left.len();
        let found = self.pattern.regex.find_at(self.text, before).map_err(|_never| Stopped)?;
        // What is after the last newline is no line.
        let is_in_line = |found: &Match| found.start() < self.text.len() || !self.text.ends_with(b"\n");
        Ok(found.filter(is_in_line).map(|found| Match::new(found.start() - before, found.end() - before)))
    }
}

impl Matcher for GuardedMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        self.check()?;
        if self.pattern.spans_lines {
            return self.find_across(&text[at..]);
        }
        self.pattern.regex.find_at(text, at).map_err(|_never| Stopped)
    }

    fn shortest_match_at(&self, text: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        self.check()?;
        self.pattern.regex.shortest_match_at(text, at).map_err(|_never| Stopped)
    }

    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        self.check()?;
        self.pattern.regex.find_candidate_line(text).map_err(|_never| Stopped)
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.pattern.regex.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.pattern.regex.line_terminator()
    }
}
