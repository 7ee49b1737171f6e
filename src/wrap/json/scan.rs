//! The structure of a JSON text that is known to be valid: where its values begin and end.
//!
//! Nothing is parsed to a value: digits, escapes, spacing and the order of keys are bytes of the text,
//! and stay what they are.

#![expect(clippy::indexing_slicing, reason = "offsets come from a valid text: a wrong one must fail")]

use std::ops::Range;

/// A member of an object or an item of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Child {
    /// The key with its quotes; empty for an item.
    pub(super) key: Range<usize>,
    /// The value.
    pub(super) value: Range<usize>,
}

/// The first byte from `at` on that is no white space.
pub(super) fn after_space(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count()
}

/// The end of the value that begins at `at`.
pub(super) fn value_end(text: &[u8], at: usize) -> usize {
    match text[at] {
        b'"' => string_end(text, at),
        b'{' | b'[' => {
            let mut depth = 0_usize;
            let mut at = at;
            loop {
                match text[at] {
                    b'"' => {
                        at = string_end(text, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return at;
                }
            }
        }
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
            text[at..].iter().position(ends).map_or(text.len(), |len| at + len)
        }
    }
}

/// Bytes of a string that are looked at one by one: most strings are shorter than a search for the end is worth.
const SHORT_BYTES: usize = 16;

/// The first quote or backslash.
pub(super) fn mark_in_string(text: &[u8]) -> Option<usize> {
    let (first, rest) = text.split_at(text.len().min(SHORT_BYTES));
    let near = first.iter().position(|byte| matches!(byte, b'"' | b'\\'));
    near.or_else(|| Some(first.len() + memchr::memchr2(b'"', b'\\', rest)?))
}

/// The end of the string that begins at `at`, behind its closing quote.
pub(super) fn string_end(text: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        match mark_in_string(&text[at..]) {
            Some(found) if text[at + found] == b'"' => return at + found + 1,
            Some(found) => at += found + 2,
            None => return text.len(),
        }
    }
}
