//! Splits a stream into lines, each with one message. Lines over the limit are not buffered.

use std::io::{self, BufRead as _, BufReader, Read};

use crate::envelope::Envelope;

/// Maximum bytes of one read.
pub(super) const BLOCK_BYTES: usize = 64 * 1024;

/// The next part of a stream.
#[derive(Debug)]
pub(super) enum Next<'l> {
    /// A line with its newline. The last line may have none.
    Line(&'l [u8]),
    /// A line over the limit. Only the id and the kind of its message were read.
    Oversized(Envelope),
    /// The end of the stream.
    End,
}

/// Reads lines from a stream.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    max_bytes: usize,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// Creates a reader of lines with at most `max_bytes` each.
    pub(super) fn new(read: R, max_bytes: usize) -> Self {
        Self { read: BufReader::with_capacity(BLOCK_BYTES, read), max_bytes, line: Vec::new() }
    }

    /// Returns true if another complete line is buffered.
    pub(super) fn has_another(&self) -> bool {
        memchr::memchr(b'\n', self.read.buffer()).is_some()
    }

    /// Waits for the next line.
    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        self.line.shrink_to(BLOCK_BYTES);
        self.take(self.max_bytes.saturating_add(1))?;
        if self.line.len() <= self.max_bytes || self.line.ends_with(b"\n") {
            return Ok(if self.line.is_empty() { Next::End } else { Next::Line(&self.line) });
        }
        let mut envelope = Envelope::default();
        loop {
            let part = self.line.strip_suffix(b"\n");
            envelope.scan(part.unwrap_or(&self.line));
            let is_over = part.is_some();
            self.line = Vec::new();
            if is_over || self.take(BLOCK_BYTES)? == 0 {
                return Ok(Next::Oversized(envelope));
            }
        }
    }

    /// Buffers the rest of the line, up to `max_bytes`. Returns the number of bytes.
    fn take(&mut self, max_bytes: usize) -> io::Result<usize> {
        (&mut self.read).take(max_bytes as u64).read_until(b'\n', &mut self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_line_is_known_by_its_ids() {
        let long = "x".repeat(200_000);
        let oversized = format!("{{\"method\":\"m\",\"params\":[\"{long}\\\"\"],\"id\":7}}\n");
        let input = format!("{{}}\r\n\n{oversized}[\"{long}\"]\nlast");
        let mut lines = Lines::new(input.as_bytes(), 100);
        let mut seen = Vec::new();
        loop {
            seen.push(match lines.next().unwrap() {
                Next::Line(line) => String::from_utf8(line.to_vec()).unwrap(),
                Next::Oversized(envelope) => {
                    format!("{:?} {}", envelope.certain_id::<u8>(), envelope.message.has_method())
                }
                Next::End => break,
            });
        }
        assert_eq!(seen, ["{}\r\n", "\n", "Some(7) true", "None false", "last"]);
    }

    #[test]
    fn line_of_exactly_the_limit_is_accepted() {
        for (len, held) in [(99, true), (100, true), (101, false)] {
            let input = format!("{}\n", "x".repeat(len));
            let mut lines = Lines::new(input.as_bytes(), 100);
            assert_eq!(matches!(lines.next().unwrap(), Next::Line(_)), held, "{len}");
            assert!(matches!(lines.next().unwrap(), Next::End));
        }
    }
}
