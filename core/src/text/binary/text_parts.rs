//! The text in a binary output.

use super::{PDF, has_signature, is_control_char};
use crate::text::show::REPLACEMENT;

/// Maximum bytes of an output that is shown as text if most of it is ASCII.
const SHORT_BYTES: usize = 4096;

/// Returns a binary output with U+FFFD for its control characters, if it is short, has no signature, and above two
/// thirds of it is ASCII, as are lines of a database after `grep -a`. There, a backspace or an escape is a number.
pub fn mostly_text(output: &[u8]) -> Option<String> {
    let ascii = output.iter().filter(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()).count();
    let is_text = output.len() < SHORT_BYTES && ascii * 3 > output.len() * 2 && !has_signature(output);
    let is_shown = |c: char| !c.is_control() || matches!(c, '\t' | '\n');
    let text = String::from_utf8_lossy(output);
    is_text.then(|| text.chars().map(|c| if is_shown(c) { c } else { REPLACEMENT }).collect())
}

/// Returns the text at both ends of a binary output, which programs printed before and after the binary data: complete
/// lines of `start`, which has the first bytes, and of `end`, which has the last ones. The first line of the second
/// text can follow the data directly. A PDF has lines of its own there, so none of them are text.
///
/// ```
/// use cutline_core::text::binary::text_at_ends;
/// let output = b"a text\n\x1f\x8b\x08\0done\n";
/// assert_eq!(text_at_ends(output, output), ("a text\n", "done\n"));
/// ```
pub fn text_at_ends<'a>(start: &'a [u8], end: &'a [u8]) -> (&'a str, &'a str) {
    if start.starts_with(PDF) {
        return ("", "");
    }
    let first = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let first = first.split(is_control_char).next().unwrap_or_default();
    let first = first.rfind('\n').map_or("", |at| &first[..=at]);
    let rest = end.utf8_chunks().last().filter(|chunk| chunk.invalid().is_empty());
    let rest = rest.and_then(|chunk| chunk.valid().rsplit(is_control_char).next()).unwrap_or_default();
    let is_in_line = rest.len() == end.len();
    let rest = rest.split_at(if is_in_line { rest.find('\n').map_or(rest.len(), |at| at + 1) } else { 0 }).1;
    // A newline, and a character before it, are common in binary data.
    let or_none = |text: &'a str| if text.trim().len() > 1 { text } else { "" };
    (or_none(first), if rest.ends_with('\n') { or_none(rest) } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_at_the_ends_of_an_output() {
        let cases: [(&[u8], (&str, &str)); 9] = [
            (b"ab\nb\0c\0\xc3\xa9d\n", ("ab\n", "\u{e9}d\n")),
            (b"ab\nb \xff cd\n", ("ab\n", " cd\n")),
            (b"\0\0\0", ("", "")),
            (b"\na\n\0a\n", ("", "")), // by chance
            (b"\0ab", ("", "")),
            (b"\0ab\n\xff", ("", "")),
            (b"\0ab\n\xe2\x82", ("", "")),
            (b"%PDF-1.4\n\0\n%%EOF\n", ("", "")),
            (b"\x1b[1ma\x1b[0m\n\x01", ("\x1b[1ma\x1b[0m\n", "")),
        ];
        for (output, expected) in cases {
            assert_eq!(text_at_ends(output, output), expected, "{output:?}");
        }
        assert_eq!(text_at_ends(b"ab\nb", b"a line\nend\n"), ("ab\n", "end\n"));
    }
}
