//! Text before anything of it is cut: lines, sizes, decoding, names made safe to show.
//!
//! A line is a run of bytes ended by `\n`, or the unterminated rest at the end; a lone `\r` ends
//! nothing. Nothing here reads or writes: it takes pieces and gives pieces.

pub mod count;
pub mod decode;
mod json;
pub mod show;
pub mod size;
pub mod terminal;
pub mod tokens;

pub use count::{Counter, Extent};
pub use json::{ESCAPE_BYTES, json_bytes};
pub use size::Size;
pub use tokens::TokenCounter;

/// The byte that ends a line.
pub const NEWLINE: u8 = b'\n';

/// Returns a bound as an index; a bound beyond what memory can hold is no bound.
pub fn as_index(bound: u64) -> usize {
    usize::try_from(bound).unwrap_or(usize::MAX)
}

/// True if `text` has characters, all of them white space.
///
/// ```
/// assert!(cutline_core::text::is_blank(" \n"));
/// assert!(!cutline_core::text::is_blank(""));
/// ```
pub fn is_blank(text: &str) -> bool {
    !text.is_empty() && is_white_space(text)
}

/// True if no character of `text` is anything but white space; so also for an empty line.
pub fn is_white_space(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Returns the longest prefix of `text` of at most `max_bytes` bytes that ends at a character's end.
///
/// ```
/// assert_eq!(cutline_core::text::prefix("né!", 2), "n");
/// assert_eq!(cutline_core::text::prefix("né!", 3), "né");
/// ```
pub fn prefix(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// Returns the longest suffix of `text` of at most `max_bytes` bytes that begins at a character's start.
///
/// ```
/// assert_eq!(cutline_core::text::suffix("né!", 2), "!");
/// assert_eq!(cutline_core::text::suffix("né!", 3), "é!");
/// ```
pub fn suffix(text: &str, max_bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max_bytes))..]
}
