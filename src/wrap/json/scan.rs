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

/// The children of the array or object at `node`, in the order of the text.
pub(super) fn children(text: &[u8], node: Range<usize>) -> Children<'_> {
    Children { text, is_object: text[node.start] == b'{', at: node.start + 1 }
}

/// An iterator over children.
#[derive(Debug, Clone)]
pub(super) struct Children<'a> {
    text: &'a [u8],
    is_object: bool,
    at: usize,
}

impl Iterator for Children<'_> {
    type Item = Child;

    fn next(&mut self) -> Option<Child> {
        let text = self.text;
        let mut at = after_space(text, self.at);
        match text[at] {
            b']' | b'}' => return None,
            b',' => at = after_space(text, at + 1),
            _ => {}
        }
        let mut key = at..at;
        if self.is_object {
            key = at..value_end(text, at);
            at = after_space(text, after_space(text, key.end) + 1);
        }
        let value = at..value_end(text, at);
        self.at = value.end;
        Some(Child { key, value })
    }
}

/// The first byte from `at` on that is no white space.
pub(super) fn after_space(text: &[u8], at: usize) -> usize {
    let space = text[at..].iter().take_while(|byte| byte.is_ascii_whitespace());
    at + space.count()
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

/// The end of the string that begins at `at`, behind its closing quote.
pub(super) fn string_end(text: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        match memchr::memchr2(b'"', b'\\', &text[at..]) {
            Some(found) if text[at + found] == b'"' => return at + found + 1,
            Some(found) => at += found + 2,
            None => return text.len(),
        }
    }
}

/// The number of arrays and objects that stand in one another at the deepest place.
pub(super) fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest, mut at) = (0_usize, 0, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at);
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    deepest
}
