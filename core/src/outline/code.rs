//! The code of each line, without strings and comments.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the line that they were found in")]

use memchr::memmem;

use super::head::is_name_byte;
use super::language::{End, Language, Region};

/// Bytes of the longest regular expression that is recognised.
const PATTERN_BYTES: usize = 500;
/// Bytes of a line in which regular expressions are recognised. To find the end of each takes longer than all else.
const PATTERNS_BYTES: usize = 100_000;
/// Bytes after which a `/` begins a regular expression and no division.
const BEFORE_VALUE: &[u8] = b"(,=:[!&|?{};<>+-*%~^";

/// Removes strings and comments, line by line.
pub(super) struct Code {
    language: &'static Language,
    special: [bool; 256],
    /// The string or comment in which the next line begins.
    open: Option<&'static Region>,
}

impl Code {
    pub(super) fn new(language: &'static Language) -> Self {
        let mut special = [false; 256];
        for first in language.regions.iter().filter_map(|region| region.open.bytes().next()) {
            special[usize::from(first)] = true;
        }
        // A file of PHP begins as text.
        let open = language.regions.iter().find(|region| region.open == "?>");
        Self { language, special, open }
    }

    /// Returns the code of a line that is read alone.
    pub(super) fn of(language: &'static Language, line: &[u8]) -> Vec<u8> {
        let mut code = Vec::new();
        Self { open: None, ..Self::new(language) }.strip(line, &mut code);
        code
    }

    /// Returns true if the next line begins in a string or a comment.
    pub(super) fn is_inside(&self) -> bool {
        self.open.is_some()
    }

    /// Writes the code of the next line to `code`, with blanks for strings and comments, except for the first byte of a
    /// string. Each byte has the position that it has in `line`.
    pub(super) fn strip(&mut self, line: &[u8], code: &mut Vec<u8>) {
        code.clear();
        code.extend_from_slice(line);
        let mut at = 0;
        while at < line.len() {
            if let Some(region) = self.open {
                let end = region.end_from(line, at);
                code[at..end.unwrap_or(line.len())].fill(b' ');
                let Some(end) = end else { break };
                (self.open, at) = (None, end);
            }
            let found = line[at..].iter().position(|&byte| self.special[usize::from(byte)]);
            let Some(found) = found else { break };
            at += found;
            let Some(region) = self.region_at(line, at) else {
                at += 1;
                continue;
            };
            let is_comment = matches!(region.open, "/*" | "=begin") || region.end == End::Line;
            let mark = at + usize::from(!is_comment);
            at += region.open.len();
            code[mark..at].fill(b' ');
            self.open = Some(region);
        }
        let has_lines =
            |region: &&Region| matches!(region.end, End::Escaped | End::Raw) && !region.close.is_empty();
        self.open = self.open.filter(has_lines);
    }

    /// Returns the form of string or comment that begins at `at`.
    fn region_at(&self, line: &[u8], at: usize) -> Option<&'static Region> {
        let rest = &line[at..];
        let region = self.language.regions.iter().find(|region| rest.starts_with(region.open.as_bytes()))?;
        let begins = match region.end {
            End::Pattern => {
                let before = line[..at].trim_ascii_end();
                let near = &line[..line.len().min(at + PATTERN_BYTES)];
                let is_value = before.last().is_none_or(|byte| BEFORE_VALUE.contains(byte))
                    || before.ends_with(b"return");
                at < PATTERNS_BYTES && is_value && region.end_from(near, at + 1).is_some()
            }
            // `r"` is the end of a word in `for"`, and `=begin` that of an expression.
            End::Raw if !region.close.is_empty() => {
                let first = rest.first().copied().unwrap_or_default();
                at == 0 || !is_name_byte(first) && first != b'=' || !is_name_byte(line[at - 1])
            }
            _ => true,
        };
        begins.then_some(region)
    }
}

impl Region {
    /// Returns the offset after its closing mark at or after `from`.
    fn end_from(&self, line: &[u8], from: usize) -> Option<usize> {
        let close = self.close.as_bytes();
        match self.end {
            End::Line => return None,
            End::Raw => return memmem::find(&line[from..], close).map(|at| from + at + close.len()),
            End::Short | End::Pattern | End::Escaped => {}
        }
        let (mut at, mut is_set) = (from, false);
        while at < line.len() {
            match line[at] {
                b'\\' => at += 1,
                b'[' | b']' if self.end == End::Pattern => is_set = line[at] == b'[',
                _ if !is_set && line[at..].starts_with(close) => return Some(at + close.len()),
                _ => {}
            }
            at += 1;
        }
        None
    }
}
