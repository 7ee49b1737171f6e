//! Locations in files, as they are in messages: `src/a.rs:10:5: `, `a.c(10): `, `File "a.py", line 3`, `--> a.rs:1:2`.

#![expect(clippy::indexing_slicing, reason = "the bounds are positions of the same text")]

use super::edges::{after_number, is_start};
use crate::text::NEWLINE;

/// The most letters and digits after the dot of a file's name.
const EXTENSION_BYTES: usize = 5;
/// Bytes that are compared at once.
const BLOCK_BYTES: usize = 64;

/// The location with which a message begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Location<'a> {
    /// True if the line begins with it.
    pub(super) is_first: bool,
    /// True if it has a line and a column.
    pub(super) has_column: bool,
    /// The text after it.
    pub(super) after: &'a str,
}

/// Returns the offset of the next mark from `from`: `:` or `(` between the name of a file and a number, or `! ` at the start
/// of a line.
pub(super) fn find(bytes: &[u8], from: usize) -> Option<usize> {
    if from == 0 && bytes.starts_with(b"! ") {
        return Some(0);
    }
    let is_mark_at = |at: &usize| {
        is_mark(bytes[at - 1], bytes[*at], bytes[at + 1])
            && (bytes[*at] == b'!' || has_extension(&bytes[..*at]))
    };
    let mut at = from.max(1);
    // Without an early exit, the compiler compares many bytes at a time.
    while let Some(block) = bytes[at - 1..].first_chunk::<{ BLOCK_BYTES + 2 }>() {
        let marks = (0..BLOCK_BYTES).map(|n| is_mark(block[n], block[n + 1], block[n + 2]));
        if marks.fold(false, |is_any, is_mark| is_any | is_mark)
            && let Some(found) = memchr::memchr3_iter(b':', b'(', b'!', &block[1..=BLOCK_BYTES])
                .map(|found| at + found)
                .find(is_mark_at)
        {
            return Some(found);
        }
        at += BLOCK_BYTES;
    }
    (at..bytes.len().saturating_sub(1)).find(is_mark_at)
}

/// True for `:` or `(` between a letter and a digit, and for `! ` after a newline.
#[expect(clippy::needless_bitwise_bool, reason = "without branches, many bytes are compared at a time")]
fn is_mark(before: u8, byte: u8, after: u8) -> bool {
    let is_colon = (byte == b':') | (byte == b'(');
    let is_start = (before == NEWLINE) & (byte == b'!') & (after == b' ');
    before.is_ascii_alphabetic() & is_colon & after.is_ascii_digit() | is_start
}

/// True if `name` ends with a dot and the letters and digits of an extension.
fn has_extension(name: &[u8]) -> bool {
    let last = &name[name.len().saturating_sub(EXTENSION_BYTES + 2)..];
    let Some(dot) = memchr::memrchr(b'.', last) else { return false };
    let extension = &last[dot + 1..];
    dot > 0
        && (1..=EXTENSION_BYTES).contains(&extension.len())
        && extension.iter().all(u8::is_ascii_alphanumeric)
        && extension.iter().any(u8::is_ascii_alphabetic)
}

/// Returns the location with which the message of `line` begins.
pub(super) fn of(line: &str) -> Option<Location<'_>> {
    let mut from = 0;
    while let Some(colon) = find(line.as_bytes(), from) {
        let location = if line[colon..].starts_with('!') { None } else { at(line, colon) };
        if location.is_some() {
            return location;
        }
        from = colon + 1;
    }
    None
}

/// Returns the location with a line number after `colon`.
fn at(line: &str, colon: usize) -> Option<Location<'_>> {
    let ends_name = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '=' | ',' | ';' | '{' | '(' | '[' | '|')
    };
    let before = &line[..colon];
    let start =
        before.rfind(ends_name).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let name = &before[start..];
    let file = name.rsplit(['/', '\\']).next()?;
    let (stem, _extension) = file.rsplit_once('.')?;
    let number = &line[colon + 1..];
    let after_line = number.trim_start_matches(|c: char| c.is_ascii_digit());
    // In parentheses, as in `a.cs(5,13): `, and not the arguments of a call, as in `t.test(1:10, 2)`.
    let is_in_parentheses = line[colon..].starts_with('(');
    let separators: &[char] = if is_in_parentheses { &[','] } else { &[':', ',', '.'] };
    let column =
        after_line.strip_prefix(separators).filter(|column| column.starts_with(|c: char| c.is_ascii_digit()));
    let after = column
        .map_or(after_line, |column| column.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-'));
    let ends: &[char] = if is_in_parentheses { &[')'] } else { &[':', ')', ' ', ',', '\\', '"'] };
    let has_end = after.starts_with(ends) || after.is_empty() && !is_in_parentheses;
    let is_location = has_end && stem.contains(|c: char| c.is_ascii_alphabetic()) && is_start(&line[..start]);
    is_location.then_some(Location { is_first: start == 0, has_column: column.is_some(), after })
}

/// True if a line only names the location of the message before it.
pub(super) fn is_only_location(line: &str) -> bool {
    let start = line.trim_start_matches([' ', '\t', '|', '│', '#', '╭', '─', '┌', '[', '→']);
    let is_bare =
        || of(start).is_some_and(|location| location.after.trim_end_matches([')', ':', ']', ',']).is_empty());
    is_arrow(line)
        || ["at ", "File \"", "in file ", "in \""].iter().any(|word| start.starts_with(word))
        || is_bare()
}

/// True if a line is the `--> file:line` that follows a message.
pub(super) fn is_arrow(line: &str) -> bool {
    let is_location =
        |text: &str| !text.is_empty() && (!text.contains(char::is_whitespace) || of(text).is_some());
    line.trim_start().strip_prefix("--> ").map(str::trim).is_some_and(is_location)
}

/// True if a line names the location of the next message, as `File "a.py", line 3, in main`.
pub(super) fn is_frame(line: &str) -> bool {
    line.trim_start().starts_with("File \"") && line.contains(", line ")
}

/// Lines between a message and its numbered heading.
const LINES_TO_NUMBER: usize = 4;

/// Returns the heading of a message: its distance in lines, and its text. `before` has the lines before the message, the
/// last one first.
///
/// A heading is a numbered title, as `1) adds two numbers`, or the name of a file above its indented messages.
pub(super) fn heading<'a>(message: &str, before: impl Iterator<Item = &'a str>) -> Option<(u64, &'a str)> {
    let own = indent(message);
    let mut distance = 0;
    for line in before {
        distance += 1;
        let text = line.trim();
        if distance <= LINES_TO_NUMBER && is_numbered(text) {
            return Some((distance as u64, line));
        }
        if !text.is_empty() && indent(line) < own {
            let is_file = !text.contains(char::is_whitespace) && has_extension(text.as_bytes());
            return is_file.then_some((distance as u64, line));
        }
        if distance > LINES_TO_NUMBER && own == 0 {
            return None;
        }
    }
    None
}

/// True for a title such as `1) adds two numbers` or `● adds two numbers`.
fn is_numbered(text: &str) -> bool {
    text.starts_with("● ") || after_number(text).is_some_and(|after| after.starts_with(") "))
}

/// Returns the bytes of white space before the text of a line.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_is_at_the_start_of_a_message() {
        let cases = [
            ("src/a.rs:10:5: error", Some((true, ": error"))),
            ("a.c(10,3): error", Some((true, "): error"))),
            ("a.c(10): error", Some((false, "): error"))),
            ("    x_test.go:12: got 1", Some((false, ": got 1"))),
            ("{\"Output\":\"  x_test.go:12: got 1\"}", Some((false, ": got 1\"}"))),
            ("12:30:01 started", None),
            ("see a.rs:1 for more", None),
            ("localhost:8080 is up", None),
            ("127.0.0.1:8080 is up", None),
            ("main.Handler:12 - done", None),
        ];
        for (line, expected) in cases {
            assert_eq!(of(line).map(|found| (found.has_column, found.after)), expected, "{line}");
        }
    }

    #[test]
    fn location_is_found_at_any_offset() {
        for before in 0..200 {
            let text = format!("{} a.rs:1: b", "x".repeat(before));
            assert_eq!(find(text.as_bytes(), 0), Some(before + 5));
            assert_eq!(find(text.as_bytes(), before + 5), Some(before + 5));
            assert_eq!(find(text.as_bytes(), before + 6), None);
        }
    }

    #[test]
    fn headings_are_numbered_titles_and_files_above_indented_messages() {
        let cases = [
            ("Error: no", &["  1) adds"][..], Some((1, "  1) adds"))),
            ("Error: no", &["", "adds two:", "", "12) sum"], Some((4, "12) sum"))),
            ("Error: no", &["a", "b", "c", "d", "1) sum"], None),
            ("    expected 1", &["", "  ● sum › adds"], Some((2, "  ● sum › adds"))),
            ("  1:2  error  no", &["  1:1  error  yes", "src/a.js"], Some((2, "src/a.js"))),
            ("  1:2  error  no", &["linting", "src/a.js"], None),
            ("error: no", &["src/a.js"], None),
            ("  error: no", &[], None),
        ];
        for (message, before, expected) in cases {
            assert_eq!(heading(message, before.iter().copied()), expected, "{message} after {before:?}");
        }
    }
}
