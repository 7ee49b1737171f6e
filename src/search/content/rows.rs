//! The rows that a search gives: lines, cut to what is shown.

#![expect(clippy::indexing_slicing, reason = "rows end within their text, and a focus within its line")]

use std::borrow::Cow;
use std::ops::Range;

use cutline_core::text::show::REPLACEMENT;
use cutline_core::truncate::line::{Missing, cut};

/// Bytes of rows that are handed over together.
const FULL_BYTES: usize = 64 * 1024;

/// Some rows of one file, in the order of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    text: String,
    rows: Vec<Placed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placed {
    number: u64,
    kind: RowKind,
    end: usize,
    cut: bool,
}

/// One line as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Why it is here.
    pub kind: RowKind,
    /// Its text, without what ends it.
    pub text: &'a str,
    /// True if the text was cut.
    pub cut: bool,
}

/// Why a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// It has a match.
    Match,
    /// It stands near one.
    Context,
}

impl Rows {
    /// Adds a row.
    pub fn push(&mut self, row: Row<'_>) {
        self.text.push_str(row.text);
        self.rows.push(Placed { number: row.number, kind: row.kind, end: self.text.len(), cut: row.cut });
    }

    /// The rows.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let mut start = 0;
        self.rows.iter().map(move |row| {
            let text = &self.text[start..row.end];
            start = row.end;
            Row { number: row.number, kind: row.kind, text, cut: row.cut }
        })
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that it holds.
    pub fn weight(&self) -> usize {
        self.text.len() + self.rows.len() * size_of::<Placed>()
    }

    pub(super) fn is_full(&self) -> bool {
        self.weight() >= FULL_BYTES
    }
}

/// A line, or the part of it that is at hand, as it is shown; and whether anything of it is missing.
///
/// Only what is near the focus is decoded, however long the line.
pub(super) fn shown(
    line: &[u8],
    focus: Range<usize>,
    max_chars: usize,
    missing: Missing,
) -> (Cow<'_, str>, bool) {
    let near = max_chars.saturating_mul(8).max(64);
    if line.len() <= near {
        return finish(lossy(line), focus_in(line, &focus), max_chars, missing);
    }
    let from = if focus.start <= near { 0 } else { start_of_char(line, focus.start - near) };
    let to = focus.start.saturating_add(near * 2).min(line.len());
    let part = &line[from..to];
    let focus = focus.start - from..focus.end.min(to).saturating_sub(from);
    let missing = Missing { before: missing.before || from > 0, after: missing.after || to < line.len() };
    finish(lossy(part), focus_in(part, &focus), max_chars, missing)
}

fn finish(
    text: Cow<'_, str>,
    focus: Range<usize>,
    max_chars: usize,
    missing: Missing,
) -> (Cow<'_, str>, bool) {
    match text {
        Cow::Borrowed(text) => {
            let shown = cut(text, focus, max_chars, missing);
            let is_cut = matches!(shown, Cow::Owned(_));
            (shown, is_cut)
        }
        Cow::Owned(text) => {
            let shown = cut(&text, focus, max_chars, missing);
            let is_cut = matches!(shown, Cow::Owned(_));
            (Cow::Owned(shown.into_owned()), is_cut)
        }
    }
}

/// Returns the range in the text as shown that stands for a range of bytes of a line.
fn focus_in(line: &[u8], focus: &Range<usize>) -> Range<usize> {
    let at = |byte: usize| line.get(..byte).map_or(0, |before| lossy(before).len());
    if line.is_ascii() { focus.clone() } else { at(focus.start)..at(focus.end) }
}

/// Bytes as text: what is not UTF-8, and NUL bytes, become U+FFFD.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        text if !text.contains('\0') => text,
        text => Cow::Owned(text.replace('\0', REPLACEMENT.encode_utf8(&mut [0; 4]))),
    }
}

/// The first byte from `at` on that begins a character.
fn start_of_char(line: &[u8], at: usize) -> usize {
    let rest = &line[at..];
    at + rest.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count()
}
