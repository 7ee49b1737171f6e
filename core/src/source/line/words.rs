//! Splits a line into words and brackets.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the line that they were found in")]

use super::super::table::{Language, roles};

/// Maximum number of words before a name that are examined.
const WORDS_BEFORE: usize = 12;
/// Number of words at the start of a line that make it a sentence.
const SENTENCE_WORDS: usize = 3;

/// True for each byte that a name can contain.
static NAME_BYTES: [bool; 256] = {
    let mut is_name = [false; 256];
    let mut byte = u8::MAX;
    loop {
        is_name[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        if byte == 0 {
            break is_name;
        }
        byte -= 1;
    }
};

/// Returns true for a byte of a name. All bytes beyond ASCII count.
pub fn is_name_byte(byte: u8) -> bool {
    NAME_BYTES[usize::from(byte)]
}

pub(super) fn name_start(line: &[u8], at: usize) -> usize {
    line[..at].iter().rposition(|&byte| !is_name_byte(byte)).map_or(0, |before| before + 1)
}

pub(super) fn name_end(line: &[u8], at: usize) -> usize {
    line[at..].iter().position(|&byte| !is_name_byte(byte)).map_or(line.len(), |len| at + len)
}

/// True if `text` consists of words that `is_word` accepts, with brackets, attributes and, in a type, `*` and `&`.
pub(super) fn words_are(text: &[u8], mut is_word: impl FnMut(&[u8]) -> bool, in_type: bool) -> bool {
    let mut rest = text;
    for _ in 0..WORDS_BEFORE {
        rest = rest.trim_ascii_start();
        let Some(&first) = rest.first() else { return true };
        match first {
            b'@' | b'#' => {
                rest = &rest[1..];
                let word = first_word(rest);
                rest = &rest[word.len()..];
                if rest.starts_with(b"(") || rest.starts_with(b"[") || rest.starts_with(b"![") {
                    rest = skip_brackets(rest.strip_prefix(b"!").unwrap_or(rest));
                }
            }
            b'<' | b'[' if closes(rest) => rest = skip_brackets(rest),
            b'*' | b'&' | b'~' | b'?' | b'^' if in_type => rest = &rest[1..],
            b':' if in_type && rest.starts_with(b"::") => rest = &rest[2..],
            b'(' if !in_type => rest = skip_brackets(rest),
            // `extern "C" fn`, `'use strict'` before nothing.
            b'"' => {
                let Some(end) = memchr::memchr(b'"', &rest[1..]) else { return false };
                rest = &rest[end + 2..];
            }
            byte if is_name_byte(byte) => {
                let word = first_word(rest);
                if !is_word(word) {
                    return false;
                }
                rest = &rest[word.len()..];
                // `__attribute__((…))`, `pub(crate)`, `LIB_API(type)`; `java.util.List`.
                let takes_brackets = word.starts_with(b"__")
                    || matches!(word, b"alignas" | b"pub" | b"extern")
                    || in_type && word.len() > 2 && !word.iter().any(u8::is_ascii_lowercase);
                if takes_brackets && rest.starts_with(b"(") && closes(rest) {
                    rest = skip_brackets(rest);
                }
                if in_type && rest.starts_with(b".") {
                    rest = &rest[1..];
                }
            }
            _ => return false,
        }
    }
    false
}

/// True if a text begins with words that contain only letters and are not keywords.
pub(super) fn begins_as_sentence(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).take(SENTENCE_WORDS);
    let is_plain = |word: &[u8]| {
        !word.is_empty()
            && word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'\'')
            && roles(word) == 0
    };
    words.clone().count() == SENTENCE_WORDS && words.all(is_plain)
}

/// Returns the word at the start of a text, or an empty text.
pub(crate) fn first_word(text: &[u8]) -> &[u8] {
    &text[..name_end(text, 0)]
}

/// Returns the word at the end of a text, or an empty text.
pub(crate) fn last_word(text: &[u8]) -> &[u8] {
    &text[name_start(text, text.len())..]
}

pub(super) fn has_word(text: &[u8], wanted: &[u8]) -> bool {
    text.split(|&byte| !is_name_byte(byte)).any(|word| word == wanted)
}

/// Returns the text after the brackets at the start of `text`, or an empty text if the closing bracket is missing.
pub(crate) fn skip_brackets(text: &[u8]) -> &[u8] {
    let mut depth = 0_usize;
    let is_angle = text.first() == Some(&b'<');
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'<' | b'>' if !is_angle => {}
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            // The `>` of `=>` and `->` is not a bracket.
            b'>' if matches!(text[at - 1], b'=' | b'-') => {}
            b')' | b']' | b'}' | b'>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return &text[at + 1..];
                }
            }
            _ => {}
        }
    }
    &[]
}

/// True if `text` closes the bracket with which it begins.
pub(super) fn closes(text: &[u8]) -> bool {
    let rest = skip_brackets(text);
    !rest.is_empty() || matches!(text.last(), Some(b')' | b']' | b'}' | b'>'))
}

/// Returns the text before a comment that ends the line.
pub(super) fn without_comment(text: &[u8], language: Language) -> &[u8] {
    let mark: &[u8] = match language {
        Language::Python | Language::Hash => b" #",
        Language::Dash => b" --",
        Language::Semicolon => b" ;",
        _ => b" //",
    };
    let text = memchr::memmem::find(text, mark).map_or(text, |at| &text[..at]);
    match (language, memchr::memmem::find(text, b"/*")) {
        (Language::C | Language::Java | Language::Script | Language::Go, Some(at)) => &text[..at],
        _ => text,
    }
}

/// Returns the text after a complete comment at its start: `/* package */ static`.
pub(super) fn without_first_comment(text: &[u8], language: Language) -> &[u8] {
    let rest = text.strip_prefix(b"/*").filter(|_| !language.has_hash_comments());
    let end = rest.and_then(|rest| memchr::memmem::find(rest, b"*/").map(|at| &rest[at + 2..]));
    end.map_or(text, <[u8]>::trim_ascii_start)
}
