//! Processes the lines of a page: converts `\r\n` to `\n`, truncates long lines, and adds line numbers if the call
//! requests them.
//!
//! A numbered line has the format of `cat -n`: the number, a tab, the line. The numbers are not padded: the tab aligns
//! numbers of up to seven digits, and padding would take up to five more bytes of the limit for each line.

use cutline_core::text::binary::without_controls;
use cutline_core::truncate::line::LineCutter;
use cutline_core::truncate::{LongLines, Truncation};

/// Converts `\r\n` to `\n`, counts the converted line endings, truncates long lines and adds line numbers.
pub(super) struct PageLines {
    /// The number of converted line endings on the page.
    crlf: u64,
    /// Truncates long lines.
    pub(super) cutter: LineCutter,
    /// The number of the next line, if the call requests line numbers.
    number: Option<u64>,
    /// True if the next character starts a line.
    at_start: bool,
    /// True if the last part ended with a `\r` that was not passed on yet.
    held: bool,
}

impl PageLines {
    /// Creates a processor that truncates lines to `max_chars` characters and adds line numbers from `number`.
    pub(super) fn new(max_chars: Option<usize>, number: Option<u64>) -> Self {
        Self { crlf: 0, cutter: LineCutter::new(max_chars), number, at_start: true, held: false }
    }

    /// Processes the next part of the text, and passes it to `head`.
    pub(super) fn push(&mut self, part: &str, head: &mut LongLines) {
        let before = if std::mem::take(&mut self.held) { "\r" } else { "" };
        if before.is_empty() && memchr::memchr(b'\r', part.as_bytes()).is_none() {
            return self.take(head, part);
        }
        let part = [before, part].concat();
        let text = part.strip_suffix('\r').unwrap_or(&part);
        self.held = text.len() < part.len();
        for (n, text) in text.split("\r\n").enumerate() {
            if n > 0 {
                self.take(head, "\n");
                self.crlf += u64::from(!head.is_full());
            }
            if head.is_full() {
                return;
            }
            self.take(head, text);
        }
    }

    /// Passes a remaining `\r` to `head`.
    pub(super) fn finish(&mut self, head: &mut LongLines) {
        if std::mem::take(&mut self.held) {
            self.take(head, "\r");
        }
    }

    /// Returns the name of the line endings in `kept`: `crlf`, `mixed`, or `cr` if no `\n` but several `\r` are in it.
    /// Otherwise returns `None`.
    pub(super) fn line_ending(&self, kept: &Truncation) -> Option<&'static str> {
        let ended = match kept.cut {
            Some(_) => kept.output.lines,
            None => memchr::memchr_iter(b'\n', kept.content.as_bytes()).count() as u64,
        };
        let returns = || memchr::memchr_iter(b'\r', kept.content.as_bytes()).count();
        match self.crlf {
            0 if ended == 0 && returns() > 1 => Some("cr"),
            0 => None,
            crlf if crlf < ended => Some("mixed"),
            _ => Some("crlf"),
        }
    }

    /// Passes a part of the page to the collector. NUL and similar control characters become U+FFFD.
    fn take(&mut self, head: &mut LongLines, part: &str) {
        let Self { cutter, number, at_start, .. } = self;
        cutter.push(&without_controls(part), &mut |part| {
            let Some(number) = number else { return head.push(part) };
            let mut numbered = String::with_capacity(part.len() * 2);
            for line in part.split_inclusive('\n') {
                if *at_start {
                    numbered.push_str(&prefix(*number));
                    *number += 1;
                }
                numbered.push_str(line);
                *at_start = line.ends_with('\n');
            }
            head.push(&numbered);
        });
    }
}

/// Returns the text before the line `number`.
pub(super) fn prefix(number: u64) -> String {
    format!("{number}\t")
}

/// Removes the line numbers of a page.
pub(super) fn without_numbers(numbered: &str) -> String {
    let text = |line| str::split_once(line, '\t').map_or(line, |(_, text)| text);
    numbered.split_inclusive('\n').map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms};

    #[test]
    fn only_the_line_endings_that_are_shown_count() {
        for (lines, text, expected) in [
            (1, "a\nb\r\nc\n", None),
            (2, "a\nb\r\nc\n", Some("mixed")),
            (1, "a\r\nb\n", Some("crlf")),
            (2, "a\r\n\r\nb\n", Some("crlf")),
            (1, "a\n\r\n", None),
            (9, "a\r\nb", Some("crlf")),
            (9, "a\rb\n", None),
            (9, "a\rb", None),
            (9, "a\rb\r", Some("cr")),
            (9, "a\r\nb\n", Some("mixed")),
        ] {
            for size in 1..=text.len() {
                let head = Collector::new(Bounds::new(lines, 100), Keep::WholeLines);
                let mut head = LongLines::new(head, None);
                let mut endings = PageLines::new(None, None);
                for piece in text.as_bytes().chunks(size) {
                    endings.push(str::from_utf8(piece).unwrap(), &mut head);
                }
                endings.finish(&mut head);
                assert_eq!(
                    endings.line_ending(&head.finish_with(KeyForms::None).0),
                    expected,
                    "{lines} of {text:?} by {size}"
                );
            }
        }
    }
}
