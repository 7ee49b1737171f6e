//! Finds lines outside of definitions by their form, so that the scan can begin there.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use super::Syntax;
use super::scan::indentation;

/// Returns the start of the last line in the first `shown` bytes that is outside of strings, comments and bodies of functions,
/// judged by its form. Such a line is not indented. It has only closing brackets or `end`, or begins as only a definition does.
pub(super) fn top_level(text: &[u8], shown: usize, syntax: Syntax) -> usize {
    let starts_with = |line: &[u8], marks: &[&[u8]]| marks.iter().any(|mark| line.starts_with(mark));
    let is_mark = |newline: &usize| {
        let line = &text[newline + 1..];
        match (syntax, line.first()) {
            (_, Some(b'}' | b']')) => {
                let end = line.iter().find(|byte| !b"}]);, ".contains(byte));
                matches!(end, Some(b'\n' | b'\r')) && !ends_template(&line[1..])
            }
            (Syntax::Ruby, Some(b'e')) => starts_with(line, &[b"end\n", b"end\r"]),
            (Syntax::Rust, Some(b'p')) => line.starts_with(b"pub "),
            (Syntax::Python, Some(b'a' | b'c' | b'd')) => {
                // A line of a long string can begin like that, but not after two blank lines.
                let is_apart = text[..*newline].ends_with(b"\n\n");
                is_apart && starts_with(line, &[b"class ", b"def ", b"async def "])
            }
            (Syntax::C | Syntax::Cpp | Syntax::Java, Some(b' ' | b'\t')) => {
                let (_, code) = indentation(line, 0);
                starts_with(&line[code..], &[b"/**", b"template"])
            }
            _ => false,
        }
    };
    let newlines = memchr::memrchr_iter(b'\n', &text[..shown.min(text.len())]);
    newlines.filter(|newline| newline + 1 < text.len()).find(is_mark).map_or(0, |newline| newline + 1)
}

/// Returns true if `text` begins in a template of JavaScript, or a raw string of Go, that ends in its first line or at the
/// start of the next one with text.
pub(super) fn ends_template(text: &[u8]) -> bool {
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    memchr::memchr_iter(b'`', line).count() % 2 == 1 || text.trim_ascii_start().starts_with(b"`")
}
