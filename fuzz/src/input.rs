//! Splits an input: settings from its first bytes, parts and pieces from the rest.

/// The line between two parts of an input.
const BETWEEN: &[u8] = b"\n--\n";

/// Returns the first byte, or 0 without one, and the rest.
pub(crate) fn setting(bytes: &[u8]) -> (u8, &[u8]) {
    bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest))
}

/// Returns the bytes before and after a line `--`.
pub(crate) fn parts(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.windows(BETWEEN.len()).position(|window| window == BETWEEN);
    at.map_or((bytes, &[]), |at| (&bytes[..at], &bytes[at + BETWEEN.len()..]))
}

/// Splits `bytes` into pieces with two alternating lengths, 0 to 15 and 1 to 16 bytes.
pub(crate) fn pieces(bytes: &[u8], lengths: u8) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for length in turns(lengths) {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Splits text like [`pieces`], but only between characters.
pub(crate) fn pieces_of_text(text: &str, lengths: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    for length in turns(lengths) {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(length));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn turns(lengths: u8) -> impl Iterator<Item = usize> {
    [usize::from(lengths >> 4), usize::from(lengths & 15) + 1].into_iter().cycle()
}
