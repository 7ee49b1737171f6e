//! Adds line numbers to a page in the format of `cat -n`: the number, a tab, the line.
//!
//! The numbers are not padded: the tab aligns numbers of up to seven digits, and padding would take up to five more
//! bytes of the limit for each line.

use cutline_core::truncate::LongLines;

/// Writes the line number before each line.
#[derive(Debug)]
pub(super) struct LineNumbers {
    /// The number of the next line.
    next: u64,
    /// True if the next character starts a line.
    at_start: bool,
}

impl LineNumbers {
    /// Starts numbering with `first`.
    pub(super) fn new(first: u64) -> Self {
        Self { next: first, at_start: true }
    }

    /// Passes the next part of the page to `head`, with line numbers.
    pub(super) fn push(&mut self, part: &str, head: &mut LongLines) {
        let mut numbered = String::with_capacity(part.len() * 2);
        for line in part.split_inclusive('\n') {
            if self.at_start {
                numbered.push_str(&prefix(self.next));
                self.next += 1;
            }
            numbered.push_str(line);
            self.at_start = line.ends_with('\n');
        }
        head.push(&numbered);
    }
}

/// Returns the text before the line `number`.
pub(super) fn prefix(number: u64) -> String {
    format!("{number}\t")
}

/// Removes the line numbers of a page.
pub(super) fn without_numbers(numbered: &str) -> String {
    let mut lines = numbered.split_inclusive('\n').collect::<Vec<_>>();
    for line in &mut lines {
        *line = line.split_once('\t').map_or(*line, |(_, text)| text);
    }
    lines.concat()
}
