//! A pattern as the searcher asks for it: stopped where the search is, and within a bound of what it may take.
//!
//! A search by a regular expression can be neither watched from outside nor stopped. It is given as much text
//! at once as it is sure to be done with soon, whatever the text; lines are kept whole. A longer line, and a text
//! in which matches may span lines, are searched by automata that can be stopped anywhere.

#![expect(clippy::indexing_slicing, reason = "a search begins within its text, and pieces are within it")]

mod told;

use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use tokio_util::sync::CancellationToken;

use super::automata::{Automata, Caches};
use super::ranked::FileRanking;
use super::{OutputMode, Query};

/// Bytes, times the pattern's positions, that are searched in one go: a twentieth of a second at worst.
const GO_STEPS: usize = 4_000_000;
/// Times that a byte takes longer where the pattern looks at words: no table answers for those that are not ASCII.
const SLOWER: usize = 4;
/// Bytes that may be looked at for each byte of a text in which matches may span lines: where each match
/// depends on all that comes after it, it would be the square of the text.
const LOOKS_PER_BYTE: usize = 100;
/// Bytes of a text that may be looked at in any case, and that the regular expression may look at in all.
const LOOKS: usize = 1_000_000;

/// Why a search was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Ended {
    /// The search was stopped.
    #[error("the search was stopped")]
    Stopped,
    /// It took more than the text is worth.
    #[error("{}", super::pattern::TOO_COSTLY)]
    TooCostly,
}

/// Finds a query's pattern in one text.
pub(super) struct GuardedMatcher<'a> {
    pub(super) query: &'a Query,
    /// The most relevant lines of the file, where those are wanted.
    pub(super) ranking: Option<&'a RefCell<FileRanking<'a>>>,
    /// All of the text, where matches may span lines; the searcher gives what is left of it.
    text: &'a [u8],
    pub(super) stop: &'a CancellationToken,
    /// Bytes that are searched in one go.
    piece_bytes: usize,
    /// Steps since it was asked whether to stop.
    steps: Cell<usize>,
    /// Bytes that the automata looked at.
    looks: Cell<usize>,
    /// Bytes that the regular expression may have looked at, where matches may span lines.
    may_have_looked: Cell<usize>,
    /// Why the search was ended, if it was.
    ended: Cell<Option<Ended>>,
    /// Times that it was asked whether to stop, for tests.
    #[cfg(test)]
    pub(super) checks: Cell<usize>,
    automata: RefCell<Option<(&'a Automata, Caches)>>,
    /// Number of the match lines that the searcher was not told of.
    pub(super) counted: Cell<u64>,
}

impl<'a> GuardedMatcher<'a> {
    pub(super) fn new(query: &'a Query, text: &'a [u8], stop: &'a CancellationToken) -> Self {
        let looks_at_words = query.pattern.properties().look_set().contains_word_unicode();
        let slower = if looks_at_words { SLOWER } else { 1 };
        Self {
            query,
            ranking: None,
            text,
            stop,
            piece_bytes: GO_STEPS / query.pattern.positions.max(1) / slower,
            steps: Cell::new(GO_STEPS),
            looks: Cell::new(0),
            may_have_looked: Cell::new(0),
            ended: Cell::new(None),
            #[cfg(test)]
            checks: Cell::new(0),
            automata: RefCell::new(None),
            counted: Cell::new(0),
        }
    }

    /// Ends a search that was stopped. It is asked once in so many steps; `bytes` are to be searched next.
    fn check(&self, bytes: usize) -> Result<(), Ended> {
        let steps = self.steps.get() + bytes.min(self.piece_bytes) * self.query.pattern.positions;
        self.steps.set(steps);
        if steps >= GO_STEPS {
            self.steps.set(0);
            #[cfg(test)]
            self.checks.set(self.checks.get() + 1);
            if self.stop.is_cancelled() {
                return Err(self.end(Ended::Stopped));
            }
        }
        Ok(())
    }

    fn end(&self, why: Ended) -> Ended {
        self.ended.set(Some(why));
        why
    }

    /// True if the search took more than the text is worth.
    pub(super) fn was_too_costly(&self) -> bool {
        self.ended.get() == Some(Ended::TooCostly)
    }

    /// Counts bytes that the automata looked at.
    fn looked(&self, bytes: usize) -> Result<(), Ended> {
        self.looks.set(self.looks.get() + bytes);
        // Each byte may have made a state of all positions.
        self.check(bytes * 8)?;
        let most = LOOKS + self.text.len().saturating_mul(LOOKS_PER_BYTE);
        let is_over = self.query.pattern.spans_lines && self.looks.get() > most;
        if is_over { Err(self.end(Ended::TooCostly)) } else { Ok(()) }
    }

    /// The first match from `at` on, whatever the length of the text.
    fn find(&self, text: &[u8], at: usize) -> Result<Option<Match>, Ended> {
        let left = text.len() - at;
        self.check(left)?;
        if self.query.pattern.spans_lines {
            self.may_have_looked.set(self.may_have_looked.get().saturating_add(left));
        }
        if left > self.piece_bytes || self.may_have_looked.get() > LOOKS {
            let mut automata = self.automata.borrow_mut();
            if automata.is_none() {
                *automata = self.query.pattern.automata().map(|automata| (automata, automata.caches()));
            }
            if let Some((automata, caches)) = automata.as_mut() {
                let found = automata.find(caches, text, at, |bytes| self.looked(bytes))?;
                return Ok(found.map(|found| Match::new(found.start, found.end)));
            }
        }
        self.query.pattern.regex.find_at(text, at).map_err(|_never| Ended::Stopped)
    }

    /// The next match in all of the text, of which the searcher gave what is left, from its byte `at` on.
    fn find_across(&self, left: &[u8], at: usize) -> Result<Option<Match>, Ended> {
        let before = self.text.len() - left.len();
        let found = self.find(self.text, before + at)?;
        // What is after the last newline is no line.
        let is_in_line = |found: &Match| found.start() < self.text.len() || !self.text.ends_with(b"\n");
        Ok(found.filter(is_in_line).map(|found| Match::new(found.start() - before, found.end() - before)))
    }

    /// The end of the lines from `from` on that are searched in one go: as many as there is room for, or one.
    fn piece_end(&self, text: &[u8], from: usize) -> usize {
        let most = from + self.piece_bytes;
        if most >= text.len() {
            return text.len();
        }
        let last = memchr::memrchr(b'\n', &text[from..most]).map(|at| from + at + 1);
        last.unwrap_or_else(|| memchr::memchr(b'\n', &text[most..]).map_or(text.len(), |at| most + at + 1))
    }
}

/// The part of a match that is in `line`, which may be without what ends it.
pub(super) fn within(line: &[u8], found: Match) -> Range<usize> {
    found.start().min(line.len())..found.end().min(line.len())
}

impl Matcher for GuardedMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Ended;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Ended> {
        if self.query.pattern.spans_lines { self.find_across(text, at) } else { self.find(text, at) }
    }

    fn shortest_match_at(&self, text: &[u8], at: usize) -> Result<Option<usize>, Ended> {
        if text.len() - at > self.piece_bytes {
            return Ok(self.find(text, at)?.map(|found| found.end()));
        }
        self.check(text.len() - at)?;
        self.query.pattern.regex.shortest_match_at(text, at).map_err(|_never| Ended::Stopped)
    }

    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, Ended> {
        let mut from = 0;
        while from < text.len() {
            let end = self.piece_end(text, from);
            self.check(end - from)?;
            while from < end {
                let piece = &text[from..end];
                let found = if piece.len() <= self.piece_bytes {
                    self.query.pattern.regex.find_candidate_line(piece).map_err(|_never| Ended::Stopped)?
                } else {
                    Some(LineMatchKind::Candidate(0))
                };
                let Some(found) = found else { break };
                if self.ranking.is_none() && self.query.mode != OutputMode::Count {
                    return Ok(Some(match found {
                        LineMatchKind::Candidate(at) => LineMatchKind::Candidate(from + at),
                        LineMatchKind::Confirmed(at) => LineMatchKind::Confirmed(from + at),
                    }));
                }
                match self.take_line(piece, found)? {
                    ControlFlow::Break(at) => return Ok(Some(LineMatchKind::Confirmed(from + at))),
                    ControlFlow::Continue(next) => from += next,
                }
            }
            from = end;
        }
        Ok(None)
    }

    fn new_captures(&self) -> Result<NoCaptures, Ended> {
        Ok(NoCaptures::new())
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.query.pattern.regex.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.query.pattern.regex.line_terminator()
    }
}
