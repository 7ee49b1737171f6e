//! The matcher for the searcher. It searches text in pieces, and can stop between them.
//!
//! A search by a regular expression can't be interrupted. It therefore gets one piece of complete lines at a time. A
//! search across lines gets the complete text, and can stop after each match.

#![expect(clippy::indexing_slicing, reason = "a search starts inside its text, and pieces are inside it")]

mod passed_lines;

use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};

use super::ranked::FileRanking;
use super::{OutputMode, Query};
use crate::stop::{Stop, Stopped};

/// Number of bytes of complete lines between two checks whether to stop.
const CHECK_BYTES: usize = 64 * 1024;

/// Finds the pattern of a query in one text.
pub(super) struct PatternMatcher<'a> {
    pub(super) query: &'a Query,
    /// The most relevant lines of the file, if the query ranks matches.
    pub(super) ranking: Option<&'a RefCell<FileRanking<'a>>>,
    /// The complete text, if matches may span lines. The searcher passes a suffix of it.
    text: &'a [u8],
    pub(super) stop: &'a Stop,
    /// Number of bytes searched since the last check whether to stop.
    unchecked: Cell<usize>,
    /// The reason if the search stopped before the end of the text.
    pub(super) stopped: Cell<Option<Stopped>>,
    /// Number of match lines that were counted here and not passed to the searcher.
    pub(super) counted: Cell<u64>,
}

impl<'a> PatternMatcher<'a> {
    pub(super) fn new(query: &'a Query, text: &'a [u8], stop: &'a Stop) -> Self {
        Self {
            query,
            ranking: None,
            text,
            stop,
            unchecked: Cell::new(0),
            stopped: Cell::new(None),
            counted: Cell::new(0),
        }
    }

    /// Returns an error if the search must stop.
    pub(super) fn check(&self) -> Result<(), Stopped> {
        self.unchecked.set(0);
        self.stop.check().inspect_err(|stopped| self.stopped.set(Some(*stopped)))
    }

    /// Adds searched bytes. After each piece, checks whether to stop.
    fn searched(&self, bytes: usize) -> Result<(), Stopped> {
        self.unchecked.set(self.unchecked.get() + bytes);
        if self.unchecked.get() < CHECK_BYTES { Ok(()) } else { self.check() }
    }

    /// Returns the first match at or after `at`, without a check whether to stop.
    fn first_match(&self, text: &[u8], at: usize) -> Option<Match> {
        never_fails(self.query.pattern.regex.find_at(text, at))
    }

    /// Returns the next match in the complete text. `rest` is the suffix from the searcher, and `at` is an offset in
    /// it. Not only the suffix is searched, because `^` and `\b` examine the text before.
    fn find_across(&self, rest: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        self.check()?;
        let before = self.text.len() - rest.len();
        // No line follows the last newline.
        let is_in_line = |found: &Match| found.start() < self.text.len() || !self.text.ends_with(b"\n");
        let found = self.first_match(self.text, before + at).filter(is_in_line);
        Ok(found.map(|found| Match::new(found.start() - before, found.end() - before)))
    }
}

/// Unwraps the result of a search by the regular expression, which never fails.
fn never_fails<T>(found: Result<Option<T>, NoError>) -> Option<T> {
    found.unwrap_or_default()
}

/// Returns the end of the piece of complete lines that starts at `from`. A piece has at least one line.
fn piece_end(text: &[u8], from: usize) -> usize {
    let most = from + CHECK_BYTES;
    if most >= text.len() {
        return text.len();
    }
    let last = memchr::memrchr(b'\n', &text[from..most]).map(|at| from + at + 1);
    last.unwrap_or_else(|| memchr::memchr(b'\n', &text[most..]).map_or(text.len(), |at| most + at + 1))
}

/// Returns the part of a match inside `line`, which may lack its line ending.
pub(super) fn within(line: &[u8], found: Match) -> Range<usize> {
    found.start().min(line.len())..found.end().min(line.len())
}

impl Matcher for PatternMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        if self.query.pattern.is_across_lines {
            self.find_across(text, at)
        } else {
            Ok(self.first_match(text, at))
        }
    }

    fn shortest_match_at(&self, text: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        self.searched(text.len() - at)?;
        Ok(never_fails(self.query.pattern.regex.shortest_match_at(text, at)))
    }

    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        let mut from = 0;
        while from < text.len() {
            let end = piece_end(text, from);
            while from < end {
                let piece = &text[from..end];
                let found = never_fails(self.query.pattern.regex.find_candidate_line(piece));
                let Some(found) = found else { break };
                let (LineMatchKind::Candidate(at) | LineMatchKind::Confirmed(at)) = found;
                if self.ranking.is_none() && self.query.mode != OutputMode::Count {
                    self.searched(at)?;
                    return Ok(Some(match found {
                        LineMatchKind::Candidate(at) => LineMatchKind::Candidate(from + at),
                        LineMatchKind::Confirmed(at) => LineMatchKind::Confirmed(from + at),
                    }));
                }
                match self.report_or_count(piece, found)? {
                    ControlFlow::Break(at) => return Ok(Some(LineMatchKind::Confirmed(from + at))),
                    ControlFlow::Continue(next) => {
                        self.searched(next)?;
                        from += next;
                    }
                }
            }
            self.searched(end - from)?;
            from = end;
        }
        Ok(None)
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.query.pattern.regex.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.query.pattern.regex.line_terminator()
    }
}
