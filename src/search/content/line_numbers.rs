//! The numbers of match lines, by the newlines before them.

#![expect(clippy::indexing_slicing, reason = "offsets are within the buffer that holds the line")]

use std::cell::Cell;

use grep_searcher::SinkMatch;

/// Numbers the match lines of one text, in their order.
#[derive(Debug)]
pub(super) struct LineNumbers<'a> {
    /// Newlines in all of the text that was given to the searcher so far, where it is given in parts.
    lines_read: &'a Cell<u64>,
    /// Byte at which the line begins that was numbered last.
    offset: u64,
    /// Its number, from 1.
    number: u64,
}

impl<'a> LineNumbers<'a> {
    pub(super) fn new(lines_read: &'a Cell<u64>) -> Self {
        Self { lines_read, offset: 0, number: 1 }
    }

    /// Returns the number of the line with which a match begins.
    pub(super) fn number(&mut self, found: &SinkMatch<'_>) -> u64 {
        let count = |text: &[u8]| bytecount::count(text, b'\n') as u64;
        let (buffer, at) = (found.buffer(), found.bytes_range_in_buffer().start);
        let begin = found.absolute_byte_offset() - at as u64;
        // The buffer ends with the last line that was read.
        self.number = match self.offset.checked_sub(begin) {
            Some(last) => self.number + count(&buffer[usize::try_from(last).unwrap_or(at)..at]),
            None => self.lines_read.get() + 1 - count(&buffer[at..]),
        };
        self.offset = found.absolute_byte_offset();
        self.number
    }
}
