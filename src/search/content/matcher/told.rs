//! The match lines that the searcher is told of.
//!
//! It takes longer over a match line than finding it does. So those that are only counted are counted here, and it is
//! told of the others.

#![expect(clippy::indexing_slicing, reason = "lines are within the piece that they were found in")]

use std::ops::ControlFlow;

use grep_matcher::{LineMatchKind, Matcher as _};

use super::{Ended, GuardedMatcher, within};

impl GuardedMatcher<'_> {
    /// Takes the line of `piece` that `found` is in. Breaks with a place in it if it may be among the most relevant, which
    /// the searcher is told of; else it was counted where it matches, and the place is where the next line begins.
    pub(super) fn take_line(
        &self,
        piece: &[u8],
        found: LineMatchKind,
    ) -> Result<ControlFlow<usize, usize>, Ended> {
        let pattern = &self.query.pattern;
        let (is_sure, at) = match found {
            LineMatchKind::Confirmed(at) => (true, at),
            LineMatchKind::Candidate(at) => (pattern.is_word_before(piece, at), at),
        };
        let end = memchr::memchr(b'\n', &piece[at..]).map_or(piece.len(), |len| at + len);
        let next = (end + 1).min(piece.len());
        // What is after the last newline is no line.
        if at == piece.len() && piece.ends_with(b"\n") {
            return Ok(ControlFlow::Continue(next));
        }
        let start = || memchr::memrchr(b'\n', &piece[..at]).map_or(0, |before| before + 1);
        let is_match = if let Some(ranking) = self.ranking {
            let (mut ranking, start) = (ranking.borrow_mut(), start());
            let line = pattern.unended(&piece[start..next]);
            if is_sure && !ranking.may_want(line, (at - start).min(line.len())) {
                true
            } else {
                let found = self.find(&piece[start..end], 0)?;
                if found.is_some_and(|found| ranking.score(line, &within(line, found)).is_some()) {
                    return Ok(ControlFlow::Break(at));
                }
                found.is_some()
            }
        } else {
            is_sure || self.is_match(&piece[start()..end])?
        };
        self.counted.set(self.counted.get() + u64::from(is_match));
        Ok(ControlFlow::Continue(next))
    }
}
