//! Names made fit to be shown: no control characters, no invalid UTF-8, never too long.
//!
//! A shown name is for reading. One that was changed no longer opens the file by itself; the
//! tools find such a file again by comparing names as they are shown.

use std::borrow::Cow;

/// Characters of a path in a notice or an error; a longer one keeps both its ends.
pub const PATH_CHARS: usize = 200;

/// The character in the place of a byte or character that can't be shown.
pub const REPLACEMENT: char = '\u{FFFD}';

/// Returns a name or path as text: bytes that are not UTF-8 and control characters become U+FFFD.
///
/// ```
/// assert_eq!(cutline_core::text::show::name(b"a\nb\xff.txt"), "a\u{FFFD}b\u{FFFD}.txt");
/// ```
pub fn name(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        text if !text.contains(char::is_control) => text,
        text => Cow::Owned(text.chars().map(|c| if c.is_control() { REPLACEMENT } else { c }).collect()),
    }
}

/// Bytes of a path that are shown: three of them leave room for words in the 1 KB beside a body.
const PATH_BYTES: usize = 300;

/// Returns `text`, or both its ends around `…` if it has more than `max_chars` characters.
///
/// ```
/// assert_eq!(cutline_core::text::show::middle_out("abcdefghij", 5), "ab…ij");
/// ```
pub fn middle_out(text: &str, max_chars: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= max_chars {
        return Cow::Borrowed(text);
    }
    let kept = max_chars.saturating_sub(1);
    let (head, tail) = (kept - kept / 2, kept / 2);
    let end_of_head = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let start_of_tail = text.char_indices().nth(count - tail).map_or(text.len(), |(at, _)| at);
    Cow::Owned(format!("{}…{}", &text[..end_of_head], &text[start_of_tail..]))
}

/// Returns a path as notices and errors show it: without control characters, short in characters
/// and in bytes.
///
/// ```
/// let long = format!("src/{}/main.rs", "deep/".repeat(100));
/// let shown = cutline_core::text::show::path(&long);
/// assert!(shown.starts_with("src/") && shown.ends_with("/main.rs") && shown.chars().count() == 200);
/// ```
pub fn path(text: &str) -> String {
    let shown = middle_out(&name(text.as_bytes()), PATH_CHARS).into_owned();
    if shown.len() <= PATH_BYTES {
        return shown;
    }
    let room = (PATH_BYTES - '…'.len_utf8()) / 2;
    format!("{}…{}", super::prefix(&shown, room), super::suffix(&shown, room))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_is_short_in_bytes_too() {
        for text in ["日本語/".repeat(100), "😀".repeat(200), "é\n".repeat(500)] {
            let shown = path(&text);
            assert!(shown.len() <= PATH_BYTES && shown.contains('…'), "{} {shown}", shown.len());
            assert!(!shown.contains('\n'));
        }
        assert_eq!(path(&"x".repeat(200)), "x".repeat(200));
        assert_eq!(path("a\n\u{1b}[31m"), "a\u{FFFD}\u{FFFD}[31m");
    }

    proptest! {
        #[test]
        fn never_longer_and_keeps_both_ends(text in "\\PC{0,60}", max in 3_usize..40) {
            let shown = middle_out(&text, max);
            prop_assert!(shown.chars().count() <= max);
            if text.chars().count() > max {
                prop_assert_eq!(shown.chars().count(), max);
                prop_assert_eq!(shown.chars().next(), text.chars().next());
                prop_assert_eq!(shown.chars().last(), text.chars().last());
            } else {
                prop_assert_eq!(&shown, &text);
            }
        }
    }
}
