//! An estimate of the number of tokens that a language model needs for a text.
//!
//! A tokenizer splits a text into words (each with the space or punctuation before it), groups of three digits, runs of
//! punctuation and white space. It makes one or a few tokens of each part. This estimate finds the same parts, with one table
//! lookup for each byte, and adds the average cost of each part. The costs are those of `o200k_base`, found by least squares
//! over 6 MB of text of 40 kinds. `docs/performance.md` of cutline has the error for each kind.
//!
//! Each line is estimated alone, so the tokens of a text are the sum of the tokens of its lines.

#![expect(clippy::indexing_slicing, reason = "the table has a field for each state and byte")]

mod costs;
mod table;

use super::NEWLINE;
use table::{NEXT_ROW, STEPS};

/// Estimates the number of tokens of a stream.
///
/// ```
/// use cutline_core::text::TokenCounter;
/// let mut tokens = TokenCounter::default();
/// tokens.push("The quick brown fox ju");
/// tokens.push("mps over the lazy dog.\n");
/// assert_eq!(tokens.count(), 11);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCounter {
    /// The last table field that was used. It has the number of the row of the current state, which is 0 at the start of a
    /// line.
    field: u16,
    /// The sum so far, in hundredths of a token.
    hundredths: u64,
}

/// Returns the estimated number of tokens of `text`.
///
/// ```
/// use cutline_core::text::tokens::estimate;
/// assert_eq!(estimate("let answer = 42;\n"), 7);
/// assert_eq!(estimate(""), 0);
/// ```
pub fn estimate(text: &str) -> u64 {
    // A token has at least one byte.
    TokenCounter::of(text).count().min(text.len() as u64)
}

/// Returns the estimated number of tokens of `bytes` bytes of a text, from a sample of `sample_bytes` bytes with
/// `sample_tokens` tokens.
///
/// ```
/// use cutline_core::text::tokens::extrapolate;
/// assert_eq!(extrapolate(1_000_000, 30_000, 15_000), 498_345);
/// assert_eq!(extrapolate(1000, 0, 0), 250);
/// ```
pub fn extrapolate(bytes: u64, sample_bytes: u64, sample_tokens: u64) -> u64 {
    let tokens = u128::from(sample_tokens + PRIOR_BYTES / BYTES_PER_TOKEN);
    let sample = u128::from(sample_bytes + PRIOR_BYTES);
    u64::try_from((u128::from(bytes) * tokens).div_ceil(sample)).unwrap_or(u64::MAX)
}

/// Bytes for each token of an unknown text: the average of prose and code.
pub const BYTES_PER_TOKEN: u64 = 4;

/// Bytes of an unknown text that are added to each sample, because a few lines alone can have any density.
const PRIOR_BYTES: u64 = 200;

/// Bytes of a text from which its two halves are counted in parallel.
const LONG_BYTES: usize = 256;

impl TokenCounter {
    /// Returns a counter of `text`.
    pub fn of(text: &str) -> Self {
        let mut tokens = Self::default();
        tokens.push(text);
        tokens
    }

    /// Counts the next piece.
    pub fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        // Each step depends on the one before it. Two halves that both begin with a line are independent.
        let middle =
            if bytes.len() < LONG_BYTES { None } else { memchr::memrchr(NEWLINE, &bytes[..bytes.len() / 2]) };
        let (first, second) = bytes.split_at(middle.map_or(0, |newline| newline + 1));
        if first.is_empty() {
            return self.steps(second);
        }
        // A local copy, so that the steps need no memory write.
        let (mut own, mut other) = (*self, Self::default());
        for (one, two) in first.iter().zip(second) {
            own.step(*one);
            other.step(*two);
        }
        own.steps(&first[second.len().min(first.len())..]);
        other.steps(&second[first.len().min(second.len())..]);
        *self = Self { field: other.field, hundredths: own.hundredths + other.hundredths };
    }

    /// Adds a line, or the last part of a line. Its position in the text does not matter.
    pub fn add_line(&mut self, line: &str) {
        self.hundredths += Self::of(line).hundredths;
    }

    /// Returns the number of tokens so far, rounded up.
    pub fn count(&self) -> u64 {
        let is_line_open = self.field & NEXT_ROW > 0;
        self.hundredths.div_ceil(100).max(u64::from(is_line_open))
    }

    fn steps(&mut self, bytes: &[u8]) {
        let mut own = *self;
        for byte in bytes {
            own.step(*byte);
        }
        *self = own;
    }

    fn step(&mut self, byte: u8) {
        self.field = STEPS[usize::from(self.field & NEXT_ROW | u16::from(byte))];
        self.hundredths += u64::from(self.field & !NEXT_ROW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_do_not_depend_on_pieces(
            pieces in prop::collection::vec("(\\PC|[a-z0-9 \t\n]){0,200}", 0..6),
        ) {
            let whole = pieces.concat();
            let mut tokens = TokenCounter::default();
            for piece in &pieces {
                tokens.push(piece);
            }
            let mut by_byte = TokenCounter::default();
            by_byte.steps(whole.as_bytes());
            prop_assert_eq!((tokens.field, tokens.hundredths), (by_byte.field, by_byte.hundredths));
            prop_assert!(estimate(&whole) <= tokens.count().min(whole.len() as u64));
        }

        #[test]
        fn tokens_of_lines_add_up(lines in prop::collection::vec("\\PC{0,40}\n", 0..8)) {
            let sum: u64 = lines.iter().map(|line| TokenCounter::of(line).hundredths).sum();
            prop_assert_eq!(TokenCounter::of(&lines.concat()).hundredths, sum);
        }
    }
}
