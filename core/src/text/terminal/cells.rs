//! A line in columns, with a cursor that overwrites. Each character has one column, also a wide one, and its marks have none.
//! A tab moves the cursor, so it becomes blanks.

#![expect(clippy::indexing_slicing, reason = "a wrong column has to fail, not to leave the line as it was")]

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// The final characters of the control sequences that change a line. All others are ignored.
pub(super) const ACTIONS: &str = "KJCaDG`X";

/// Width in columns that programs can expect of a terminal. A movement ends at the last of them, or at the end of a
/// longer line.
const WIDTH: usize = 120;
/// Columns between two tab stops.
const TAB: usize = 8;
/// Columns that a sequence may blank at most. Three bytes of output could blank a long line. A longer erasure is
/// ignored, except that of a whole line, after which the cursor is at most here.
const MAX_BLANKED: usize = 1024;

/// A column: a character and its first three combining marks (few have more). Unused places are NUL, which no line contains.
type Cell = [char; 4];

const BLANK: Cell = [' ', '\0', '\0', '\0'];

/// The columns of one line.
#[derive(Debug)]
pub(super) struct Cells {
    columns: Vec<Cell>,
    /// The next column to write. It can be after the last one.
    pub(super) cursor: usize,
    /// Minimum number of columns to buffer of a longer line. At most twice that number is buffered.
    limit: usize,
}

impl Cells {
    pub(super) fn new(limit: usize) -> Self {
        Self { columns: Vec::new(), cursor: 0, limit }
    }

    /// Writes text at the cursor. The text has no control characters other than tabs.
    pub(super) fn put_all(&mut self, text: &str, out: &mut String) {
        for c in text.chars() {
            self.put(c);
            self.settle(out);
        }
    }

    /// Writes a character at the cursor. It is no control character other than a tab.
    fn put(&mut self, c: char) {
        if c == '\t' {
            self.cursor = (self.cursor / TAB + 1) * TAB;
            // Only so that the start of a long line is settled.
            self.columns.resize(self.columns.len().max(self.cursor), BLANK);
            return;
        }
        if self.cursor > 0
            && let Some(before) = self.columns.get_mut(self.cursor - 1)
            && c.width() == Some(0)
        {
            if let Some(free) = before.iter_mut().find(|mark| **mark == '\0') {
                *free = c;
            }
            return;
        }
        self.columns.resize(self.columns.len().max(self.cursor + 1), BLANK);
        self.columns[self.cursor] = [c, '\0', '\0', '\0'];
        self.cursor += 1;
    }

    /// Applies a control sequence with this final character and first parameter.
    pub(super) fn act(&mut self, action: char, parameter: usize, out: &mut String) {
        let (cursor, len) = (self.cursor, self.columns.len());
        let reach = len.max(WIDTH - 1).max(cursor);
        let count = parameter.max(1);
        match action {
            'C' | 'a' => self.cursor = cursor.saturating_add(count).min(reach),
            'D' => self.cursor = cursor.saturating_sub(count),
            'G' | '`' => self.cursor = (count - 1).min(reach),
            'X' => self.blank(cursor..cursor.saturating_add(count)),
            'K' if parameter == 1 => self.blank(0..cursor.saturating_add(1)),
            'K' if parameter == 2 => {
                self.columns.clear();
                // The next character writes the blanks before it.
                self.cursor = cursor.min(MAX_BLANKED);
            }
            // To the end of the line. Erasing to the end of the screen does the same.
            'K' | 'J' if parameter == 0 => self.columns.truncate(cursor),
            _ => {}
        }
        self.settle(out);
    }

    /// Adds the start of the line to `out` if more than twice the limit is buffered.
    fn settle(&mut self, out: &mut String) {
        let len = self.columns.len();
        if len > self.limit.saturating_mul(2) {
            let columns = len - self.limit;
            out.extend(self.columns.drain(..columns).flatten().filter(|c| *c != '\0'));
            self.cursor = self.cursor.saturating_sub(columns);
        }
    }

    /// Adds the line to `out` without the blanks at its end, which a terminal does not show.
    pub(super) fn finish(self, out: &mut String) {
        let start = out.len();
        out.extend(self.columns.into_iter().flatten().filter(|c| *c != '\0'));
        out.truncate(start + out[start..].trim_end_matches(' ').len());
    }

    /// Replaces `columns` with blanks.
    fn blank(&mut self, columns: Range<usize>) {
        let len = self.columns.len();
        let columns = columns.start.min(len)..columns.end.min(len);
        if columns.len() <= MAX_BLANKED {
            self.columns[columns].fill(BLANK);
        }
    }
}
