//! The rows of a search: lines, cut to the characters that are shown.

#![expect(clippy::indexing_slicing, reason = "rows end within their text, and a focus within its line")]

use std::borrow::Cow;
use std::ops::Range;

use cutline_core::text::show::REPLACEMENT;
use cutline_core::truncate::line::{Missing, cut};

/// One line as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Why it is here.
    pub kind: RowKind,
    /// Its text, without what ends it.
    pub text: String,
    /// Maximum number of bytes of the line on a page of the file, if the text is a part of the line. The largest number for a
    /// line over 1 MB.
    pub cut_from: Option<u64>,
}

/// Why a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKind {
    /// It has a match.
    Match,
    /// It stands near one.
    Context,
}

impl Row {
    /// Bytes that it holds.
    pub fn weight(&self) -> usize {
        size_of::<Self>() + self.text.len()
    }
}

/// The shown text of a line, and the bytes of the line if a part is missing.
pub(super) type ShownLine = (String, Option<u64>);

/// Returns the shown text of a line, or of a part of it.
///
/// Decodes only the text near the focus, whatever the length of the line.
pub(super) fn shown(line: &[u8], focus: Range<usize>, max_chars: usize, mut missing: Missing) -> ShownLine {
    let is_whole = missing == Missing::default();
    let near = max_chars.saturating_mul(8).max(64);
    let (mut from, mut to) = (0, line.len());
    if line.len() > near {
        from = if focus.start <= near { 0 } else { start_of_char(line, focus.start - near) };
        to = focus.start.saturating_add(near * 2).min(line.len());
        missing.before |= from > 0;
        missing.after |= to < line.len();
    }
    let part = &line[from..to];
    let focus = focus_in(part, &(focus.start - from..focus.end.min(to).saturating_sub(from)));
    let text = lossy(part);
    let shown = cut(&text, focus, max_chars, missing);
    let cut_from =
        matches!(shown, Cow::Owned(_)).then(|| if is_whole { bytes_on_a_page(line) } else { u64::MAX });
    (shown.into_owned(), cut_from)
}

/// Returns the maximum number of bytes of a line on a page: invalid bytes and NUL bytes need three bytes each.
fn bytes_on_a_page(line: &[u8]) -> u64 {
    let is_text = std::str::from_utf8(line).is_ok_and(|text| !text.contains('\0'));
    line.len() as u64 * if is_text { 1 } else { REPLACEMENT.len_utf8() as u64 }
}

/// Returns the range of the shown text that corresponds to a range of bytes of a line.
fn focus_in(line: &[u8], focus: &Range<usize>) -> Range<usize> {
    let at = |byte: usize| line.get(..byte).map_or(0, |before| lossy(before).len());
    if focus.end == 0 || line.is_ascii() { focus.clone() } else { at(focus.start)..at(focus.end) }
}

/// Converts bytes to text. Invalid bytes and NUL bytes become U+FFFD.
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
