//! The characters of a JSON string, each with its own bytes.

#![expect(clippy::indexing_slicing, reason = "offsets come from a valid text: a wrong one must fail")]

/// Bytes of `\uXXXX`.
const UNICODE_ESCAPE_BYTES: usize = 6;

/// Bytes of each character of `body`, the inside of a valid string: a Unicode scalar as itself or as
/// its escape; both halves of a surrogate pair are one.
pub(super) fn characters(body: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = match body.get(at)? {
            b'\\' if body[at + 1] == b'u' => {
                let next = at + UNICODE_ESCAPE_BYTES;
                let is_pair = is_surrogate(body, at, b"89ab") && is_surrogate(body, next, b"cdef");
                if is_pair { 2 * UNICODE_ESCAPE_BYTES } else { UNICODE_ESCAPE_BYTES }
            }
            0..0x80 if body[at] != b'\\' => 1,
            0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
        };
        at += bytes;
        Some(bytes)
    })
}

/// True if `\uDXXX` stands at `at`, with one of `third` as its second digit.
fn is_surrogate(body: &[u8], at: usize, third: &[u8]) -> bool {
    body.get(at..at + 4).is_some_and(|escape| {
        escape.starts_with(b"\\u")
            && escape[2].eq_ignore_ascii_case(&b'd')
            && third.contains(&escape[3].to_ascii_lowercase())
    })
}

/// The most characters from the start of `body` that take no more than `room` bytes.
pub(super) fn fitting(body: &[u8], room: usize) -> u64 {
    let mut used = 0;
    let fits = |bytes: &usize| {
        used += bytes;
        used <= room
    };
    characters(body).take_while(fits).count() as u64
}

/// Bytes of the first `count` characters of `body`.
pub(super) fn bytes_of(body: &[u8], count: u64) -> usize {
    characters(body).take(usize::try_from(count).unwrap_or(usize::MAX)).sum()
}
