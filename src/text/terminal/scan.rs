//! Finding the first character that is not plain, at memory speed.

/// Bytes that are looked at together.
const BLOCK: usize = 64;
/// The first byte of U+0080 to U+009F, and of other characters.
const C1_LEAD: u8 = 0xC2;

/// How many bytes of `text` come before the first control character other than `\n` and `\t`.
pub(super) fn plain(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(first_suspect) {
        at += found;
        let c1 = bytes.get(at) == Some(&C1_LEAD);
        match bytes.get(at + 1) {
            Some(0xA0..) if c1 => at += 2,
            _ => return at,
        }
    }
    bytes.len()
}

/// Where the first byte is that may begin a control character.
fn first_suspect(bytes: &[u8]) -> Option<usize> {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    // No way out of a block in the middle: so the compiler looks at many bytes at once.
    let has_suspect = |block: &[u8; BLOCK]| block.iter().fold(false, |any, byte| any | is_suspect(*byte));
    if let Some(nth) = blocks.iter().position(has_suspect) {
        let from = nth * BLOCK;
        return bytes.get(from..)?.iter().position(|byte| is_suspect(*byte)).map(|at| from + at);
    }
    let from = bytes.len() - rest.len();
    rest.iter().position(|byte| is_suspect(*byte)).map(|at| from + at)
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch for each byte would keep it from looking at many at once"
)]
fn is_suspect(byte: u8) -> bool {
    let control = (byte < 0x20) & (byte != b'\n') & (byte != b'\t');
    control | (byte == 0x7F) | (byte == C1_LEAD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_stops_at_the_first_control_character(text in "[aé°\u{9b}\u{7f}\r\n\t]{0,20}[a-z°\n]{0,150}[\u{1b}b]{0,3}") {
            let first = text.find(|c: char| c.is_control() && c != '\n' && c != '\t');
            prop_assert_eq!(plain(&text), first.unwrap_or(text.len()));
        }
    }
}
