//! Locations in files, as they are in messages: `src/a.rs:10:5: `, `a.c(10): `, `File "a.py", line 3`, `--> a.rs:1:2`.

#![expect(clippy::indexing_slicing, reason = "the bounds are positions of the same text")]

use super::edges::{after_number, is_start};
use crate::text;

/// The most letters and digits after the dot of a file's name.
const EXTENSION_BYTES: usize = 5;
/// Parts of the names of functions and files in runtimes and libraries.
const LIBRARIES: [&str; 15] = [
    "node_modules/",
    "site-packages/",
    "dist-packages/",
    "/lib/python",
    "node:",
    "/rustc/",
    ".cargo/registry/",
    "core::",
    "std::",
    "/usr/lib/",
    "/usr/share/",
    "/usr/local/",
    "at java.",
    "at jdk.",
    "<frozen ",
];
/// Bytes of a name that are read.
const NAME_BYTES: usize = 256;
/// The number of marks in a line that are checked.
const MARKS: usize = 16;
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

/// Returns the offset of the next mark from `from`: `:` or `(` between the name of a file and a number.
pub(super) fn find(bytes: &[u8], from: usize) -> Option<usize> {
    let is_mark_at =
        |at: &usize| is_mark(bytes[at - 1], bytes[*at], bytes[at + 1]) && has_extension(&bytes[..*at]);
    let mut at = from.max(1);
    // Without an early exit, the compiler compares many bytes at a time.
    while let Some(block) = bytes[at - 1..].first_chunk::<{ BLOCK_BYTES + 2 }>() {
        let marks = (0..BLOCK_BYTES).map(|n| is_mark(block[n], block[n + 1], block[n + 2]));
        if marks.fold(false, |is_any, is_mark| is_any | is_mark)
            && let Some(found) = memchr::memchr2_iter(b':', b'(', &block[1..=BLOCK_BYTES])
                .map(|found| at + found)
                .find(is_mark_at)
        {
            return Some(found);
        }
        at += BLOCK_BYTES;
    }
    (at..bytes.len().saturating_sub(1)).find(is_mark_at)
}

/// True for `:` or `(` between a letter and a digit.
#[expect(clippy::needless_bitwise_bool, reason = "without branches, many bytes are compared at a time")]
fn is_mark(before: u8, byte: u8, after: u8) -> bool {
    let is_colon = (byte == b':') | (byte == b'(');
    before.is_ascii_alphabetic() & is_colon & after.is_ascii_digit()
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

/// True if a line has a location.
pub(crate) fn has_location(line: &str) -> bool {
    find(line.as_bytes(), 0).is_some()
}

/// Returns the location with which the message of `line` begins.
pub(super) fn of(line: &str) -> Option<Location<'_>> {
    let next = |after: &usize| find(line.as_bytes(), *after + 1);
    let marks = std::iter::successors(find(line.as_bytes(), 0), next);
    marks.take(MARKS).find_map(|mark| at(line, mark))
}

/// Returns the location whose name ends before `mark`, if it is one.
fn at(line: &str, mark: usize) -> Option<Location<'_>> {
    let ends_name = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '=' | ',' | ';' | '{' | '(' | '[' | '|')
    };
    let name = text::suffix(&line[..mark], NAME_BYTES).rsplit(ends_name).next()?;
    let start = mark - name.len();
    let file = name.rsplit(['/', '\\']).next()?;
    let (stem, _extension) = file.rsplit_once('.')?;
    let number = &line[mark + 1..];
    let after_line = number.trim_start_matches(|c: char| c.is_ascii_digit());
    // In parentheses, as in `a.cs(5,13): `, and not the arguments of a call, as in `t.test(1:10, 2)`.
    let is_in_parentheses = line[mark..].starts_with('(');
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
pub(crate) fn is_only_location(line: &str) -> bool {
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

/// Returns the heading of `line`, and its distance: the nearest line above it that names only a file, as linters print it
/// once for all findings. It is indented less, or as much if `line` begins with a number or `^`. There is no empty line
/// between, and no line indented like that with a location. `before` are the lines before `line`, the last one first.
pub(super) fn heading<'a>(line: &str, before: impl Iterator<Item = &'a str>) -> Option<(u64, &'a str)> {
    let indent = |text: &str| text.len() - text.trim_start().len();
    let is_numbered = line.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '^');
    let most = indent(line) + usize::from(is_numbered);
    let block = (1..).zip(before.take_while(|text| !text.trim().is_empty()));
    let mut above = block.filter(|(_, text)| indent(text) < most).take_while(|(_, text)| !has_location(text));
    above.find(|(_, text)| is_heading(text))
}

/// True if a line only names a file, with at most one word before it: `src/a.js`, `FILE: a.php`, `In a.sh line 3:`.
fn is_heading(line: &str) -> bool {
    let line = line.trim_end_matches([':', '=', ' ']);
    let name = line.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(" line ").unwrap_or(line);
    let mut words = name.split_whitespace().rev();
    let file = words.next().and_then(|path| path.rsplit(['/', '\\']).next()).unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '@');
    name.len() <= NAME_BYTES
        && has_extension(file.as_bytes())
        && file.starts_with(is_name)
        && file.chars().all(is_name)
        && words.count() <= 1
}

/// True if a line is a frame of a stack trace, as `at f (a.js:1:2)`, `File "a.py", line 3` or `  12: core::panicking`.
pub(crate) fn is_frame(line: &str) -> bool {
    let text = line.trim_start();
    let is_numbered = after_number(text).is_some_and(|after| after.starts_with(": "));
    ["at ", "File \"", "from "].iter().any(|start| text.starts_with(start))
        || is_numbered && text.len() < line.len()
}

/// True if a line of a stack trace is in the runtime or in a library.
pub(crate) fn is_library_frame(line: &str) -> bool {
    LIBRARIES.iter().any(|part| line.contains(part))
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
    fn heading_is_the_nearest_line_above_that_names_a_file() {
        let found = |text: &str| {
            let (before, line) = text.rsplit_once('\n').unwrap_or_default();
            heading(line, before.rsplit('\n')).map(|(distance, _)| distance)
        };
        let cases = [
            ("src/a.js\n  1:5  error  no a", Some(1)),
            ("src/a.py:\n  1:8 F401 unused\n  2:8 F401 unused", Some(2)),
            ("./src/index.tsx\n12:5  Error: no a", Some(1)),
            ("FILE: /srv/A.php\n-----\nFOUND 3 ERRORS\n-----\n  2 | ERROR | no a", Some(4)),
            ("  Line   src/A.php\n ------ ------\n  12     Undefined variable", Some(2)),
            ("In a.sh line 3:\nrm $a\n^-- SC2086 (error): quote", Some(2)),
            ("a.css\nb.css\n  1:1  no a", Some(1)),
            ("a.css\n\n  1:1  no a", None),
            ("a.py\n  a.py:1:2: no a\n    no b", None),
            ("src/a.js\nerror: no a", None),
            ("    src/a.js\n  1:1  no a", None),
            ("the file is src/a.js\n  1:1  no a", None),
            ("took 1.5\n  1:1  no a", None),
            ("f(a.b)\n  1:1  no a", None),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text}");
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
}
