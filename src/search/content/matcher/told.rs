//! The match lines that the searcher is told of.
//!
//! It takes longer over a match line than finding it does. So those that are only counted are counted here, and it is
//! told of the others.

#![expect(clippy::indexing_slicing, reason = "lines are within the piece that they were found in")]

use std::cell::RefCell;
use std::ops::ControlFlow;

use grep_matcher::{LineMatchKind, Matcher as _};

use super::super::ranked::FileRanking;
use super::{Ended, GuardedMatcher};

/// The match lines that the searcher is told of, where a match is within a line.
#[derive(Clone, Copy)]
pub(in super::super) enum ToldLines<'a> {
    /// All of them.
    All,
    /// None: they are only counted.
    None,
    /// Those that may be among the most relevant; the others are only counted.
    Ranked(&'a RefCell<FileRanking<'a>>),
}

impl<'a> GuardedMatcher<'a> {
    /// The same, of whose match lines the searcher is told only `told`.
    pub(in super::super) fn telling(self, told: ToldLines<'a>) -> Self {
        Self { told, ..self }
    }

    /// Number of the match lines that the searcher was not told of.
    pub(in super::super) fn counted(&self) -> u64 {
        self.counted.get()
    }

    /// Takes the line of `piece` that `found` is in. Breaks with a place in it if the searcher is to be told of it;
    /// else it was counted where it matches, and the place is where the next line begins.
    pub(super) fn take_line(
        &self,
        piece: &[u8],
        found: LineMatchKind,
    ) -> Result<ControlFlow<usize, usize>, Ended> {
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
        let mut is_match = is_sure;
        if let ToldLines::Ranked(ranking) = self.told {
            let mut ranking = ranking.borrow_mut();
            let start = start();
            let line = self.pattern.unended(&piece[start..next]);
            let ends = (at - start).min(line.len());
            let mut found = None;
            if !is_sure || ranking.may_want(line, ends) {
                found = self.find(&piece[start..end], 0)?;
                is_match = found.is_some();
            }
            let found = found.map(|found| found.start().min(line.len())..found.end().min(line.len()));
            if found.is_some_and(|found| ranking.score(line, &found).is_some()) {
                return Ok(ControlFlow::Break(at));
            }
        } else if !is_sure {
            is_match = self.is_match(&piece[start()..end])?;
        }
        self.counted.set(self.counted.get() + u64::from(is_match));
        Ok(ControlFlow::Continue(next))
    }
}
