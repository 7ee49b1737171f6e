//! The template of a line: its text without numbers and paths.

#![expect(
    clippy::indexing_slicing,
    reason = "the bounds are positions of the same slice, and a table has all bytes"
)]

/// The kinds of bytes, as bits. Bytes of no kind separate words.
const LETTER: u8 = 1;
/// A letter of a hexadecimal number.
const HEX_LETTER: u8 = 2;
const DIGIT: u8 = 4;
const SLASH: u8 = 8;
/// Joins letters to one path or identifier.
const JOINER: u8 = 16;

static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'a'..=b'f' | b'A'..=b'F' | b'x' => HEX_LETTER,
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'/' => SLASH,
            b'.' | b'_' | b'-' | b'~' | b'@' | b'+' | b'%' => JOINER,
            _ => 0,
        };
        byte += 1;
    }
    kinds
}

/// Returns a hash of `line` with a placeholder for each number, hexadecimal number and path.
///
/// A word that is only `0` stays: `0 failed` is not `3 failed`. Equal items of a list count once: `[1, 2, 3]` is as
/// `[1, 2, 3, 4]`.
pub(crate) fn hash(line: &str) -> u64 {
    let bytes = line.trim_ascii().as_bytes();
    let with = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (mut hash, mut item, mut last_item, mut at) = (0, 0, 0, 0);
    while at < bytes.len() {
        let mut add = |word: u64| item = with(item, word);
        let (start, mut kinds, mut word, mut last) = (at, 0, 0, 0);
        while let Some(byte) = bytes.get(at) {
            let kind = KINDS[usize::from(*byte)];
            if kind == 0 {
                break;
            }
            // Several digits count as one.
            word = if kind & last & DIGIT != 0 {
                word
            } else {
                mix(word, if kind == DIGIT { b'#' } else { *byte })
            };
            (kinds, last) = (kinds | kind, kind);
            at += 1;
        }
        let text = &bytes[start..at];
        if kinds & SLASH != 0 && text.len() > 1 {
            add(u64::from(b'/'));
        } else if text == b"0" {
            add(u64::from(b'0'));
        } else if kinds & (DIGIT | HEX_LETTER) == DIGIT | HEX_LETTER {
            add(without_numbers(text));
        } else if !text.is_empty() {
            add(word);
        }
        // One separator. White space counts once.
        if let Some(byte) = bytes.get(at) {
            add(u64::from(*byte));
            at += 1;
            while *byte == b' ' && bytes.get(at) == Some(&b' ') {
                at += 1;
            }
            if *byte == b',' {
                hash = if item == last_item { hash } else { with(hash, item) };
                (item, last_item) = (0, item);
            }
        }
    }
    with(hash, item)
}

fn mix(word: u64, byte: u8) -> u64 {
    word.rotate_left(9) ^ u64::from(byte)
}

/// Returns a word of letters and digits with a placeholder for each number, in a form for the hash.
fn without_numbers(word: &[u8]) -> u64 {
    let is_part = |byte: &u8| KINDS[usize::from(*byte)] & (JOINER | SLASH) == 0;
    word.chunk_by(|one, other| is_part(one) == is_part(other)).fold(0, |hash, run| {
        let is_hexadecimal =
            run.starts_with(b"0x") || run.len() >= 6 && run.iter().all(u8::is_ascii_hexdigit);
        if is_hexadecimal && run.iter().any(u8::is_ascii_digit) {
            return mix(hash, b'#');
        }
        let numbers = run.chunk_by(|one, other| one.is_ascii_digit() && other.is_ascii_digit());
        numbers.fold(hash, |hash, part| mix(hash, if part[0].is_ascii_digit() { b'#' } else { part[0] }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_in_numbers_and_paths_have_one_template() {
        let same = [
            ("src/a.rs:1:2: error: no", "lib/b/c.rs:10:20: error: no"),
            ("took 15ms at 0xdeadbeef", "  took 2ms at 0x1f"),
            ("commit 1a2b3c4d5e", "commit ffffffff0"),
            ("test 7 (0.01 s)", "test 8 (1.50 s)"),
            ("sum([D('1'), D('1'), D('1')]) == 3", "sum([D('2'), D('2'), D('2'), D('2')]) == 8"),
        ];
        for (one, other) in same {
            assert_eq!(hash(one), hash(other), "{one}");
        }
        let different = [
            ("error: no a", "error: no b"),
            ("0 failed", "3 failed"),
            ("a: b", "a b"),
            ("f(a, b)", "f(a, c)"),
        ];
        for (one, other) in different {
            assert_ne!(hash(one), hash(other), "{one}");
        }
    }
}
