//! The text of a large file in whole lines, as the searcher takes it.
//!
//! A line of which the end is not read yet is held back, so that one too long to be held can be replaced
//! (`giant`). Where the pattern wants it so, `\r\n` is read as `\n`.

#![expect(clippy::indexing_slicing, reason = "all ranges are within what was read into the buffers")]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, Read};
use tokio_util::sync::CancellationToken;

use super::giant;
use super::pattern::LineEnds;
use super::rows::ShownLine;
use super::{Pattern, Query};
use crate::limits::GREP_LINE_BYTES;

/// Bytes that are read at once.
pub(super) const READ_BYTES: usize = 256 * 1024;
/// Bytes of a line that are held at most: whole reads.
const HELD_BYTES: usize = GREP_LINE_BYTES.next_multiple_of(READ_BYTES);

/// Facts of the lines that were read, for the sink that takes them from the searcher.
#[derive(Debug, Default)]
pub(super) struct ReadLines {
    /// Newlines in all of the text that was given to the searcher so far, where match lines are numbered by them.
    pub(super) newlines: Cell<u64>,
    /// For each line that was searched in windows, the offset at which it begins in the text that the searcher is given,
    /// and its text as it is shown, with the bytes that it was cut from.
    pub(super) giants: RefCell<VecDeque<(u64, ShownLine)>>,
    /// True if a line was too long for its pattern.
    pub(super) unsearched: Cell<bool>,
}

impl ReadLines {
    /// The row of the line that begins at `offset`, if it was searched in windows. Offsets are asked for in order.
    pub(super) fn take_giant(&self, offset: u64) -> Option<ShownLine> {
        let mut giants = self.giants.borrow_mut();
        while giants.front().is_some_and(|giant| giant.0 < offset) {
            giants.pop_front();
        }
        let is_here = giants.front().is_some_and(|giant| giant.0 == offset);
        if is_here { giants.pop_front().map(|(_, row)| row) } else { None }
    }
}

/// Reads whole lines from `source`.
pub(super) struct LineReader<'a, R> {
    source: R,
    query: &'a Query,
    lines: &'a ReadLines,
    stop: &'a CancellationToken,
    /// Bytes that were read, from the byte `offset` of the text on: of them the first `given` were handed on, the first
    /// `ready` are whole lines.
    held: Vec<u8>,
    given: usize,
    ready: usize,
    offset: u64,
    ended: bool,
}

impl<'a, R: Read> LineReader<'a, R> {
    pub(super) fn new(
        source: R,
        query: &'a Query,
        lines: &'a ReadLines,
        stop: &'a CancellationToken,
    ) -> Self {
        Self { source, query, lines, stop, held: Vec::new(), given: 0, ready: 0, offset: 0, ended: false }
    }

    /// Reads on, after all that was ready is given, until whole lines are there or the text ends.
    fn fill(&mut self) -> io::Result<()> {
        self.held.drain(..self.ready);
        self.offset += self.ready as u64;
        (self.given, self.ready) = (0, 0);
        while self.ready == 0 && !self.ended && !self.stop.is_cancelled() {
            let seen = self.held.len();
            if seen >= HELD_BYTES {
                self.replace_line()?;
                continue;
            }
            let more = READ_BYTES.min(HELD_BYTES - seen) as u64;
            self.ended = self.source.by_ref().take(more).read_to_end(&mut self.held)? == 0;
            let len = normalize(&self.query.pattern, &mut self.held, seen);
            self.held.truncate(len);
            let whole = whole_lines(&self.held, seen.saturating_sub(1));
            self.ready = if self.ended { len } else { whole.unwrap_or(0) };
        }
        Ok(())
    }

    /// Puts another in the place of a line of which too much is held.
    fn replace_line(&mut self) -> io::Result<()> {
        let at = (self.lines, self.offset);
        let mut line = giant::search(self.query, at, &mut self.held, &mut self.source, self.stop)?;
        if !line.ends_with(b"\n") {
            self.ended = true;
            self.held.clear();
        }
        let seen = line.len();
        line.append(&mut self.held);
        self.held = line;
        let len = normalize(&self.query.pattern, &mut self.held, seen);
        self.held.truncate(len);
        self.ready = whole_lines(&self.held, seen).unwrap_or(seen);
        Ok(())
    }
}

impl<R: Read> Read for LineReader<'_, R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready {
            self.fill()?;
        }
        let lines = &self.held[self.given..self.ready];
        let len = lines.len().min(room.len());
        room[..len].copy_from_slice(&lines[..len]);
        self.given += len;
        if self.query.numbers_matches() {
            let newlines = bytecount::count(&room[..len], b'\n') as u64;
            self.lines.newlines.set(self.lines.newlines.get() + newlines);
        }
        Ok(len)
    }
}

/// Returns the bytes of the whole lines at the start of a text; `None` if no line ends at `from` or after it.
fn whole_lines(text: &[u8], from: usize) -> Option<usize> {
    memchr::memrchr(b'\n', &text[from..]).map(|at| from + at + 1)
}

/// Makes each `\r\n` a `\n`, where `pattern` wants that, in a text whose first `seen` bytes were looked at
/// before, but for a last `\r`. Gives how long the text is then.
pub(super) fn normalize(pattern: &Pattern, text: &mut [u8], seen: usize) -> usize {
    match pattern.line_ends {
        LineEnds::Normalized => without_returns(text, seen.saturating_sub(1)),
        LineEnds::Irrelevant | LineEnds::Searched => text.len(),
    }
}

/// Makes each `\r\n` from `from` on a `\n`, and gives how long the text is then.
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
