//! Counts the lines and bytes of a stream.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

use derive_more::Display;

use super::NEWLINE;

/// The number of lines and bytes of a text.
///
/// ```
/// use cutline_core::text::Extent;
/// assert_eq!(Extent::of("é\nb"), Extent { lines: 2, bytes: 4 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Lines, including an unterminated last line.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Extent {
    /// Returns the lines and bytes of `text`.
    pub fn of(text: &str) -> Self {
        let newlines = memchr::memchr_iter(NEWLINE, text.as_bytes()).count() as u64;
        let has_rest = !text.is_empty() && !text.ends_with('\n');
        Self { lines: newlines + u64::from(has_rest), bytes: text.len() as u64 }
    }
}

/// A number, or a lower bound of it if not all was counted.
///
/// ```
/// use cutline_core::text::Total;
/// assert_eq!(Total::AtLeast(5).to_string(), "at least 5");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display("{}{}", self.at_least(), self.count())]
pub enum Total {
    /// This number.
    Exact(u64),
    /// This number or more.
    AtLeast(u64),
}

impl Total {
    /// Returns a total that is exact unless `is_at_least`.
    pub fn new(count: u64, is_at_least: bool) -> Self {
        if is_at_least { Self::AtLeast(count) } else { Self::Exact(count) }
    }

    /// Returns the number.
    pub fn count(self) -> u64 {
        let (Self::Exact(count) | Self::AtLeast(count)) = self;
        count
    }

    /// Returns true if it is a lower bound.
    pub fn is_at_least(self) -> bool {
        matches!(self, Self::AtLeast(_))
    }

    /// Returns the words before a lower bound.
    pub(crate) fn at_least(self) -> &'static str {
        if self.is_at_least() { "at least " } else { "" }
    }
}

/// Counts the bytes and lines of a stream, and the bytes of its first and last line.
///
/// ```
/// use cutline_core::text::Counter;
/// let mut counter = Counter::default();
/// counter.push(b"a\nb");
/// counter.push(b"c");
/// assert_eq!((counter.extent().lines, counter.extent().bytes), (2, 4));
/// assert_eq!((counter.first_line_bytes(), counter.last_line_bytes()), (1, 2));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Counter {
    bytes: u64,
    newlines: u64,
    /// Bytes of the first line, once it is terminated.
    first_line: u64,
    /// Bytes since the last newline.
    open_line: u64,
    /// Bytes of the last terminated line.
    ended_line: u64,
}

impl Counter {
    /// Counts the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        let len = piece.len() as u64;
        self.bytes += len;
        let Some(last) = memchr::memrchr(NEWLINE, piece) else {
            self.open_line += len;
            return;
        };
        if self.newlines == 0 {
            let first = memchr::memchr(NEWLINE, piece).unwrap_or(last);
            self.first_line = self.open_line + first as u64;
        }
        self.ended_line = match memchr::memrchr(NEWLINE, &piece[..last]) {
            Some(before) => (last - before - 1) as u64,
            None => self.open_line + last as u64,
        };
        self.newlines += memchr::memchr_iter(NEWLINE, piece).count() as u64;
        self.open_line = len - last as u64 - 1;
    }

    /// Returns the lines and bytes so far.
    pub fn extent(&self) -> Extent {
        Extent { lines: self.newlines + u64::from(self.open_line > 0), bytes: self.bytes }
    }

    /// Returns true if the next byte begins a line: at the start, and after a newline.
    pub fn is_at_line_start(&self) -> bool {
        self.open_line == 0
    }

    /// Returns the bytes of the first line, without its newline.
    pub fn first_line_bytes(&self) -> u64 {
        if self.newlines == 0 { self.open_line } else { self.first_line }
    }

    /// Returns the bytes of the last line, without its newline.
    pub fn last_line_bytes(&self) -> u64 {
        if self.open_line > 0 { self.open_line } else { self.ended_line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pushed(pieces: &[Vec<u8>]) -> Counter {
        let mut counter = Counter::default();
        for piece in pieces {
            counter.push(piece);
        }
        counter
    }

    proptest! {
        #[test]
        fn counts_do_not_depend_on_pieces(pieces in prop::collection::vec("[ab\n]{0,6}", 0..8)) {
            let whole = pieces.concat();
            let lines: Vec<&str> = whole.split_inclusive('\n').collect();
            let counter = pushed(&pieces.iter().map(|piece| piece.clone().into_bytes()).collect::<Vec<_>>());
            let bare = |line: Option<&&str>| line.map_or(0, |line| line.trim_end_matches('\n').len() as u64);
            prop_assert_eq!(counter.extent(), Extent { lines: lines.len() as u64, bytes: whole.len() as u64 });
            prop_assert_eq!(counter.first_line_bytes(), bare(lines.first()));
            prop_assert_eq!(counter.last_line_bytes(), bare(lines.last()));
        }
    }
}
