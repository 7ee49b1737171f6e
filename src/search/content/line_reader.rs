//! Passes the text of a large file to the searcher in complete lines.
//!
//! An incomplete line is buffered, so that an oversized line can be replaced (`oversized_line`). `\r\n` becomes `\n` if
//! the pattern requires it (`LineEnds`).

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

/// Maximum bytes of a line that is not searched in windows, with its newline. Also the maximum bytes of one read.
pub(super) const MAX_LINE_BYTES: usize = GREP_LINE_BYTES.next_multiple_of(256 * 1024);
/// Minimum free bytes of a buffer for which a system call is worthwhile.
const MIN_READ_BYTES: usize = 16 * 1024;

/// Facts about the lines that the searcher has received, for the sink and for the result of the file.
#[derive(Debug, Default)]
pub(super) struct LineFacts {
    /// Number of newlines that the searcher has received, if the sink numbers the match lines.
    pub(super) newlines: Cell<u64>,
    /// For each line that was searched in windows: its offset in the text for the searcher, and the text to show.
    pub(super) oversized: RefCell<VecDeque<(u64, ShownLine)>>,
    /// True if a line was too long for the pattern.
    pub(super) unsearched: Cell<bool>,
}

impl LineFacts {
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
    facts: &'a LineFacts,
    /// Bytes that the searcher has not received yet. The first `ready` of them are complete lines.
    buffered: Vec<u8>,
    ready: usize,
    /// Number of bytes that the searcher has received.
    passed_bytes: u64,
    ended: bool,
}

impl<'a, R: Read> LineReader<'a, R> {
    pub(super) fn new(source: R, matcher: &'a PatternMatcher<'a>, facts: &'a LineFacts) -> Self {
        Self { source, matcher, facts, buffered: Vec::new(), ready: 0, passed_bytes: 0, ended: false }
    }

    /// Copies complete lines to `out`, as many bytes as fit.
    fn copy_ready(&mut self, out: &mut [u8]) -> usize {
        let len = self.ready.min(out.len());
        out[..len].copy_from_slice(&self.buffered[..len]);
        self.buffered.drain(..len);
        self.ready -= len;
        len
    }

    /// Reads directly into `out`, after the buffered bytes, because a search takes half as long again if each byte is
    /// buffered first. Returns the number of bytes in complete lines.
    fn read_lines(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let buffered = self.buffered.len();
        out[..buffered].copy_from_slice(&self.buffered);
        let read = loop {
            match self.source.read(&mut out[buffered..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done?,
            }
        };
        self.ended = read == 0;
        let len = normalize(&self.matcher.query.pattern, &mut out[..buffered + read], buffered);
        let complete_len = if self.ended { len } else { complete_lines_len(&out[..len], 0).unwrap_or(0) };
        self.buffered.clear();
        self.buffered.extend_from_slice(&out[complete_len..len]);
        Ok(complete_len)
    }

    /// Reads into the buffer, because a line does not fit in the searcher's buffer. Sets `ready`.
    fn read_buffered(&mut self) -> io::Result<()> {
        let buffered = self.buffered.len();
        let more = (MAX_LINE_BYTES - buffered) as u64;
        self.ended = self.source.by_ref().take(more).read_to_end(&mut self.buffered)? == 0;
        let len = normalize(&self.matcher.query.pattern, &mut self.buffered, buffered);
        self.buffered.truncate(len);
        let complete = complete_lines_len(&self.buffered, buffered.saturating_sub(1));
        self.ready = if self.ended { len } else { complete.unwrap_or(0) };
        Ok(())
    }

    /// Replaces an oversized line, whose start is buffered. Sets `ready`.
    fn replace_line(&mut self) -> io::Result<()> {
        let at = (self.facts, self.passed_bytes);
        let mut line = oversized_line::search(self.matcher, at, &mut self.buffered, &mut self.source)?;
        if !line.ends_with(b"\n") {
            self.ended = true;
            self.buffered.clear();
        }
        let len = normalize(&self.matcher.query.pattern, &mut self.buffered, 0);
        self.buffered.truncate(len);
        let line_len = line.len();
        line.append(&mut self.buffered);
        self.buffered = line;
        self.ready = complete_lines_len(&self.buffered, line_len).unwrap_or(line_len);
        Ok(())
    }
}

impl<R: Read> Read for LineReader<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut copied = 0;
        while copied == 0 && !(self.ended && self.ready == 0) {
            self.matcher.check()?;
            if self.ready > 0 {
                copied = self.copy_ready(out);
            } else if self.buffered.len() >= MAX_LINE_BYTES {
                // The buffered bytes have no newline.
                self.replace_line()?;
            } else if self.buffered.len() + MIN_READ_BYTES <= out.len() {
                let most = out.len().min(MAX_LINE_BYTES);
                copied = self.read_lines(&mut out[..most])?;
            } else {
                self.read_buffered()?;
            }
        }
        self.passed_bytes += copied as u64;
        if self.matcher.query.numbers_matches() {
            let newlines = bytecount::count(&out[..copied], b'\n') as u64;
            self.facts.newlines.set(self.facts.newlines.get() + newlines);
        }
        Ok(copied)
    }
}

/// Returns the number of bytes in complete lines at the start of a text, or `None` if no line ends at or after `from`.
fn complete_lines_len(text: &[u8], from: usize) -> Option<usize> {
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
