//! JSON strings: the encoded bytes of each character, and the decoded text.

use std::borrow::Cow;

/// Bytes of `\uXXXX`.
const UNICODE_ESCAPE_BYTES: usize = 6;

/// Returns the number of bytes of each character of `body`, the inside of a valid string. A character is a Unicode
/// scalar or its escape; a surrogate pair is one character.
fn characters(body: &str) -> impl Iterator<Item = usize> {
    let body = body.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = match body.get(at)? {
            b'\\' => escape_bytes(body, at),
            0..0x80 => 1,
            0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
        };
        at += bytes;
        Some(bytes)
    })
}

/// Returns the number of bytes of the escape at `at`.
fn escape_bytes(body: &[u8], at: usize) -> usize {
    if body[at + 1] != b'u' {
        return 2;
    }
    let is_pair = is_surrogate(body, at, b"89ab") && is_surrogate(body, at + UNICODE_ESCAPE_BYTES, b"cdef");
    if is_pair { 2 * UNICODE_ESCAPE_BYTES } else { UNICODE_ESCAPE_BYTES }
}

/// Returns true if the text at `at` is `\uDXXX` with one of `third` as its second digit.
fn is_surrogate(body: &[u8], at: usize, third: &[u8]) -> bool {
    body.get(at..at + 4).is_some_and(|escape| {
        escape.starts_with(b"\\u")
            && escape[2].eq_ignore_ascii_case(&b'd')
            && third.contains(&escape[3].to_ascii_lowercase())
    })
}

/// Returns the number of characters of `body`.
pub(super) fn count(body: &str) -> u64 {
    let (mut count, mut at) = (0, 0);
    while let Some(run) = memchr::memchr(b'\\', &body.as_bytes()[at..]) {
        count += body[at..at + run].chars().count() + 1;
        at += run + escape_bytes(body.as_bytes(), at + run);
    }
    (count + body[at..].chars().count()) as u64
}

/// Returns the maximum number of leading characters of `body` that take at most `room` bytes.
pub(super) fn fitting(body: &str, room: usize) -> u64 {
    let mut used = 0;
    let fits = |bytes: &usize| {
        used += bytes;
        used <= room
    };
    characters(body).take_while(fits).count() as u64
}

/// Returns the number of bytes of the first `count` characters of `body`.
pub(super) fn bytes_of(body: &str, count: u64) -> usize {
    characters(body).take(usize::try_from(count).unwrap_or(usize::MAX)).sum()
}

/// Returns the decoded text of a valid string, or `None` for another value. Half of a surrogate pair becomes U+FFFD.
pub(in crate::wrap) fn unescaped(raw: &str) -> Option<Cow<'_, str>> {
    let body = raw.strip_prefix('"')?.strip_suffix('"')?;
    let bytes = body.as_bytes();
    let Some(mut escape) = memchr::memchr(b'\\', bytes) else { return Some(Cow::Borrowed(body)) };
    let (mut text, mut at) = (String::with_capacity(body.len()), 0);
    loop {
        text.push_str(&body[at..escape]);
        at = escape + escape_bytes(bytes, escape);
        text.push(match bytes[escape + 1] {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => scalar(&body[escape..at]),
            itself => char::from(itself),
        });
        match memchr::memchr(b'\\', &bytes[at..]) {
            Some(run) => escape = at + run,
            None => break,
        }
    }
    text.push_str(&body[at..]);
    Some(Cow::Owned(text))
}

/// Returns the character of one `\uXXXX`, or of two that form a pair.
fn scalar(escape: &str) -> char {
    let unit = |at: usize| escape.get(at..at + 4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let units = [unit(2), unit(2 + UNICODE_ESCAPE_BYTES)];
    let decoded = char::decode_utf16(units.into_iter().flatten()).next();
    decoded.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
}
