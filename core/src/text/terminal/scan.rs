//! Finding the first character that is not plain, at memory speed, and what most often comes there.

/// Bytes that are looked at together.
const BLOCK: usize = 64;
/// Bytes that are looked at one by one first.
const NEAR: usize = 12;
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

/// What often stands between plain text, and needs no parser.
pub(super) struct Known<'a> {
    /// What is shown of it.
    pub(super) shown: &'static str,
    /// What comes after it.
    pub(super) rest: &'a str,
}

/// A colour, which is not shown, or a newline as other systems have it, with which `text` begins.
pub(super) fn known(text: &str) -> Option<Known<'_>> {
    if let Some(rest) = text.strip_prefix("\r\n") {
        return Some(Known { shown: "\n", rest });
    }
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.bytes().position(|byte| !matches!(byte, b'0'..=b';'))?;
    let rest = parameters.get(end..)?.strip_prefix('m')?;
    Some(Known { shown: "", rest })
}

/// Where the first byte is that may begin a control character.
fn first_suspect(bytes: &[u8]) -> Option<usize> {
    // Between colours there are often a few bytes only.
    let near = bytes.get(..NEAR.min(bytes.len())).unwrap_or_default();
    if let Some(at) = near.iter().position(|byte| is_suspect(*byte)) {
        return Some(at);
    }
    far_suspect(bytes.get(near.len()..)?).map(|at| near.len() + at)
}

fn far_suspect(bytes: &[u8]) -> Option<usize> {
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
