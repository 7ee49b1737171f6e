//! A valid JSON text, with the positions of its large parts.
//!
//! One pass validates the text, and records the end and the number of children of each large array and object.
//! Later steps use these records and skip large parts.

use serde::de::IgnoredAny;

use super::scan::{after_space, mark_in_string, value_end};

/// The characters that are white space in JSON.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Maximum nesting depth. A deeper value is treated as text.
const MAX_DEPTH: usize = 1000;
/// An array or object is large if it has at least one part in this number of the text. Each level has at most that many
/// large ones.
const LARGE_PART: usize = 256;

/// Minimum size in bytes of a large string, unless one part in [`LARGE_PART`] of the text is more.
const LARGE_STRING_BYTES: usize = 1024;

/// A JSON array or object, or a single string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wrap) struct Value<'a> {
    /// The text, without surrounding white space.
    pub(in crate::wrap) text: &'a str,
    /// The large parts, in the order of their starts.
    large: Vec<Large>,
    /// True if the nesting is deeper than [`MAX_DEPTH`].
    is_deep: bool,
}

/// A large array, object or string in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Large {
    start: usize,
    end: usize,
    /// The number of members or items.
    pub(super) children: u64,
}

/// The tokens that are allowed next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
}

impl<'a> Value<'a> {
    /// Parses the array or object in `text` and ignores surrounding white space. Returns `None` for other text, and for
    /// a value that is nested too deeply.
    pub(in crate::wrap) fn of(text: &'a str) -> Option<Self> {
        Self::of_any_depth(text).filter(|value| !value.is_deep)
    }

    /// Parses the string in `text`, which is valid. Returns `None` for another value.
    pub(in crate::wrap) fn of_string(text: &'a str) -> Option<Self> {
        text.starts_with('"').then(|| Self { text, large: Vec::new(), is_deep: false })
    }

    /// Parses like [`Value::of`], but accepts any depth.
    pub(in crate::wrap) fn of_any_depth(text: &'a str) -> Option<Self> {
        let text = text.trim_matches(WHITE_SPACE);
        let bytes = text.as_bytes();
        let is_object = |at: usize| bytes[at] == b'{';
        let (mut open, mut large): (Vec<Large>, Vec<Large>) = (Vec::new(), Vec::new());
        let large_string_bytes = LARGE_STRING_BYTES.max(text.len() / LARGE_PART);
        let (mut at, mut next, mut is_deep) = (0, Next::Value, false);
        loop {
            at = after_space(bytes, at);
            let byte = *bytes.get(at)?;
            match (byte, next) {
                (b'{' | b'[', Next::Value | Next::ValueOrEnd) if open.len() == MAX_DEPTH => {
                    is_deep = true;
                    at = parsed_end(text, at)?;
                }
                (b'{' | b'[', Next::Value | Next::ValueOrEnd) => {
                    open.push(Large { start: at, end: 0, children: 0 });
                    next = if byte == b'{' { Next::KeyOrEnd } else { Next::ValueOrEnd };
                    at += 1;
                    continue;
                }
                (b'}', Next::KeyOrEnd | Next::CommaOrEnd) | (b']', Next::ValueOrEnd | Next::CommaOrEnd) => {
                    let mut ended = open.pop().filter(|ended| is_object(ended.start) == (byte == b'}'))?;
                    at += 1;
                    ended.end = at;
                    if ended.end - ended.start > text.len() / LARGE_PART {
                        large.push(ended);
                    }
                    if open.is_empty() {
                        large.sort_unstable_by_key(|one| one.start);
                        return (at == text.len()).then_some(Self { text, large, is_deep });
                    }
                }
                (b',', Next::CommaOrEnd) => {
                    let is_object = is_object(open.last()?.start);
                    next = if is_object { Next::Key } else { Next::Value };
                    at += 1;
                    continue;
                }
                (b'"', Next::Key | Next::KeyOrEnd) => {
                    at = after_space(bytes, checked_string_end(bytes, at)?);
                    next = Next::Value;
                    at += (bytes.get(at) == Some(&b':')).then_some(1)?;
                    continue;
                }
                (b'"', Next::Value | Next::ValueOrEnd) => {
                    let start = at;
                    at = checked_string_end(bytes, at)?;
                    if at - start > large_string_bytes {
                        large.push(Large { start, end: at, children: 0 });
                    }
                }
                (_, Next::Value | Next::ValueOrEnd) => {
                    at = checked_plain_end(bytes, at)?;
                }
                _ => return None,
            }
            // The end of a value inside an array or object.
            open.last_mut()?.children += 1;
            next = Next::CommaOrEnd;
        }
    }

    /// Returns the large part that starts at `start`.
    pub(super) fn large_at(&self, start: usize) -> Option<&Large> {
        self.large.binary_search_by_key(&start, |one| one.start).ok().map(|n| &self.large[n])
    }

    /// Returns the end of the value that starts at `at`.
    pub(super) fn value_end(&self, at: usize) -> usize {
        let text = self.text.as_bytes();
        let large = matches!(text[at], b'{' | b'[' | b'"').then(|| self.large_at(at)).flatten();
        large.map_or_else(|| value_end(text, at), |one| one.end)
    }
}

/// Returns the end of the array or object at `at`, at any depth, or `None` if it is invalid.
fn parsed_end(text: &str, at: usize) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(at + values.byte_offset())
}

/// Returns the end of the string at `at`, or `None` if it is invalid.
fn checked_string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        let run = mark_in_string(&text[at..])?;
        // Checks all bytes: stopping early would be slower.
        if text[at..at + run].iter().fold(u8::MAX, |least, byte| least.min(*byte)) < b' ' {
            return None;
        }
        at += run;
        match (text[at], text.get(at + 1)) {
            (b'"', _) => return Some(at + 1),
            (_, Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => at += 2,
            (_, Some(b'u')) if text.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => at += 6,
            _ => return None,
        }
    }
}

/// Returns the end of the number or word at `at`, or `None` if it is invalid.
fn checked_plain_end(text: &[u8], at: usize) -> Option<usize> {
    let word = match text[at] {
        b't' => "true",
        b'f' => "false",
        b'n' => "null",
        _ => return number_end(text, at),
    };
    text[at..].starts_with(word.as_bytes()).then_some(at + word.len())
}

/// Returns the end of the number at `at` as defined by RFC 8259, or `None` if it is invalid.
fn number_end(text: &[u8], at: usize) -> Option<usize> {
    let digits_end = |at: usize| at + text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let some_digits_end = |at: usize| Some(digits_end(at)).filter(|end| *end > at);
    let start = at + usize::from(text[at] == b'-');
    let mut at = if text.get(start) == Some(&b'0') { start + 1 } else { some_digits_end(start)? };
    if text.get(at) == Some(&b'.') {
        at = some_digits_end(at + 1)?;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let has_sign = matches!(text.get(at + 1), Some(b'+' | b'-'));
        at = some_digits_end(at + 1 + usize::from(has_sign))?;
    }
    Some(at)
}
