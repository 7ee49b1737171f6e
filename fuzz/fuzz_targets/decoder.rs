//! Any bytes in any pieces decode as the whole does.
#![no_main]

use cutline::text::decode::{Decoder, Encoding};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (step, bytes) = input;
    let (encoding, mark) = Encoding::of(&bytes);
    let body = bytes.get(mark..).unwrap_or_default();
    let whole = decoded(encoding, body, body.len().max(1));
    assert_eq!(decoded(encoding, body, usize::from(step) + 1), whole);
    if encoding == Encoding::Utf8 {
        assert_eq!(whole, String::from_utf8_lossy(body));
    }
});

fn decoded(encoding: Encoding, bytes: &[u8], step: usize) -> String {
    let mut text = String::new();
    let mut sink = |part: &str| text.push_str(part);
    let mut decoder = Decoder::new(encoding);
    bytes.chunks(step).for_each(|piece| decoder.push(piece, &mut sink));
    decoder.finish(&mut sink);
    text
}
