//! The size of a text as a JSON string.

/// Bytes of the longest escape of a byte: `\u001b`.
pub const ESCAPE_BYTES: u64 = 6;

/// Returns the number of bytes of `text` as a JSON string without its quotes, if only the characters are escaped that JSON
/// requires, as `JSON.stringify` does.
///
/// ```
/// assert_eq!(cutline_core::text::json_bytes("\"a\"\t\u{1b}[mé"), 4 + 1 + 2 + 6 + 2 + 2);
/// ```
pub fn json_bytes(text: &str) -> u64 {
    let escapes = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
        ..b' ' => ESCAPE_BYTES - 1,
        _ => 0,
    };
    text.len() as u64 + text.bytes().map(escapes).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_those_that_a_writer_of_json_makes(text in "[\u{0}-\u{7f}]{0,20}\\PC{0,20}[\u{7f}\u{2028}]?") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(json_bytes(&text), json.len() as u64 - 2);
        }
    }
}
