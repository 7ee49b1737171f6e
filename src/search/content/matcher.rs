//! A pattern as the searcher asks for it: stopped where the search is, and within a bound of what it may take.
//!
//! A search by a regular expression can be neither watched from outside nor stopped. It is given as much text
//! at once as it is sure to be done with soon, whatever the text; lines are kept whole. A longer line, and a text
//! in which matches may span lines, are searched by automata that can be stopped anywhere.
//!
//! The searcher takes longer over a match line than finding it does. So those that are only counted are counted
//! here, and it is told of the others.

#![expect(clippy::indexing_slicing, reason = "a search begins within its text, and pieces are within it")]

use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};

use super::automata::{Automata, Caches};
use super::{Pattern, Stop};

/// Bytes, times the pattern's positions, that are searched in one go: a twentieth of a second at worst.
const GO_STEPS: usize = 4_000_000;
/// Times that a byte takes longer where the pattern looks at words: no table answers for those that are not ASCII.
const SLOWER: usize = 4;
/// Bytes that may be looked at for each byte of a text in which matches may span lines: where each match
/// depends on all that comes after it, it would be the square of the text.
const LOOKS_PER_BYTE: usize = 100;
/// Bytes of a text that may be looked at in any case, and that the regular expression may look at in all.
const LOOKS: usize = 1_000_000;

/// Match lines after which it is asked whether any more may be wanted.
const LINES_BETWEEN: u64 = 32;

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

/// The match lines that the searcher is told of, where a match is within a line.
#[derive(Clone, Copy)]
pub(super) enum ToldLines<'a> {
    /// All of them.
    All,
    /// None: they are only counted.
    None,
    /// Those that are wanted; the others are only counted.
    Wanted(&'a dyn LineFilter),
}

/// Tells which match lines are wanted.
pub(super) trait LineFilter {
    /// True if any more lines may be wanted.
    fn may_want_any(&self) -> bool;

    /// True if a line may be wanted of which a match ends at `end`.
    fn may_want(&self, line: &[u8], end: usize) -> bool;

    /// True if a line with a match at `found` is wanted.
    fn wants(&self, line: &[u8], found: &Range<usize>) -> bool;
}

/// Finds a pattern in one text.
pub(super) struct GuardedMatcher<'a> {
    pattern: &'a Pattern,
    /// All of the text, where matches may span lines; the searcher gives what is left of it.
    text: &'a [u8],
    stop: &'a Stop,
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
    /// Calls of `Stop`, for tests.
    #[cfg(test)]
    pub(super) checks: Cell<usize>,
    automata: RefCell<Option<(&'a Automata, Caches)>>,
    told: Cell<ToldLines<'a>>,
    /// Match lines that the searcher is not told of.
    counted: Cell<u64>,
}

impl<'a> GuardedMatcher<'a> {
    pub(super) fn new(pattern: &'a Pattern, text: &'a [u8], stop: &'a Stop) -> Self {
        Self {
            pattern,
            text,
            stop,
            piece_bytes: GO_STEPS
                / pattern.positions.max(1)
                / if pattern.looks_at_words { SLOWER } else { 1 },
            steps: Cell::new(GO_STEPS),
            looks: Cell::new(0),
            may_have_looked: Cell::new(0),
            ended: Cell::new(None),
            #[cfg(test)]
            checks: Cell::new(0),
            automata: RefCell::new(None),
            told: Cell::new(ToldLines::All),
            counted: Cell::new(0),
        }
    }

    /// The same, of whose match lines the searcher is told only `told`.
    pub(super) fn telling(self, told: ToldLines<'a>) -> Self {
        Self { told: Cell::new(told), ..self }
    }

    /// Number of the match lines that the searcher was not told of.
    pub(super) fn counted(&self) -> u64 {
        self.counted.get()
    }

    pub(super) fn pattern(&self) -> &'a Pattern {
        self.pattern
    }

    /// Ends a search that was stopped. It is asked once in so many steps; `bytes` are to be searched next.
    fn check(&self, bytes: usize) -> Result<(), Ended> {
        let steps = self.steps.get() + bytes.min(self.piece_bytes) * self.pattern.positions;
        self.steps.set(steps);
        if steps >= GO_STEPS {
            self.steps.set(0);
            #[cfg(test)]
            self.checks.set(self.checks.get() + 1);
            if self.stop.is_stopped() {
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
        let is_over = self.pattern.spans_lines && self.looks.get() > most;
        if is_over { Err(self.end(Ended::TooCostly)) } else { Ok(()) }
    }

    /// The first match from `at` on, whatever the length of the text.
    fn find(&self, text: &[u8], at: usize) -> Result<Option<Match>, Ended> {
        let left = text.len() - at;
        self.check(left)?;
        if self.pattern.spans_lines {
            self.may_have_looked.set(self.may_have_looked.get().saturating_add(left));
        }
        if left > self.piece_bytes || self.may_have_looked.get() > LOOKS {
            let mut automata = self.automata.borrow_mut();
            if automata.is_none() {
                *automata = self.pattern.automata().map(|automata| (automata, automata.caches()));
            }
            if let Some((automata, caches)) = automata.as_mut() {
                let found = automata.find(caches, text, at, |bytes| self.looked(bytes))?;
                return Ok(found.map(|found| Match::new(found.start, found.end)));
            }
        }
        self.pattern.regex.find_at(text, at).map_err(|_never| Ended::Stopped)
    }

    /// The next match in all of the text, of which the searcher gave what is left, from its byte `at` on.
    fn find_across(&self, left: &[u8], at: usize) -> Result<Option<Match>, Ended> {
        let before = self.text.len() - left.len();
        let found = self.find(self.text, before + at)?;
        // What is after the last newline is no line.
        let is_in_line = |found: &Match| found.start() < self.text.len() || !self.text.ends_with(b"\n");
        Ok(found.filter(is_in_line).map(|found| Match::new(found.start() - before, found.end() - before)))
    }

    /// Takes the line of `piece` that `found` is in. Breaks with a place in it if the searcher is to be told of it;
    /// else it was counted where it matches, and the place is where the next line begins.
    fn take_line(&self, piece: &[u8], found: LineMatchKind) -> Result<ControlFlow<usize, usize>, Ended> {
        let (is_sure, at) = match found {
            LineMatchKind::Confirmed(at) => (true, at),
            LineMatchKind::Candidate(at) => (self.pattern.is_word_before(piece, at), at),
        };
        let end = memchr::memchr(b'\n', &piece[at..]).map_or(piece.len(), |len| at + len);
        let next = (end + 1).min(piece.len());
        // What is after the last newline is no line.
        if at == piece.len() && piece.ends_with(b"\n") {
            return Ok(ControlFlow::Continue(next));
        }
        let start = || memchr::memrchr(b'\n', &piece[..at]).map_or(0, |before| before + 1);
        if let ToldLines::Wanted(lines) = self.told.get()
            && self.counted.get().is_multiple_of(LINES_BETWEEN)
            && !lines.may_want_any()
        {
            self.told.set(ToldLines::None);
        }
        let mut is_match = is_sure;
        if let ToldLines::Wanted(lines) = self.told.get() {
            let start = start();
            let line = self.pattern.unended(&piece[start..next]);
            let ends = (at - start).min(line.len());
            let found = match self.pattern.fixed_len {
                Some(len) if is_sure => Some(ends.saturating_sub(len)..ends),
                _ if is_sure && !lines.may_want(line, ends) => None,
                _ => {
                    let found = self.find(&piece[start..end], 0)?;
                    is_match = found.is_some();
                    found.map(|found| found.start().min(line.len())..found.end().min(line.len()))
                }
            };
            if found.is_some_and(|found| lines.wants(line, &found)) {
                return Ok(ControlFlow::Break(at));
            }
        } else if !is_sure {
            is_match = self.is_match(&piece[start()..end])?;
        }
        self.counted.set(self.counted.get() + u64::from(is_match));
        Ok(ControlFlow::Continue(next))
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

impl Matcher for GuardedMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Ended;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Ended> {
        if self.pattern.spans_lines { self.find_across(text, at) } else { self.find(text, at) }
    }

    fn shortest_match_at(&self, text: &[u8], at: usize) -> Result<Option<usize>, Ended> {
        if text.len() - at > self.piece_bytes {
            return Ok(self.find(text, at)?.map(|found| found.end()));
        }
        self.check(text.len() - at)?;
        self.pattern.regex.shortest_match_at(text, at).map_err(|_never| Ended::Stopped)
    }

    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, Ended> {
        let mut from = 0;
        while from < text.len() {
            let end = self.piece_end(text, from);
            self.check(end - from)?;
            while from < end {
                let piece = &text[from..end];
                let found = if piece.len() <= self.piece_bytes {
                    self.pattern.regex.find_candidate_line(piece).map_err(|_never| Ended::Stopped)?
                } else {
                    Some(LineMatchKind::Candidate(0))
                };
                let Some(found) = found else { break };
                if matches!(self.told.get(), ToldLines::All) {
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
        self.pattern.regex.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.pattern.regex.line_terminator()
    }
}
