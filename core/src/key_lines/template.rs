//! The template of a line: its text without numbers and paths.

#![expect(clippy::indexing_slicing, reason = "the bounds are positions of the same slice")]

/// Returns a hash of `line` with a placeholder for each number, hexadecimal number and path.
///
/// A word that is only `0` stays: `0 failed` is not `3 failed`.
pub(super) fn hash(line: &str) -> u64 {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let mut rest = line.trim().as_bytes();
    while let [first, after @ ..] = rest {
        if is_part_of_path(*first) {
            let end = rest.iter().position(|byte| !is_part_of_path(*byte)).unwrap_or(rest.len());
            hash_word(&rest[..end], &mut hash);
            rest = &rest[end..];
        } else {
            hash.byte(*first);
            rest = if first.is_ascii_whitespace() { after.trim_ascii_start() } else { after };
        }
    }
    hash.0
}

/// FNV-1a.
struct Hash(u64);

impl Hash {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
}

fn is_part_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~' | b'@' | b'+' | b'%')
}

/// Adds a word without white space and punctuation: a path as one byte, and others without their numbers.
fn hash_word(word: &[u8], hash: &mut Hash) {
    if word.len() > 1 && memchr::memchr(b'/', word).is_some() {
        return hash.byte(b'/');
    }
    if word == b"0" {
        return hash.byte(b'0');
    }
    let mut rest = word;
    while let [first, after @ ..] = rest {
        if first.is_ascii_alphanumeric() {
            let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
            hash_run(&rest[..end], hash);
            rest = &rest[end..];
        } else {
            hash.byte(*first);
            rest = after;
        }
    }
}

/// Adds a run of letters and digits.
fn hash_run(run: &[u8], hash: &mut Hash) {
    let has_digit = run.iter().any(u8::is_ascii_digit);
    let is_hexadecimal = || run.starts_with(b"0x") || run.len() >= 6 && run.iter().all(u8::is_ascii_hexdigit);
    if has_digit && is_hexadecimal() {
        return hash.byte(b'#');
    }
    let mut is_in_number = false;
    for byte in run {
        let is_digit = byte.is_ascii_digit();
        if !is_digit || !is_in_number {
            hash.byte(if is_digit { b'#' } else { *byte });
        }
        is_in_number = is_digit;
    }
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
        ];
        for (one, other) in same {
            assert_eq!(hash(one), hash(other), "{one}");
        }
        let different = [("error: no a", "error: no b"), ("0 failed", "3 failed"), ("a: b", "a b")];
        for (one, other) in different {
            assert_ne!(hash(one), hash(other), "{one}");
        }
    }
}
