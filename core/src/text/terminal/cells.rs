//! A line in columns, with a cursor that overwrites.

#![expect(clippy::indexing_slicing, reason = "a wrong column has to fail, not to leave the line as it was")]

use std::iter::{once, repeat_n};
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::step::Move;

/// Width in columns that programs can expect of a terminal: a movement alone reaches the last of them.
const WIDTH: usize = 120;
/// Columns between two tab stops.
const TAB: usize = 8;
/// Columns that a sequence may blank at most. Three bytes of output could blank a long line. A longer erasure is ignored.
const MAX_BLANKED: usize = 1024;

/// A column: a character and its first three combining marks (few have more). Unused places are NUL, which no line contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell([char; 4]);

impl Cell {
    const BLANK: Self = Self::of(' ');
    /// A column of a wide character or a tab, after the first one.
    const CONTINUED: Self = Self::of('\0');

    const fn of(c: char) -> Self {
        Self([c, '\0', '\0', '\0'])
    }
}

/// The columns of one line.
#[derive(Debug)]
pub(super) struct Cells {
    columns: Vec<Cell>,
    /// The next column to write. It can be after the last one.
    cursor: usize,
    /// Minimum number of columns to buffer of a longer line. At most twice that number is buffered.
    limit: usize,
}

impl Cells {
    pub(super) fn new(limit: usize) -> Self {
        Self { columns: Vec::new(), cursor: 0, limit }
    }

    /// Writes text at the cursor. The text has no control characters other than tabs. If the line becomes too long, its start
    /// is added to `out`.
    pub(super) fn put_all(&mut self, text: &str, out: &mut String) {
        let is_simple = text.chars().all(|c| c.width() == Some(1));
        if is_simple && self.columns.len().max(self.cursor) + text.len() <= self.limit.saturating_mul(2) {
            self.write(text.chars().count(), text.chars().map(Cell::of));
            return;
        }
        for c in text.chars() {
            self.put(c);
            self.let_go(out);
        }
    }

    /// Writes a character at the cursor.
    fn put(&mut self, c: char) {
        let width = match c {
            '\t' if self.cursor < self.columns.len() => {
                // Within the line, a tab only moves the cursor.
                self.cursor = (self.cursor / TAB + 1) * TAB;
                return;
            }
            '\t' => TAB - self.cursor % TAB,
            c => c.width().unwrap_or(0),
        };
        if width == 0 && (1..=self.columns.len()).contains(&self.cursor) {
            let owner = self.owner(self.cursor - 1);
            if let Some(free) = self.columns[owner].0.iter_mut().find(|mark| **mark == '\0') {
                *free = c;
            }
            return;
        }
        let width = width.max(1);
        self.write(width, once(Cell::of(c)).chain(repeat_n(Cell::CONTINUED, width - 1)));
    }

    /// Writes this many `cells` at the cursor.
    fn write(&mut self, count: usize, cells: impl Iterator<Item = Cell>) {
        let columns = self.cursor..self.cursor + count;
        self.columns.resize(self.columns.len().max(columns.end), Cell::BLANK);
        self.part(&columns);
        self.cursor = columns.end;
        self.columns[columns].iter_mut().zip(cells).for_each(|(old, new)| *old = new);
    }

    /// Moves the cursor, or changes the line at the cursor.
    pub(super) fn act(&mut self, step: Move, out: &mut String) {
        let (cursor, len) = (self.cursor, self.columns.len());
        let reach = len.max(WIDTH - 1).max(cursor);
        match step {
            Move::Back(count) => self.cursor = cursor.saturating_sub(count),
            Move::Forward(count) => self.cursor = cursor.saturating_add(count).min(reach),
            Move::Column(column) => self.cursor = column.min(reach),
            Move::EraseToEnd if cursor < len => {
                self.part(&(cursor..len));
                self.columns.truncate(cursor);
            }
            Move::EraseToEnd => {}
            Move::EraseAll => self.columns.clear(),
            Move::EraseToStart => self.blank(0..cursor.saturating_add(1)),
            Move::EraseNext(count) => self.blank(cursor..cursor.saturating_add(count)),
        }
        self.let_go(out);
    }

    /// Adds the start of the line to `out` if more than twice the limit is buffered.
    fn let_go(&mut self, out: &mut String) {
        let len = self.columns.len();
        if len > self.limit.saturating_mul(2) {
            let rest = &self.columns[len - self.limit..];
            let columns = len - rest.len() + continued(rest);
            out.extend(shown(self.columns.drain(..columns)));
            self.cursor = self.cursor.saturating_sub(columns);
        }
    }

    /// Adds the line to `out` without the blanks at its end, which a terminal does not show.
    pub(super) fn finish(self, out: &mut String) {
        let start = out.len();
        out.extend(shown(self.columns));
        out.truncate(start + out[start..].trim_end_matches(' ').len());
    }

    /// Returns the column in which the character begins that is in `column`.
    fn owner(&self, column: usize) -> usize {
        self.columns[..=column].iter().rposition(|cell| *cell != Cell::CONTINUED).unwrap_or(0)
    }

    /// Replaces `columns` with blanks.
    fn blank(&mut self, columns: Range<usize>) {
        let len = self.columns.len();
        let columns = columns.start.min(len)..columns.end.min(len);
        if columns.len() <= MAX_BLANKED {
            self.part(&columns);
            self.columns[columns].fill(Cell::BLANK);
        }
    }

    /// Blanks the characters that are only partly in `columns`.
    fn part(&mut self, columns: &Range<usize>) {
        for edge in [columns.start, columns.end] {
            let end = edge + continued(&self.columns[edge..]);
            if end > edge {
                let start = self.owner(edge);
                self.columns[start..end].fill(Cell::BLANK);
            }
        }
    }
}

/// Returns the number of columns at the start of `cells` that belong to a character before them.
fn continued(cells: &[Cell]) -> usize {
    cells.iter().take_while(|cell| **cell == Cell::CONTINUED).count()
}

/// Returns the characters in `cells`, each followed by its combining marks.
fn shown(cells: impl IntoIterator<Item = Cell>) -> impl Iterator<Item = char> {
    cells.into_iter().flat_map(|cell| cell.0).filter(|c| *c != '\0')
}
