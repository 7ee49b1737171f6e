//! Finds where the values of a valid JSON text start and end.
//!
//! Values are not parsed, so digits, escapes, spacing and the order of keys do not change.

/// Returns the offset of the first byte at or after `at` that is not white space.
pub(super) fn after_space(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count()
}

/// Returns the tokens of a text: punctuation, strings, numbers and literals.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = after_space(text.as_bytes(), at);
        at = match text.as_bytes().get(start)? {
            b'{' | b'}' | b'[' | b']' | b',' | b':' => start + 1,
            b'"' => string_end(text.as_bytes(), start),
            _ => plain_end(text.as_bytes(), start),
        };
        Some(&text[start..at])
    })
}

/// Returns the end of the value that starts at `at`.
pub(super) fn value_end(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    loop {
        match text[at] {
            b'"' => at = string_end(text, at) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ if depth > 0 => {}
            _ => return plain_end(text, at),
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
}

/// Returns the end of the number or literal that starts at `at`.
pub(super) fn plain_end(text: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
    text[at..].iter().position(ends).map_or(text.len(), |len| at + len)
}

/// Number of bytes of a string that are compared one by one. Most strings are so short that a vectorized search is not
/// worth it.
const SHORT_BYTES: usize = 16;

/// Returns the offset of the first quote or backslash.
pub(super) fn mark_in_string(text: &[u8]) -> Option<usize> {
    let (first, rest) = text.split_at(text.len().min(SHORT_BYTES));
    let near = first.iter().position(|byte| matches!(byte, b'"' | b'\\'));
    near.or_else(|| Some(first.len() + memchr::memchr2(b'"', b'\\', rest)?))
}

/// Returns the end of the string that starts at `at`, after its closing quote.
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
