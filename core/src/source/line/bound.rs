//! A quick look at what is beside a name: most lines of a search only use or assign it, and show that by a byte or
//! two.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use super::super::table::{self, Language, kind};
use super::words::{first_word, is_name_byte, last_word};

/// Returns the most points that the name between `before` and `after` may have, as far as the bytes beside it tell.
pub(super) fn most_points(before: &[u8], after: &[u8], language: Language) -> i32 {
    let after = after.trim_ascii_start();
    let of_value = match after {
        [b'=' | b':', value @ ..] => {
            let value = value.trim_ascii_start();
            let may_be_more = matches!(value.first(), Some(b':' | b'=')) || {
                let word = first_word(value);
                word == b"lambda" || table::roles(word) != 0
            };
            Some(kind::ASSIGNS).filter(|_| language != Language::Script && !may_be_more)
        }
        [b'?' | b'+' | b'|' | b'<' | b'"' | b'\'', ..] => None,
        _ => Some(kind::USES),
    };
    let of_value = of_value.filter(|_| language != Language::Semicolon);
    of_value.filter(|_| nothing_defines(before, after.first(), language)).unwrap_or(i32::MAX)
}

/// True only if what is before a name neither defines nor declares it, with `next` after it.
fn nothing_defines(before: &[u8], next: Option<&u8>, language: Language) -> bool {
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
