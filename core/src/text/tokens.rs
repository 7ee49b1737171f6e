//! An estimate of the number of tokens that a language model needs for a text.
//!
//! Each byte has a class, and each pair of adjacent classes a cost: the average of `o200k_base`, found by least squares over
//! 6 MB of text of 50 kinds. `docs/performance.md` of cutline has the error for each kind of text. Each line is estimated
//! alone, so the tokens of a text are the sum of the tokens of its lines.

#![expect(clippy::indexing_slicing, reason = "the table has a field for each state and byte")]
#![expect(clippy::cast_possible_truncation, reason = "states and classes are bytes")]

use super::NEWLINE;

/// Estimates the number of tokens of a stream.
///
/// ```
/// use cutline_core::text::TokenCounter;
/// let mut tokens = TokenCounter::default();
/// tokens.push("The quick brown fox ju");
/// tokens.push("mps over the lazy dog.\n");
/// assert_eq!(tokens.count(), 10);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCounter {
    /// The state after the last character, in the upper byte. It is 0 at the start of a line.
    state: u16,
    /// The sum so far, in hundredths of a token.
    hundredths: u64,
}

/// Returns the estimated number of tokens of `text`.
///
/// ```
/// use cutline_core::text::tokens::estimate;
/// assert_eq!(estimate("let answer = 42;\n"), 5);
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

impl TokenCounter {
    /// Returns a counter of `text`.
    pub fn of(text: &str) -> Self {
        let mut tokens = Self::default();
        tokens.push(text);
        tokens
    }

    /// Counts the next piece.
    pub fn push(&mut self, text: &str) {
        // A step waits for the one before it, so the lines of four parts are counted in turns.
        let (mut rest, quarter) = (text.as_bytes(), text.len() / 4);
        let parts: [&[u8]; 4] = std::array::from_fn(|n| {
            let newline =
                rest.get(quarter..).filter(|_| n < 3).and_then(|rest| memchr::memchr(NEWLINE, rest));
            let (part, after) = rest.split_at(newline.map_or(rest.len(), |at| quarter + at + 1));
            rest = after;
            part
        });
        let [a, b, c, d] = parts;
        // Local copies, so that the steps need no memory write.
        let mut counters = [*self, Self::default(), Self::default(), Self::default()];
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            for (counter, byte) in counters.iter_mut().zip([a, b, c, d]) {
                counter.step(*byte);
            }
        }
        let in_turns = parts.map(<[u8]>::len).into_iter().min().unwrap_or(0);
        for (counter, part) in counters.iter_mut().zip(parts) {
            part[in_turns..].iter().for_each(|byte| counter.step(*byte));
        }
        let last = parts.iter().rposition(|part| !part.is_empty()).unwrap_or(0);
        let hundredths = counters.iter().map(|counter| counter.hundredths).sum();
        *self = Self { state: counters[last].state, hundredths };
    }

    fn step(&mut self, byte: u8) {
        self.state = STEPS[usize::from(self.state & STATE | u16::from(byte))];
        self.hundredths += u64::from(self.state & COST);
    }

    /// Adds a line, or the last part of a line. Its position in the text does not matter.
    pub fn add_line(&mut self, line: &str) {
        self.hundredths += Self::of(line).hundredths;
    }

    /// Returns the number of tokens so far, rounded up.
    pub fn count(&self) -> u64 {
        let is_line_open = self.state & STATE != 0;
        self.hundredths.div_ceil(100).max(u64::from(is_line_open))
    }
}

/// The number of states. The first ones are the classes of the last character; then follow the second and the third digit of
/// a group, and a space after a space.
const STATES: usize = 19;
const CLASSES: usize = 16;
const DIGIT: u8 = 2;
const SPACE: u8 = 5;
/// The bits of a step that are the next state, and those that are the cost.
const STATE: u16 = 0x1f00;
const COST: u16 = 0xff;
/// The size of the table. Each index is less than it, so that no check is needed.
const MAX_STEPS: usize = 32 * 256;

/// Returns the class of a byte. The first byte of a character has the class of the character. The other bytes have none.
const fn class(byte: u8) -> Option<u8> {
    Some(match byte {
        NEWLINE => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => DIGIT,
        // Punctuation that is common in long rows.
        b'-' | b'=' | b'*' | b'#' | b'.' | b'~' | b'_' | b'/' => 3,
        b' ' => SPACE,
        b'\t' => 6,
        b'a'..=b'z' => 7,
        byte if byte < 0x80 => 4,
        0x80..=0xbf => return None,
        // Latin, Cyrillic, other characters of two bytes.
        0xc3..=0xcb => 8,
        0xd0..=0xd3 => 9,
        0xc0..=0xc2 | 0xcc..=0xcf | 0xd4..=0xdf => 10,
        // Indic scripts and Thai, symbols, Japanese and Chinese, other characters of three bytes.
        0xe0 => 14,
        0xe2 => 11,
        0xe3..=0xe9 => 12,
        0xe1 | 0xea..=0xef => 13,
        // Emoji.
        _ => 15,
    })
}

/// The costs in hundredths of a token: a row for each state, a column for each class.
const COSTS: [[u8; CLASSES]; STATES] = [
    [62, 83, 98, 108, 92, 36, 26, 81, 65, 110, 110, 103, 22, 98, 110, 155],
    [143, 27, 220, 63, 109, 20, 5, 29, 0, 67, 110, 109, 7, 0, 70, 70],
    [116, 220, 0, 75, 59, 124, 49, 36, 84, 71, 97, 69, 53, 94, 70, 70],
    [9, 17, 141, 2, 45, 0, 73, 37, 94, 110, 110, 86, 75, 69, 110, 70],
    [6, 0, 134, 104, 11, 81, 120, 84, 7, 110, 68, 57, 29, 94, 110, 67],
    [146, 33, 121, 62, 57, 65, 89, 0, 0, 0, 0, 110, 8, 51, 0, 170],
    [74, 171, 34, 128, 50, 74, 40, 52, 85, 93, 89, 90, 90, 90, 90, 90],
    [84, 57, 189, 61, 58, 67, 113, 9, 75, 71, 110, 43, 58, 0, 72, 70],
    [220, 97, 75, 93, 115, 0, 70, 137, 110, 110, 110, 74, 85, 0, 70, 75],
    [76, 75, 66, 103, 65, 0, 70, 41, 110, 33, 95, 87, 72, 87, 70, 72],
    [58, 112, 88, 130, 100, 0, 70, 220, 110, 110, 45, 110, 104, 109, 70, 77],
    [217, 75, 111, 3, 192, 62, 69, 9, 82, 87, 82, 10, 95, 3, 69, 70],
    [53, 51, 67, 28, 0, 60, 70, 33, 86, 72, 87, 93, 81, 110, 70, 70],
    [87, 83, 79, 22, 106, 30, 70, 0, 110, 74, 100, 82, 32, 66, 70, 77],
    [129, 70, 70, 87, 144, 30, 70, 40, 70, 70, 70, 64, 70, 70, 39, 70],
    [160, 70, 70, 70, 67, 87, 70, 40, 77, 75, 82, 70, 70, 72, 70, 168],
    [114, 211, 7, 101, 31, 90, 105, 0, 70, 70, 64, 79, 67, 69, 70, 70],
    [98, 25, 82, 62, 114, 37, 69, 0, 70, 70, 75, 70, 70, 76, 70, 70],
    [95, 65, 201, 111, 93, 0, 177, 42, 110, 106, 110, 110, 110, 110, 104, 90],
];

/// The next state and the cost for each state and byte.
static STEPS: [u16; MAX_STEPS] = {
    let mut steps = [0; MAX_STEPS];
    let mut n = 0;
    while n < STATES * 256 {
        let (state, byte) = ((n / 256) as u8, (n % 256) as u8);
        steps[n] = match class(byte) {
            None => (state as u16) << 8,
            Some(class) => {
                let next = match (class, state) {
                    (DIGIT, DIGIT) => 16,
                    (DIGIT, 16) => 17,
                    (SPACE, SPACE | 18) => 18,
                    _ => class,
                };
                (next as u16) << 8 | COSTS[state as usize][class as usize] as u16
            }
        };
        n += 1;
    }
    steps
};

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
            prop_assert_eq!(tokens, TokenCounter::of(&whole));
            prop_assert!(estimate(&whole) <= tokens.count().min(whole.len() as u64));
        }

        #[test]
        fn tokens_of_lines_add_up(lines in prop::collection::vec("\\PC{0,40}\n", 0..8)) {
            let sum: u64 = lines.iter().map(|line| TokenCounter::of(line).hundredths).sum();
            prop_assert_eq!(TokenCounter::of(&lines.concat()).hundredths, sum);
        }
    }
}
