//! Text before it is truncated: lines, sizes, decoding, and names that are safe to show.
//!
//! A line ends with `\n`; the last line can be unterminated. A `\r` alone does not end a line. This module does no I/O: it
//! takes pieces of text and returns pieces.

pub mod binary;
pub mod count;
pub mod decode;
mod json;
pub mod show;
pub mod size;
pub mod terminal;
pub mod tokens;

pub use count::{Counter, Extent, Total};
pub use json::{ESCAPE_BYTES, json_bytes};
pub use size::Size;
pub use tokens::TokenCounter;

/// The byte that ends a line.
pub const NEWLINE: u8 = b'\n';

/// Converts a bound to an index. A bound that does not fit becomes the largest index.
pub fn as_index(bound: u64) -> usize {
    usize::try_from(bound).unwrap_or(usize::MAX)
}

/// Returns true if `text` is not empty and consists of white space.
///
/// ```
/// assert!(cutline_core::text::is_blank(" \n"));
/// assert!(!cutline_core::text::is_blank(""));
/// ```
pub fn is_blank(text: &str) -> bool {
    !text.is_empty() && is_white_space(text)
}

/// Returns true if `text` is empty or consists of white space.
pub fn is_white_space(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Returns the longest prefix of `text` of at most `max_bytes` bytes that ends at the end of a character.
///
/// ```
/// assert_eq!(cutline_core::text::prefix("né!", 2), "n");
/// assert_eq!(cutline_core::text::prefix("né!", 3), "né");
/// ```
pub fn prefix(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// Returns the longest suffix of `text` of at most `max_bytes` bytes that begins at the start of a character.
///
/// ```
/// assert_eq!(cutline_core::text::suffix("né!", 2), "!");
/// assert_eq!(cutline_core::text::suffix("né!", 3), "é!");
/// ```
pub fn suffix(text: &str, max_bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max_bytes))..]
}
