//! The decoder: the text of any bytes in any encoding does not depend on the pieces.
//!
//! Two bytes are settings: the encoding, the lengths of the pieces.

use cutline_core::text::decode::{Decoder, Encoding};

use crate::input::{pieces, setting};

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let (encoding, rest) = setting(bytes);
    let (lengths, text) = setting(rest);
    let (encoding, (expected, lossy)) = match encoding % 3 {
        0 => (Encoding::Utf8, (String::from_utf8_lossy(text).into_owned(), str::from_utf8(text).is_err())),
        1 => (Encoding::Utf16Le, utf16(text, u16::from_le_bytes)),
        _ => (Encoding::Utf16Be, utf16(text, u16::from_be_bytes)),
    };
    assert_eq!(decoded(encoding, &[text]), (expected.clone(), lossy), "in one piece");
    assert_eq!(decoded(encoding, &pieces(text, lengths)), (expected, lossy), "in pieces");
}

/// Returns the decoded text, and true if bytes were replaced.
fn decoded(encoding: Encoding, pieces: &[&[u8]]) -> (String, bool) {
    let mut text = String::new();
    let mut sink = |part: &str| text.push_str(part);
    let mut decoder = Decoder::new(encoding);
    pieces.iter().for_each(|piece| decoder.push(piece, &mut sink));
    decoder.finish(&mut sink);
    (text, decoder.lossy())
}

/// Decodes by the definition. A surrogate without its pair is replaced. A last byte without its second byte is replaced,
/// together with a surrogate before it.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (String, bool) {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    if !odd.is_empty() && !matches!(units.last(), Some(0xD800..0xDC00)) {
        units.push(0xDC00);
    }
    let strict = String::from_utf16(&units);
    let lossy = strict.is_err();
    (strict.unwrap_or_else(|_| String::from_utf16_lossy(&units)), lossy)
}
