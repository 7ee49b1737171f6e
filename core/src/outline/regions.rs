//! Skips strings and comments.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use memchr::memmem::{self, Finder};

use super::syntax::{End, Facts, Region};

/// Bytes in which a mark is searched at a time.
const AHEAD_BYTES: usize = 4096;

/// Finds the ends of strings, comments and lines.
pub(super) struct Regions<'a> {
    text: &'a [u8],
    kinds: &'static [Region],
    /// The first bytes of strings and comments.
    is_special: [bool; 256],
    /// The same, and the bytes that matter for heads of definitions.
    is_stop: [bool; 256],
    /// The marks of strings and comments that may have several lines, each with an offset before which it does not occur.
    marks: Vec<(Finder<'static>, usize)>,
}

impl<'a> Regions<'a> {
    pub(super) fn new(text: &'a [u8], facts: &'static Facts) -> Self {
        let mut is_special = [false; 256];
        let mut is_stop = [false; 256];
        for &byte in b"(){}[];\n" {
            is_stop[usize::from(byte)] = true;
        }
        let mut marks = Vec::new();
        for region in facts.regions {
            let first = usize::from(region.open.as_bytes()[0]);
            (is_special[first], is_stop[first]) = (true, true);
            if matches!(region.end, End::Escaped | End::Raw) {
                marks.push((Finder::new(region.open), 0));
            }
        }
        Self { text, kinds: facts.regions, is_special, is_stop, marks }
    }

    /// Returns the start of the first line after `at` that does not begin in a string or a comment. `at` is in code.
    pub(super) fn next_line(&mut self, at: usize) -> usize {
        let at = at.min(self.text.len());
        self.next_line_after(at, self.line_end(at))
    }

    /// Does the same as `next_line` if the end of the line of `at` is known.
    pub(super) fn next_line_after(&mut self, mut at: usize, mut end: usize) -> usize {
        if self.next_mark(at) >= end {
            return end + 1;
        }
        let first_of = |text: &[u8]| text.iter().position(|&byte| self.is_special[usize::from(byte)]);
        while at < end
            && let Some(special) = first_of(&self.text[at..end])
        {
            at = self.after(at + special);
            if at > end {
                end = self.line_end(at);
            }
        }
        end + 1
    }

    /// Skips lines that are empty or indented more than `indent`. Returns the start of the first other line from `at` on, or of
    /// one before it. `at` is the start of a line that begins in code.
    pub(super) fn next_outer(&mut self, at: usize, indent: usize) -> usize {
        let end = self.next_mark(at).min(self.text.len());
        let mut start = at;
        for newline in memchr::memchr_iter(b'\n', self.text.get(at..end).unwrap_or_default()) {
            let line = &self.text[start..=at + newline];
            let is_inner = |margin: &[u8]| margin.iter().all(|byte| matches!(byte, b' ' | b'\t'));
            if line.len() > 1 && !line.get(..=indent).is_some_and(is_inner) {
                break;
            }
            start = at + newline + 1;
        }
        start
    }

    /// Returns the offset of the next byte from `at` on that matters for heads of definitions, or `limit`.
    pub(super) fn next_stop(&self, at: usize, limit: usize) -> usize {
        let rest = self.text.get(at..limit).unwrap_or_default();
        rest.iter().position(|&byte| self.is_stop[usize::from(byte)]).map_or(limit, |stop| at + stop)
    }

    /// Returns the offset after the byte at `at`, or after the string or comment that begins there.
    pub(super) fn after(&self, at: usize) -> usize {
        let Some(region) = self.region(at) else { return at + 1 };
        let from = at + region.open.len();
        let close = region.close.as_bytes();
        match region.end {
            End::Line => self.line_end(at),
            End::Short => self.escaped_end(from, self.line_end(at), close),
            End::Escaped => self.escaped_end(from, self.text.len(), close),
            End::Raw => {
                let found = memmem::find(&self.text[from..], close);
                found.map_or(self.text.len(), |found| from + found + close.len())
            }
        }
    }

    /// Returns true if a comment begins at `at`.
    pub(super) fn is_comment(&self, at: usize) -> bool {
        self.comment(at).is_some()
    }

    /// Returns how the comment that begins at `at` ends.
    pub(super) fn comment(&self, at: usize) -> Option<End> {
        let region = self.region(at)?;
        (region.end == End::Line || region.open == "/*").then_some(region.end)
    }

    /// Returns the kind of string or comment that begins at `at`.
    fn region(&self, at: usize) -> Option<&'static Region> {
        let rest = &self.text[at..];
        if !self.is_special[usize::from(rest[0])] {
            return None;
        }
        self.kinds.iter().find(|region| rest.starts_with(region.open.as_bytes()))
    }

    /// Returns the offset of the next newline, or of the end of the text.
    pub(super) fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |newline| at + newline)
    }

    /// Returns the offset after `close`, which is not escaped, or `limit`.
    fn escaped_end(&self, mut at: usize, limit: usize, close: &[u8]) -> usize {
        let text = &self.text[..limit];
        while let Some(found) = memchr::memchr2(b'\\', close[0], text.get(at..).unwrap_or_default()) {
            at += found;
            if text[at] == b'\\' {
                at += 2;
            } else if text[at..].starts_with(close) {
                return at + close.len();
            } else {
                at += 1;
            }
        }
        limit
    }

    /// Returns an offset before which no string or comment begins that may have several lines.
    fn next_mark(&mut self, at: usize) -> usize {
        let mut first = usize::MAX;
        for (finder, next) in &mut self.marks {
            if *next <= at {
                let at = at.min(self.text.len());
                let ahead = &self.text[at..self.text.len().min(at + AHEAD_BYTES)];
                *next = at + finder.find(ahead).unwrap_or(ahead.len());
            }
            first = first.min(*next);
        }
        first
    }
}
