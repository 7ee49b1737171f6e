//! Finds the first character that is not plain, at memory speed, and resolves the most common ones.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

/// Bytes that are examined together.
const BLOCK: usize = 64;
/// Bytes that are examined one by one first.
const NEAR: usize = 12;
/// The first byte of U+0080 to U+009F, and of other characters.
const C1_LEAD: u8 = 0xC2;

/// Returns the number of bytes of `text` before the first control character other than `\n` and `\t`.
pub(super) fn plain(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = first_suspect(&bytes[at..]) {
        at += found;
        let c1 = bytes[at] == C1_LEAD;
        match bytes.get(at + 1) {
            Some(0xA0..) if c1 => at += 2,
            _ => return at,
        }
    }
    bytes.len()
}

/// Resolves a colour or `\r\n` at the start of `text`: these are common and need no parser. Returns the text that is shown,
/// which is empty for a colour, and the rest. Returns `None` if `text` begins with something else.
pub(super) fn known(text: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = text.strip_prefix("\r\n") {
        return Some(("\n", rest));
    }
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.bytes().position(|byte| !matches!(byte, b'0'..=b';'))?;
    Some(("", parameters[end..].strip_prefix('m')?))
}

/// Returns the index of the first byte that may begin a control character.
fn first_suspect(bytes: &[u8]) -> Option<usize> {
    let suspect = |bytes: &[u8]| bytes.iter().position(|byte| is_suspect(*byte));
    // Often there are only a few bytes between colours.
    let (near, far) = bytes.split_at(NEAR.min(bytes.len()));
    suspect(near).or_else(|| {
        let (blocks, rest) = far.as_chunks::<BLOCK>();
        // There is no early exit within a block, so that the compiler can vectorise the loop.
        let has_suspect = |block: &[u8; BLOCK]| block.iter().fold(false, |any, byte| any | is_suspect(*byte));
        let from = blocks.iter().position(has_suspect).map_or(far.len() - rest.len(), |nth| nth * BLOCK);
        suspect(&far[from..]).map(|at| near.len() + from + at)
    })
}

#[expect(clippy::needless_bitwise_bool, reason = "a branch for each byte would prevent vectorisation")]
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
