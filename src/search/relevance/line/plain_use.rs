//! A quick look at what is beside a name: most lines of a search only use it, and show that by a byte or two.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use super::super::table::{self, Language};
use super::words::{first_word, is_name_byte, last_word};

/// True only if the name between `before` and `after` has no more points than those of a use, whatever the rest of
/// the line says: what defines, declares or assigns a name begins and goes on with other bytes.
pub(super) fn is_plain_use(before: &[u8], after: &[u8], language: Language) -> bool {
    let next = after.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(next, Some(b'=' | b':' | b'?' | b'+' | b'|' | b'<' | b'"' | b'\''))
        || language == Language::Semicolon
    {
        return false;
    }
    let text = before.trim_ascii();
    let is_apart = before.last().is_none_or(u8::is_ascii_whitespace);
    let Some(&last) = text.last() else {
        return next.is_none_or(|&byte| byte != b'(' && (language != Language::Go || !is_name_byte(byte)));
    };
    if matches!(text[0], b'#' | b'}') || text.starts_with(b"/*") || text.starts_with(b"typedef") {
        return false;
    }
    let rest = &text[..text.len() - 1];
    match last {
        b'=' | b',' | b'+' | b'-' | b'|' | b'/' | b'%' | b';' | b'{' | b'[' | b'<' | b'\\' => {
            is_apart || last != b'%'
        }
        // `function(NAME` of CMake, `DEFINE_THING(NAME` of C.
        b'(' if !is_apart || next != Some(&b'(') => {
            let word = last_word(rest);
            !matches!(word, b"function" | b"macro") && (word.len() < rest.len() || !word.contains(&b'D'))
        }
        b'.' if !is_apart => {
            table::roles(first_word(text)) & (table::DEFINES | table::MODIFIES | table::HOLDS) == 0
        }
        b'!' | b')' | b'>' | b'@' => !is_apart,
        b'*' | b'&' | b'"' | b'\'' | b'`' if !is_apart => {
            let before_mark = rest.trim_ascii_end().last();
            next != Some(&b'(')
                && matches!(
                    before_mark,
                    Some(b'=' | b',' | b'+' | b'-' | b'|' | b';' | b'{' | b'[' | b'<' | b'(')
                )
        }
        byte if is_apart && is_name_byte(byte) => {
            let word = last_word(text);
            table::roles(word) == table::STATEMENT && word != b"for"
        }
        _ => false,
    }
}
