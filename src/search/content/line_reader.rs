//! Passes the text of a large file to the searcher in complete lines.
//!
//! An incomplete line is buffered, so that an oversized line can be replaced (`oversized_line`). `\r\n` becomes `\n` unless the
//! pattern contains `\r`.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the bytes in the buffers")]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, Read};

use super::Pattern;
use super::matcher::PatternMatcher;
use super::oversized_line;
use super::pattern::LineEnds;
use super::rows::ShownLine;
use crate::limits::GREP_LINE_BYTES;

/// Maximum bytes of one read of a line that does not fit in the searcher's buffer.
pub(super) const READ_BYTES: usize = 256 * 1024;
/// Maximum number of buffered bytes of a line, a multiple of the size of a read.
const HELD_BYTES: usize = GREP_LINE_BYTES.next_multiple_of(READ_BYTES);
/// Minimum free bytes of a buffer for which a system call is worthwhile.
const ROOM_BYTES: usize = 16 * 1024;

/// Information about the lines, for the sink that gets them from the searcher.
#[derive(Debug, Default)]
pub(super) struct ReadLines {
    /// Number of newlines that the searcher has received, if the sink numbers the match lines.
    pub(super) newlines: Cell<u64>,
    /// For each line that was searched in windows: its offset in the text for the searcher, the text to show, and the
    /// original length in bytes if the text is truncated.
    pub(super) oversized: RefCell<VecDeque<(u64, ShownLine)>>,
    /// True if a line was too long for the pattern.
    pub(super) unsearched: Cell<bool>,
}

impl ReadLines {
    /// Removes and returns the text of the line at `offset`, if it was searched in windows. Call it with increasing
    /// offsets.
    pub(super) fn take_oversized(&self, offset: u64) -> Option<ShownLine> {
        let mut oversized = self.oversized.borrow_mut();
        while oversized.front().is_some_and(|oversized_line| oversized_line.0 < offset) {
            oversized.pop_front();
        }
        let is_here = oversized.front().is_some_and(|oversized_line| oversized_line.0 == offset);
        if is_here { oversized.pop_front().map(|(_, row)| row) } else { None }
    }
}

/// Reads complete lines from `source`.
pub(super) struct LineReader<'a, R> {
    source: R,
    matcher: &'a PatternMatcher<'a>,
    lines: &'a ReadLines,
    /// Buffered bytes. The first `ready` of them are complete lines.
    held: Vec<u8>,
    ready: usize,
    /// Number of bytes that the searcher has received.
    given: u64,
    ended: bool,
}

impl<'a, R: Read> LineReader<'a, R> {
    pub(super) fn new(source: R, matcher: &'a PatternMatcher<'a>, lines: &'a ReadLines) -> Self {
        Self { source, matcher, lines, held: Vec::new(), ready: 0, given: 0, ended: false }
    }

    /// Copies complete lines to `room`, as many bytes as fit.
    fn give(&mut self, room: &mut [u8]) -> usize {
        let len = self.ready.min(room.len());
        room[..len].copy_from_slice(&self.held[..len]);
        self.held.drain(..len);
        self.ready -= len;
        len
    }

    /// Reads directly into `room`, after the buffered line. Returns the number of bytes in complete lines.
    fn read_lines(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let held = self.held.len();
        room[..held].copy_from_slice(&self.held);
        let read = loop {
            match self.source.read(&mut room[held..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done?,
            }
        };
        self.ended = read == 0;
        let len = normalize(&self.matcher.query.pattern, &mut room[..held + read], held);
        let whole = if self.ended { len } else { whole_lines(&room[..len], 0).unwrap_or(0) };
        self.held.clear();
        self.held.extend_from_slice(&room[whole..len]);
        Ok(whole)
    }

    /// Reads the rest of a line that does not fit in the searcher's buffer.
    fn read_long_line(&mut self) -> io::Result<()> {
        let held = self.held.len();
        let more = READ_BYTES.min(HELD_BYTES - held) as u64;
        self.ended = self.source.by_ref().take(more).read_to_end(&mut self.held)? == 0;
        let len = normalize(&self.matcher.query.pattern, &mut self.held, held);
        self.held.truncate(len);
        self.ready = if self.ended {
            len
        } else if let Some(ready) = whole_lines(&self.held, held.saturating_sub(1)) {
            ready
        } else if len >= HELD_BYTES {
            self.replace_line()?
        } else {
            0
        };
        Ok(())
    }

    /// Replaces an oversized line. Returns the number of buffered bytes in complete lines.
    fn replace_line(&mut self) -> io::Result<usize> {
        let at = (self.lines, self.given);
        let mut line = oversized_line::search(self.matcher, at, &mut self.held, &mut self.source)?;
        if !line.ends_with(b"\n") {
            self.ended = true;
            self.held.clear();
        }
        let len = normalize(&self.matcher.query.pattern, &mut self.held, 0);
        self.held.truncate(len);
        let given = line.len();
        line.append(&mut self.held);
        self.held = line;
        Ok(whole_lines(&self.held, given).unwrap_or(given))
    }
}

impl<R: Read> Read for LineReader<'_, R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut given = 0;
        while given == 0 && !(self.ended && self.ready == 0) {
            self.matcher.check()?;
            if self.ready > 0 {
                given = self.give(room);
            } else if self.held.len() < READ_BYTES && self.held.len() + ROOM_BYTES <= room.len() {
                let most = room.len().min(self.held.len() + READ_BYTES);
                given = self.read_lines(&mut room[..most])?;
            } else {
                self.read_long_line()?;
            }
        }
        self.given += given as u64;
        if self.matcher.query.numbers_matches() {
            let newlines = bytecount::count(&room[..given], b'\n') as u64;
            self.lines.newlines.set(self.lines.newlines.get() + newlines);
        }
        Ok(given)
    }
}

/// Returns the number of bytes in complete lines at the start of a text, or `None` if no line ends at or after `from`.
fn whole_lines(text: &[u8], from: usize) -> Option<usize> {
    memchr::memrchr(b'\n', &text[from..]).map(|at| from + at + 1)
}

/// Replaces each `\r\n` with `\n` if `pattern` requires it. Returns the new length. The first `seen` bytes were
/// processed before, except a `\r` at their end.
pub(super) fn normalize(pattern: &Pattern, text: &mut [u8], seen: usize) -> usize {
    match pattern.line_ends {
        LineEnds::Normalized => without_returns(text, seen.saturating_sub(1)),
        LineEnds::Irrelevant | LineEnds::Searched => text.len(),
    }
}

/// Replaces each `\r\n` at or after `from` with `\n`. Returns the new length.
fn without_returns(text: &mut [u8], from: usize) -> usize {
    let Some(first) = memchr::memchr(b'\r', &text[from..]) else { return text.len() };
    let (mut read, mut written) = (from + first, from + first);
    loop {
        // `read` is at a `\r`.
        let kept = usize::from(text.get(read + 1) != Some(&b'\n'));
        let next = memchr::memchr(b'\r', &text[read + 1..]).map_or(text.len(), |at| read + 1 + at);
        text.copy_within(read + 1 - kept..next, written);
        written += next - (read + 1 - kept);
        if next == text.len() {
            return written;
        }
        read = next;
    }
}
