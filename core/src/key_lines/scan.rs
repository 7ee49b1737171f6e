//! Finds the lines of a text that can be key lines, piece by piece.

#![expect(clippy::indexing_slicing, reason = "the bounds are positions of newlines in the same text")]

use super::grade::Table;
use super::literals::NextLiterals;
use super::location;
use crate::text::NEWLINE;

/// Bytes of the longest possible key line. A longer line would displace many others.
pub(super) const LINE_BYTES: usize = 2048;

/// A line of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Its text, without the newline.
    pub(super) text: &'a str,
    /// The line before it; empty if that is too long or there is none.
    pub(super) previous: &'a str,
    /// True if it has a literal of the table or a location.
    pub(super) is_triggered: bool,
}

/// Takes the lines that a scan finds.
pub(super) trait Sink {
    /// True if the next line is needed, whatever it is.
    fn needs_next(&self) -> bool;
    /// Takes a line.
    fn line(&mut self, line: Line<'_>);
}

/// Splits a text into lines, and gives those that are triggered or needed to a [`Sink`].
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Number of lines that were ended.
    ended: u64,
    /// The start of the line that is not ended.
    open: String,
    /// True if that line is too long for a key line.
    is_long: bool,
    /// The last line that was ended; empty if it was too long.
    last: String,
}

impl Scan {
    /// Takes the next piece.
    pub(super) fn push(&mut self, text: &str, sink: &mut impl Sink) {
        let mut rest = text;
        if !self.open.is_empty() || self.is_long {
            let end = memchr::memchr(NEWLINE, rest.as_bytes());
            self.extend(&rest[..end.unwrap_or(rest.len())]);
            let Some(end) = end else { return };
            self.end(sink);
            rest = &rest[end + 1..];
        }
        let whole = memchr::memrchr(NEWLINE, rest.as_bytes()).map_or(0, |end| end + 1);
        let (lines, open) = rest.split_at(whole);
        self.lines(lines, sink);
        self.extend(open);
    }

    /// Takes the line that is not ended as the last one.
    pub(super) fn finish(&mut self, sink: &mut impl Sink) {
        if !self.open.is_empty() {
            self.end(sink);
        }
    }

    fn extend(&mut self, part: &str) {
        self.is_long |= self.open.len() + part.len() > LINE_BYTES;
        if self.is_long {
            self.open.clear();
        } else {
            self.open.push_str(part);
        }
    }

    /// Ends the open line.
    fn end(&mut self, sink: &mut impl Sink) {
        self.ended += 1;
        let is_triggered =
            !self.is_long && has_words(self.open.as_bytes()) && Table::get().triggers(&self.open);
        if is_triggered || sink.needs_next() && !self.is_long {
            let (number, text, previous) = (self.ended, self.open.as_str(), self.last.as_str());
            sink.line(Line { number, text, previous, is_triggered });
        }
        std::mem::swap(&mut self.open, &mut self.last);
        self.open.clear();
        self.is_long = false;
    }

    /// Takes lines that are all ended.
    fn lines(&mut self, text: &str, sink: &mut impl Sink) {
        let bytes = text.as_bytes();
        if !sink.needs_next() && !has_words(bytes) {
            self.ended += newlines(bytes);
            self.keep_last(text);
            return;
        }
        let mut triggers = Triggers::new(text);
        let mut at = 0;
        while at < bytes.len() {
            let triggered = triggers.next(at);
            let start = match triggered {
                _ if sink.needs_next() => at,
                Some(found) => {
                    memchr::memrchr(NEWLINE, &bytes[at..found]).map_or(at, |newline| at + newline + 1)
                }
                None => break,
            };
            let end = memchr::memchr(NEWLINE, &bytes[start..]).map_or(bytes.len(), |newline| start + newline);
            self.ended += newlines(&bytes[at..start]) + 1;
            if end - start <= LINE_BYTES {
                let line = Line {
                    number: self.ended,
                    text: &text[start..end],
                    previous: last_line(&text[..start]).unwrap_or(&self.last),
                    is_triggered: triggered.is_some_and(|found| found < end) && has_words(&bytes[start..end]),
                };
                sink.line(line);
            }
            at = end + 1;
        }
        self.ended += newlines(bytes.get(at..).unwrap_or_default());
        self.keep_last(text);
    }

    /// Stores the last line of `text`.
    fn keep_last(&mut self, text: &str) {
        if let Some(last) = last_line(text) {
            self.last.clear();
            self.last.push_str(last);
        }
    }
}

/// The next literal and the next location of a text, which are searched for only once.
struct Triggers<'a> {
    text: &'a str,
    literals: NextLiterals<'a>,
    location: Option<usize>,
    is_first_line_triggered: bool,
}

impl<'a> Triggers<'a> {
    fn new(text: &'a str) -> Self {
        let first = text.split('\n').next().unwrap_or_default();
        // A literal that begins with a newline has none before the first line.
        let is_first_line_triggered = Table::get().is_at_start(first);
        let (literals, location) = (Table::get().literals.next_in(text), location::find(text.as_bytes(), 0));
        Self { text, literals, location, is_first_line_triggered }
    }

    /// Returns the first position from `at`, the start of a line, that triggers its line.
    fn next(&mut self, at: usize) -> Option<usize> {
        if at == 0 && self.is_first_line_triggered {
            return Some(0);
        }
        if self.location.is_some_and(|location| location < at) {
            self.location = location::find(self.text.as_bytes(), at);
        }
        self.literals.from(at).into_iter().chain(self.location).min()
    }
}

/// True if `bytes` have a letter or a character that is not ASCII. A key line has one, and tables of numbers have none.
fn has_words(bytes: &[u8]) -> bool {
    // Without an early exit, the compiler compares many bytes at a time.
    bytes.iter().fold(0, |largest: u8, byte| largest.max(*byte)) >= b'A'
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(NEWLINE, bytes).count() as u64
}

/// Returns the last line of a text that ends with a newline, empty if it is too long; `None` if there is none.
fn last_line(text: &str) -> Option<&str> {
    let lines = text.strip_suffix('\n')?;
    let start = memchr::memrchr(NEWLINE, lines.as_bytes()).map_or(0, |newline| newline + 1);
    Some(if lines.len() - start > LINE_BYTES { "" } else { &lines[start..] })
}
