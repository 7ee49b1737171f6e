//! Searches an oversized line in overlapping windows.
//!
//! A match that is not longer than the overlap is complete in one of two windows. Assertions such as `^` and `\b` can
//! be wrong at the edge of a window that is not the edge of the line, so matches there are ignored. If the pattern can
//! match longer text and no match was found, the line counts as not searched.
//!
//! The searcher gets a replacement line that matches if and only if a match was found: the window with the match, or a
//! line without a match. The text to show is stored separately.

#![expect(clippy::indexing_slicing, reason = "all ranges come from the same window")]

use std::io::{self, Read};
use std::ops::Range;

use grep_matcher::{Match, Matcher as _};

use super::line_reader::{LineFacts, MAX_LINE_BYTES};
use super::matcher::PatternMatcher;
use super::pattern::LineEnds;
use super::rows::{BYTES_PER_CHAR, shown};
use cutline_core::truncate::line::Missing;

/// Number of bytes at the end of a window. A match there belongs to the next window, which has more text after it.
const MARGIN_BYTES: usize = 16 * 1024;
/// Number of bytes that two windows share.
const OVERLAP_BYTES: usize = 2 * MARGIN_BYTES;
/// Number of bytes next to a match that an assertion can examine: one character.
const LOOK_BYTES: usize = 4;
/// Maximum number of searches in one window, if earlier matches are ignored.
const TRIES: usize = 16;

/// Searches the line that starts with `buffered` at the byte `offset` of the text. The rest of the line was not read
/// yet. Leaves the bytes after the line in `buffered`. Returns a replacement line. If that has no newline, it is the
/// last line to search.
pub(super) fn search(
    matcher: &PatternMatcher<'_>,
    (facts, offset): (&LineFacts, u64),
    buffered: &mut Vec<u8>,
    mut source: impl Read,
) -> io::Result<Vec<u8>> {
    let query = matcher.query;
    let start = buffered[..query.max_line_chars.saturating_mul(BYTES_PER_CHAR).min(buffered.len())].to_vec();
    let mut found = None;
    let mut is_sure = true;
    let mut missing = Missing { before: false, after: true };
    let newline = loop {
        matcher.check()?;
        // The buffered bytes have no newline.
        let kept = buffered.len();
        let read = source.by_ref().take(MAX_LINE_BYTES as u64).read_to_end(buffered)?;
        let newline = memchr::memchr(b'\n', &buffered[kept..]).map(|at| kept + at);
        missing.after = newline.is_none() && read > 0;
        if found.is_none() {
            let window = &buffered[..newline.unwrap_or(buffered.len())];
            // A `\r` before the newline belongs to the line only if the pattern contains `\r`.
            let ends = newline.is_some() && query.pattern.line_ends != LineEnds::Searched;
            let window = if ends { window.strip_suffix(b"\r").unwrap_or(window) } else { window };
            if let Some(at) = find(matcher, window, missing, &mut is_sure)? {
                found = Some((window.to_vec(), shown(window, at, query.max_line_chars, missing)));
            }
        }
        if !missing.after {
            break newline;
        }
        buffered.drain(..buffered.len() - if found.is_some() { 0 } else { OVERLAP_BYTES });
        missing.before = true;
    };
    buffered.drain(..newline.map_or(buffered.len(), |at| at + 1));
    let (line, row) = if let Some((window, row)) = found {
        (Some(window), row)
    } else {
        let line = without_match(matcher, &start)?;
        facts.unsearched.set(facts.unsearched.get() || !is_sure || line.is_none());
        (line, shown(&start, 0..0, query.max_line_chars, Missing { before: false, after: true }))
    };
    facts.oversized.borrow_mut().push_back((offset, row));
    let has_more = newline.is_some() && line.is_some();
    let mut line = line.unwrap_or_default();
    line.extend(has_more.then_some(b'\n'));
    Ok(line)
}

/// Returns a replacement line without a match.
fn without_match(matcher: &PatternMatcher<'_>, start: &[u8]) -> io::Result<Option<Vec<u8>>> {
    for line in [start, b"", b"\xFF"] {
        if !matcher.is_match(line)? {
            return Ok(Some(line.to_vec()));
        }
    }
    Ok(None)
}

/// Searches one window of a line. `missing` describes the parts of the line outside the window. Sets `is_sure` to false
/// if a match is possible that no window contains completely.
fn find(
    matcher: &PatternMatcher<'_>,
    window: &[u8],
    missing: Missing,
    is_sure: &mut bool,
) -> io::Result<Option<Range<usize>>> {
    let pattern = &matcher.query.pattern;
    let max_len = pattern.properties().maximum_len();
    let looks = !pattern.properties().look_set().is_empty();
    let is_bounded = max_len.is_some_and(|len| len + 2 * LOOK_BYTES < MARGIN_BYTES);
    let mut from = 0;
    for _ in 0..TRIES {
        let found = matcher.find_at(window, from)?;
        let is_here = |found: &Match| !missing.after || found.start() + MARGIN_BYTES <= window.len();
        let Some(found) = found.filter(is_here) else {
            *is_sure &= is_bounded || !pattern.may_begin_in(window);
            return Ok(None);
        };
        let at_start = missing.before && looks && found.start() < LOOK_BYTES;
        let at_end = missing.after && looks && found.end() + LOOK_BYTES > window.len();
        if !(at_start || at_end) {
            return Ok(Some(found.start()..found.end()));
        }
        from = found.start() + 1;
    }
    *is_sure = false;
    Ok(None)
}
