//! The rows of a search result: lines, truncated to the characters to show.

#![expect(clippy::indexing_slicing, reason = "rows end inside their text, and a focus is inside its line")]

use std::borrow::Cow;
use std::ops::Range;

use cutline_core::text::binary::{has_control, without_controls, without_repeated_nuls};
use cutline_core::text::show::REPLACEMENT;
use cutline_core::truncate::line::{CUT_MARK, CUT_MARK_START, cut};

/// One line to show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// The line number, from 1.
    pub number: u64,
    /// The reason why it is shown.
    pub kind: RowKind,
    /// The text without its line ending.
    pub text: String,
    /// If the text is only a part of the line: the maximum number of bytes that `read` needs for the complete line, up
    /// to three times its length.
    pub cut_line_bytes: Option<u64>,
}

/// The reason why a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKind {
    /// The line has a match.
    Match,
    /// The line is near a match.
    Context,
    /// The line begins a definition that contains a match.
    Definition,
}

/// Number of bytes of a line to process for each character to show. A character has at most four bytes, so a part of a
/// line has more characters than are shown.
pub(super) const BYTES_PER_CHAR: usize = 8;

/// Returns the text to show for a line, and [`Row::cut_line_bytes`]. `count` returns the number of matches in a text, and
/// false if it is a lower bound.
///
/// Decodes only the text near the focus, however long the line is. The mark at the end of a cut line counts the matches
/// that are not shown.
pub(super) fn shown(
    line: &[u8],
    focus: Range<usize>,
    max_chars: usize,
    count: impl Fn(&[u8]) -> (usize, bool),
) -> (String, Option<u64>) {
    // `read` shows a run of NULs as one character too.
    let at = |byte: usize| without_repeated_nuls(&line[..byte]).len();
    let (focus, line) = (at(focus.start)..at(focus.end), &*without_repeated_nuls(line));
    let near = max_chars.saturating_mul(BYTES_PER_CHAR).max(64);
    let (mut from, mut to) = (0, line.len());
    if line.len() > near {
        from = if focus.start <= near { 0 } else { start_of_char(line, focus.start - near) };
        to = focus.start.saturating_add(near * 2).min(line.len());
    }
    let part = &line[from..to];
    let focus = focus_in(part, &(focus.start - from..focus.end.min(to).saturating_sub(from)));
    let text = lossy(part);
    let shown = match cut(&text, focus, max_chars) {
        Cow::Borrowed(_) => return (text.into_owned(), None),
        Cow::Owned(shown) => shown,
    };
    let shown = match shown.strip_suffix(CUT_MARK) {
        None => shown,
        Some(start) => {
            let visible = start.strip_prefix(CUT_MARK).unwrap_or(start);
            let (matches, is_exact) = count(line);
            let at_least = if is_exact { "" } else { "at least " };
            match matches.saturating_sub(count(visible.as_bytes()).0.max(1)) {
                0 => shown,
                1 => format!("{start}{CUT_MARK_START}{at_least}1 more match]"),
                more => format!("{start}{CUT_MARK_START}{at_least}{more} more matches]"),
            }
        }
    };
    (shown, Some(bytes_on_a_page(line)))
}

/// Returns the maximum number of bytes that `read` needs for a line. Invalid bytes and control characters need three bytes
/// each.
fn bytes_on_a_page(line: &[u8]) -> u64 {
    line.len() as u64 * if is_shown_as_it_is(line) { 1 } else { REPLACEMENT.len_utf8() as u64 }
}

/// Returns true if [`lossy`] changes nothing.
fn is_shown_as_it_is(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|text| !has_control(text))
}

/// Converts a range of bytes of a line to the range of the text to show.
fn focus_in(line: &[u8], focus: &Range<usize>) -> Range<usize> {
    let at = |byte: usize| line.get(..byte).map_or(0, |before| lossy(before).len());
    if focus.end == 0 || is_shown_as_it_is(line) { focus.clone() } else { at(focus.start)..at(focus.end) }
}

/// Converts bytes to text. Invalid bytes, NUL and similar control characters become U+FFFD.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => without_controls(text),
        Cow::Owned(text) => Cow::Owned(without_controls(&text).into_owned()),
    }
}

/// Returns the first offset at or after `at` where a character starts.
fn start_of_char(line: &[u8], at: usize) -> usize {
    let rest = &line[at..];
    at + rest.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count()
}
