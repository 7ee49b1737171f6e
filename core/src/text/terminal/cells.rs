//! A line in columns, with a cursor that writes over what is there.
//!
//! Three bytes can have a whole long line moved. So that time stays in proportion to what was printed,
//! a change that touches far more columns than were written is passed over: no program that draws on a
//! terminal's width comes near that.

#![expect(clippy::indexing_slicing, reason = "a wrong column has to fail, not to leave the line as it was")]

use std::collections::BTreeMap;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::step::Move;

/// Columns that a movement alone reaches: that a terminal has them is what programs count on.
const WIDTH: usize = 120;
/// Columns between two tab stops.
const TAB: usize = 8;
/// The content of the columns of a wide character, or of a tab, after its first.
const CONTINUED: char = '\0';
const BLANK: char = ' ';
/// Columns that may be touched by changes for each character that was written.
const WORK_BY_CHAR: usize = 64;
/// Columns that may be touched by changes for each movement or change.
const WORK_BY_STEP: usize = 512;
/// Columns that take as long to be moved as one mark.
const COLUMNS_OF_MARK: usize = 16;

/// The columns of one line.
#[derive(Debug, Default)]
pub(super) struct Cells {
    chars: Vec<char>,
    /// Marks that are written over a column's character, by column.
    marks: BTreeMap<usize, String>,
    /// The column that is written next; may be after the last one.
    cursor: usize,
    /// Bytes of all characters and marks.
    bytes: usize,
    /// True once there was anything but a letter, digit or sign of ASCII: then a column may be more
    /// than one byte, or less than a character.
    mixed: bool,
    /// Columns that changes may still touch.
    work: usize,
}

impl Cells {
    /// Writes text without control characters but tabs at the cursor, and lets go what is too much
    /// as [`Self::let_go`] does, after each character.
    pub(super) fn put_all(&mut self, text: &str, limit: usize, out: &mut String) {
        let simple = !text.is_empty() && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !simple || self.mixed || self.bytes.max(self.cursor) + text.len() > limit {
            for c in text.chars() {
                self.put(c);
                self.let_go(limit, out);
            }
            return;
        }
        let columns = self.cursor..self.cursor + text.len();
        self.work = self.work.saturating_add(text.len().saturating_mul(WORK_BY_CHAR));
        self.widen(columns.end);
        self.chars[columns.clone()].iter_mut().zip(text.chars()).for_each(|(cell, c)| *cell = c);
        self.cursor = columns.end;
    }

    /// Writes a character at the cursor.
    pub(super) fn put(&mut self, c: char) {
        self.mixed |= !matches!(c, ' '..='~');
        self.work = self.work.saturating_add(WORK_BY_CHAR);
        let len = self.chars.len();
        let width = match c {
            '\t' if self.cursor < len => {
                // It moves the cursor and leaves what it passes over.
                self.cursor = (self.cursor / TAB + 1) * TAB;
                return;
            }
            '\t' => TAB - self.cursor % TAB,
            c => c.width().unwrap_or(0),
        };
        if width == 0 && (1..=len).contains(&self.cursor) {
            let owner = self.owner(self.cursor - 1);
            self.marks.entry(owner).or_default().push(c);
            self.bytes += c.len_utf8();
            return;
        }
        let columns = self.cursor..self.cursor + width.max(1);
        self.widen(columns.end);
        self.part(&columns);
        for column in columns.clone() {
            self.set(column, if column == columns.start { c } else { CONTINUED });
        }
        self.cursor = columns.end;
    }

    /// Moves the cursor, or changes the line where it stands.
    pub(super) fn act(&mut self, step: Move) {
        let (cursor, len) = (self.cursor, self.chars.len());
        let reach = len.max(WIDTH - 1).max(cursor);
        self.work = self.work.saturating_add(WORK_BY_STEP);
        let touched = match step {
            Move::Delete(_) | Move::Insert(_) => {
                len.saturating_sub(cursor) + COLUMNS_OF_MARK * self.marks.len()
            }
            Move::EraseToStart => cursor.min(len),
            Move::EraseNext(count) => count.min(len.saturating_sub(cursor)),
            // Of the others, some only move the cursor, and some take away what was written: that is once.
            _ => 0,
        };
        match self.work.checked_sub(touched) {
            Some(left) => self.work = left,
            None => return,
        }
        match step {
            Move::Return => self.cursor = 0,
            Move::Back(count) => self.cursor = cursor.saturating_sub(count),
            Move::Forward(count) => self.cursor = cursor.saturating_add(count).min(reach),
            Move::Column(column) => self.cursor = column.min(reach),
            Move::Delete(count) => self.replace(cursor..cursor.saturating_add(count), 0),
            Move::Insert(count) => self.replace(cursor..cursor, count.min(WIDTH)),
            Move::EraseToEnd => self.replace(cursor..len, 0),
            Move::EraseAll => self.replace(0..len, 0),
            Move::EraseToStart => self.blank(0..cursor.saturating_add(1)),
            Move::EraseNext(count) => self.blank(cursor..cursor.saturating_add(count)),
        }
    }

    /// Adds the line's start to `out` where more than twice `limit` is held: `limit` stays.
    pub(super) fn let_go(&mut self, limit: usize, out: &mut String) {
        if self.bytes <= limit.saturating_mul(2) {
            return;
        }
        let (start, mut columns) = (out.len(), 0);
        while let Some(c) = self.chars.get(columns) {
            if *c != CONTINUED && self.bytes - (out.len() - start) <= limit {
                break;
            }
            self.text_of(columns, *c, out);
            columns += 1;
        }
        let cursor = self.cursor.saturating_sub(columns);
        self.replace(0..columns, 0);
        self.cursor = cursor;
    }

    /// Adds the line to `out`, without the blanks at its end: a terminal shows none.
    pub(super) fn finish(self, out: &mut String) {
        let start = out.len();
        for (column, c) in self.chars.iter().enumerate() {
            self.text_of(column, *c, out);
        }
        out.truncate(start + out[start..].trim_end_matches(BLANK).len());
    }

    fn text_of(&self, column: usize, c: char, text: &mut String) {
        if c != CONTINUED {
            text.push(c);
            text.push_str(self.marks.get(&column).map_or("", String::as_str));
        }
    }

    /// Returns the column in which the character begins that is in `column`.
    fn owner(&self, column: usize) -> usize {
        self.chars[..=column].iter().rposition(|c| *c != CONTINUED).unwrap_or(0)
    }

    /// Makes blank what stands only partly in `columns`.
    fn part(&mut self, columns: &Range<usize>) {
        for edge in [columns.start, columns.end] {
            if self.chars.get(edge) != Some(&CONTINUED) {
                continue;
            }
            let start = self.owner(edge);
            let end = edge + self.chars[edge..].iter().take_while(|c| **c == CONTINUED).count();
            (start..end).for_each(|column| self.set(column, BLANK));
        }
    }

    /// Makes `columns` blank.
    fn blank(&mut self, columns: Range<usize>) {
        let columns = columns.start..columns.end.min(self.chars.len());
        self.part(&columns);
        columns.for_each(|column| self.set(column, BLANK));
    }

    /// Takes `columns` away, and puts so many blanks there.
    fn replace(&mut self, columns: Range<usize>, blanks: usize) {
        let len = self.chars.len();
        if columns.start >= len {
            return;
        }
        let columns = columns.start..columns.end.min(len);
        self.blank(columns.clone());
        self.part(&(columns.start..columns.start));
        self.bytes = self.bytes - columns.len() + blanks;
        self.chars.splice(columns.clone(), std::iter::repeat_n(BLANK, blanks));
        let after = self.marks.split_off(&columns.end);
        self.marks.extend(after.into_iter().map(|(at, marks)| (at - columns.len() + blanks, marks)));
    }

    fn widen(&mut self, columns: usize) {
        let missing = columns.saturating_sub(self.chars.len());
        self.chars.extend(std::iter::repeat_n(BLANK, missing));
        self.bytes += missing;
    }

    /// Sets a column that is there, and takes its marks away.
    fn set(&mut self, column: usize, c: char) {
        let cell = &mut self.chars[column];
        let bytes = |c: char| if c == CONTINUED { 0 } else { c.len_utf8() };
        let marks = self.marks.remove(&column).map_or(0, |marks| marks.len());
        self.bytes = self.bytes + bytes(c) - bytes(*cell) - marks;
        *cell = c;
    }
}
