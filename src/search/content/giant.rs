//! A line that no block can hold, searched in windows that overlap.
//!
//! A match that is not longer than the overlap is seen whole in one window or in the next. What a
//! pattern looks at beside a match (`^`, `\b`) is not what it seems at the edges that a window has and
//! the line has not: there a match does not count. Where a longer match is possible and none was
//! found, the line was not searched.

use std::io::{self, Read};
use std::ops::Range;

use grep_matcher::Matcher as _;

use super::rows::shown;
use super::scan::LongLine;
use super::{Pattern, Query, Stop};
use cutline_core::truncate::line::Missing;

/// Bytes that are read at once.
const READ_BYTES: usize = 256 * 1024;
/// Bytes before a window's end where a match is left to the next window, which sees more after it.
const MARGIN: usize = 16 * 1024;
/// Bytes that two windows share.
const OVERLAP: usize = 2 * MARGIN;
/// Bytes beside a match that a pattern may look at: a character.
const LOOK: usize = 4;
/// How often a window is searched on after a match that does not count.
const TRIES: usize = 16;
/// Bytes of the line's start that are kept to be shown.
const HEAD_CHARS: usize = 8;

/// What became of a line.
pub(super) struct Done {
    pub(super) head: Vec<u8>,
    pub(super) matched: Option<(String, bool)>,
    /// Whether it was searched; a match found is an answer too.
    pub(super) searched: bool,
    /// How many bytes of the buffer are what comes after the line.
    pub(super) rest: usize,
}

impl Done {
    pub(super) fn line(&mut self) -> LongLine<'_> {
        LongLine { head: &self.head, matched: self.matched.take() }
    }
}

/// Searches the line that begins in `buffer[..len]`, and has no end there. What comes after it is
/// moved to the start of the buffer.
pub(super) fn search(
    query: &Query,
    buffer: &mut Vec<u8>,
    len: usize,
    file: &mut impl Read,
    stop: &Stop,
) -> io::Result<Done> {
    let head_bytes = query.max_line_chars.saturating_mul(HEAD_CHARS).min(len);
    let head = buffer.get(..head_bytes).unwrap_or_default().to_vec();
    let mut done = Done { head, matched: None, searched: true, rest: 0 };
    let (mut len, mut first) = (len, true);
    loop {
        // What was read before has no newline.
        let kept = len;
        if buffer.len() < len + READ_BYTES {
            buffer.resize(len + READ_BYTES, 0);
        }
        let read = match buffer.get_mut(len..len + READ_BYTES) {
            Some(room) => super::file::read(file, room)?,
            None => 0,
        };
        len += read;
        let new = buffer.get(kept..len).unwrap_or_default();
        let newline = memchr::memchr(b'\n', new).map(|at| kept + at);
        let last = newline.is_some() || read == 0;
        let end = newline.unwrap_or(len);
        if done.matched.is_none() && !stop.is_stopped() {
            let window = buffer.get(..end).unwrap_or_default();
            // A `\r` before the newline is no part of the line, but for a pattern that names it.
            let ended = newline.is_some() && query.pattern.crlf.is_some();
            let window = if ended { window.strip_suffix(b"\r").unwrap_or(window) } else { window };
            match find(&query.pattern, window, Edges { first, last }) {
                WindowResult::Found(at) => {
                    let missing = Missing { before: !first, after: !last };
                    let (text, cut) = shown(window, at, query.max_line_chars, missing);
                    done.matched = Some((text.into_owned(), cut));
                }
                WindowResult::Nothing => {}
                WindowResult::Unsure => done.searched = false,
            }
        }
        if last || stop.is_stopped() {
            let after = newline.map_or(len, |at| at + 1);
            buffer.copy_within(after..len, 0);
            done.rest = len - after;
            done.searched |= done.matched.is_some();
            return Ok(done);
        }
        let keep = if done.matched.is_some() { 0 } else { OVERLAP.min(len) };
        buffer.copy_within(len - keep..len, 0);
        len = keep;
        first = false;
    }
}

/// Which ends of a window are the line's own.
#[derive(Clone, Copy)]
struct Edges {
    first: bool,
    last: bool,
}

enum WindowResult {
    Found(Range<usize>),
    Nothing,
    /// There may be a match that this window does not show.
    Unsure,
}

fn find(pattern: &Pattern, window: &[u8], edges: Edges) -> WindowResult {
    let bounded = pattern.max_len.is_some_and(|len| len + 2 * LOOK < MARGIN);
    let none =
        if bounded || !pattern.may_begin_in(window) { WindowResult::Nothing } else { WindowResult::Unsure };
    let mut from = 0;
    for _ in 0..TRIES {
        let Ok(Some(found)) = pattern.plain.find_at(window, from) else { return none };
        let left_to_next = !edges.last && found.start() + MARGIN > window.len();
        if left_to_next {
            return none;
        }
        let at_start = !edges.first && pattern.looks && found.start() < LOOK;
        let at_end = !edges.last && pattern.looks && found.end() + LOOK > window.len();
        if !(at_start || at_end) {
            return WindowResult::Found(found.start()..found.end());
        }
        from = found.start() + 1;
        if from > window.len() {
            return none;
        }
    }
    WindowResult::Unsure
}
