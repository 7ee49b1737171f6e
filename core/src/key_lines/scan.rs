//! Finds the lines of a text that can be key lines, piece by piece.

#![expect(clippy::indexing_slicing, reason = "the bounds are positions of newlines in the same text")]

use super::grade::Table;
use super::literals::Hit;
use super::location;
use crate::text::NEWLINE;

/// Bytes of the longest possible key line. A longer line would displace many others.
pub(super) const LINE_BYTES: usize = 4096;

/// The most bytes of earlier lines that are stored.
const MOST_EARLIER: usize = 4 * LINE_BYTES;

/// A line of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Its text, without the newline.
    pub(super) text: &'a str,
    /// The lines before it.
    pub(super) before: Before<'a>,
    /// The literals of the table in it.
    pub(super) hits: &'a [Hit],
    /// True if it may have a location.
    pub(super) has_location: bool,
}

impl Line<'_> {
    /// True if it has a literal of the table or a location.
    pub(super) fn is_triggered(&self) -> bool {
        !self.hits.is_empty() || self.has_location
    }
}

/// The text before a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Before<'a> {
    /// The last lines of the earlier pieces.
    earlier: &'a str,
    /// The lines of this piece before the line.
    text: &'a str,
}

impl<'a> Before<'a> {
    /// Returns the text before the last of these lines.
    pub(super) fn without_last(self) -> Self {
        let start = |text: &'a str| {
            let line = text.strip_suffix('\n').unwrap_or(text);
            &text[..line.rfind('\n').map_or(0, |newline| newline + 1)]
        };
        match self.text {
            "" => Self { earlier: start(self.earlier), ..self },
            text => Self { text: start(text), ..self },
        }
    }

    /// Returns the lines, the last one first, with at most [`LINE_BYTES`] in total.
    pub(super) fn lines(self) -> impl Iterator<Item = &'a str> {
        let pieces = [self.text, self.earlier].into_iter().filter_map(|text| text.strip_suffix('\n'));
        let mut left = LINE_BYTES;
        pieces.flat_map(|text| text.rsplit('\n')).map_while(move |line| {
            left = left.checked_sub(line.len() + 1)?;
            Some(line)
        })
    }
}

/// Takes the lines that a scan finds.
pub(super) trait Sink {
    /// True if the next line is needed, whatever it is.
    fn needs_next(&self) -> bool;
    /// Takes a line.
    fn line(&mut self, line: Line<'_>);
}

/// Splits a text into lines, and gives those that are triggered or needed to a [`Sink`].
#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    /// Number of lines that were ended.
    ended: u64,
    /// The start of the line that is not ended.
    open: String,
    /// True if that line is too long for a key line.
    is_long: bool,
    /// The last lines that were ended, at least [`LINE_BYTES`]; fewer after a line that was too long.
    earlier: String,
    /// The literals of the current line.
    hits: Vec<Hit>,
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
        let mut line = std::mem::take(&mut self.open);
        if self.is_long {
            self.ended += 1;
            self.earlier.clear();
        } else {
            line.push('\n');
            self.lines(&line, sink);
            line.clear();
        }
        self.open = line;
        self.is_long = false;
    }

    /// Takes lines that are all ended.
    fn lines(&mut self, text: &str, sink: &mut impl Sink) {
        let bytes = text.as_bytes();
        let mut at = 0;
        if sink.needs_next() || has_words(bytes) {
            let mut hits = Table::get().literals.find_all(text).peekable();
            let mut location = location::find(bytes, 0);
            loop {
                let trigger = hits.peek().map(|hit| hit.at).into_iter().chain(location).min();
                let start = match trigger {
                    _ if sink.needs_next() && at < bytes.len() => at,
                    Some(found) => {
                        memchr::memrchr(NEWLINE, &bytes[at..found]).map_or(at, |newline| at + newline + 1)
                    }
                    None => break,
                };
                let end =
                    memchr::memchr(NEWLINE, &bytes[start..]).map_or(bytes.len(), |newline| start + newline);
                self.ended += newlines(&bytes[at..start]) + 1;
                self.hits.clear();
                while let Some(hit) = hits.next_if(|hit| hit.at < end) {
                    self.hits.push(Hit { at: hit.at - start, ..hit });
                }
                // Whether the lines around it have words makes no difference.
                if !has_words(&bytes[start..end]) {
                    self.hits.clear();
                }
                let has_location = location.is_some_and(|location| location < end);
                if has_location {
                    location = location::find(bytes, end);
                }
                if end - start <= LINE_BYTES {
                    let before = Before { earlier: &self.earlier, text: &text[..start] };
                    let (number, text, hits) = (self.ended, &text[start..end], &*self.hits);
                    sink.line(Line { number, text, before, hits, has_location });
                }
                at = end + 1;
            }
        }
        self.ended += newlines(&bytes[at..]);
        if text.len() > LINE_BYTES {
            self.earlier.clear();
        }
        self.earlier.push_str(last_lines(text));
        if self.earlier.len() > MOST_EARLIER {
            let rest = self.earlier.len() - last_lines(&self.earlier).len();
            self.earlier.drain(..rest);
        }
    }
}

/// True if `bytes` have an `A` or a greater byte. Each letter is one, and tables of numbers have none.
fn has_words(bytes: &[u8]) -> bool {
    // Without an early exit, the compiler compares many bytes at a time.
    bytes.iter().fold(0, |largest: u8, byte| largest.max(*byte)) >= b'A'
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(NEWLINE, bytes).count() as u64
}

/// Returns the lines that start in the last [`LINE_BYTES`] of a text.
fn last_lines(text: &str) -> &str {
    let Some(start) = text.len().checked_sub(LINE_BYTES + 1) else { return text };
    let newline =
        memchr::memchr(NEWLINE, &text.as_bytes()[start..]).map_or(text.len(), |found| start + found + 1);
    &text[newline..]
}
