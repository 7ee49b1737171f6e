//! Decides which match lines are passed to the searcher.
//!
//! For the searcher, handling a match line takes longer than finding it. Lines that are only counted are therefore
//! counted here, and the searcher gets only the others.

#![expect(clippy::indexing_slicing, reason = "lines are inside their piece")]

use std::ops::ControlFlow;

use grep_matcher::{LineMatchKind, Matcher as _};

use super::{PatternMatcher, Stopped, within};

impl PatternMatcher<'_> {
    /// Processes the line of `piece` that contains `found`. If the line may be among the most relevant ones, breaks
    /// with a position in it, so that the searcher reports it. Otherwise counts the line if it matches, and returns the
    /// start of the next line.
    pub(super) fn report_or_count(
        &self,
        piece: &[u8],
        found: LineMatchKind,
    ) -> Result<ControlFlow<usize, usize>, Stopped> {
        let pattern = &self.query.pattern;
        // `at` is the end of the shortest first match, or of a literal of it. The trait does not promise this, but the
        // regular expression of `grep-regex` returns it.
        let (is_sure, at) = match found {
            LineMatchKind::Confirmed(at) => (true, at),
            LineMatchKind::Candidate(at) => (pattern.is_word_before(piece, at), at),
        };
        let end = memchr::memchr(b'\n', &piece[at..]).map_or(piece.len(), |len| at + len);
        let next = (end + 1).min(piece.len());
        // No line follows the last newline.
        if at == piece.len() && piece.ends_with(b"\n") {
            return Ok(ControlFlow::Continue(next));
        }
        let start = || memchr::memrchr(b'\n', &piece[..at]).map_or(0, |before| before + 1);
        let is_match = if let Some(ranking) = self.ranking {
            let (mut ranking, start) = (ranking.borrow_mut(), start());
            let line = pattern.unended(&piece[start..next]);
            if is_sure && !ranking.may_have_more(line, (at - start).min(line.len())) {
                true
            } else {
                let found = self.first_match(&piece[start..end], 0);
                if found.is_some_and(|found| ranking.line_points(line, &within(line, found)).is_some()) {
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
