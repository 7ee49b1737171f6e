//! Long lines of a text that does not fit: cut, so that other lines are shown too.

use super::line::MARK;
use super::{Collector, KeyForms, TruncatedBy, Truncation};
use crate::text::as_index;

/// Characters of a long line that are shown.
const SHOWN_CHARS: usize = 2000;
/// Bytes of an open line after which a page is not searched for its end.
const MOST_BYTES: usize = 16_000_000;

/// Collects a text. If it does not fit because of its bytes or tokens, each line of it that alone exceeds a quarter of the limit
/// of bytes is cut to 2000 characters, except for the [`Spared`] one.
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, LongLines, Spared};
/// let collector = Collector::new(Bounds::new(2000, 10_000), Keep::Tail);
/// let mut lines = LongLines::new(collector, Spared::Last);
/// lines.push(&format!("first\n{}\nlast\n", "x".repeat(20_000)));
/// let (kept, max_chars) = lines.finish_with(KeyForms::None);
/// assert_eq!(kept.content, format!("first\n{}... [truncated]\nlast\n", "x".repeat(2000)));
/// assert_eq!(max_chars, Some(2000));
/// ```
#[derive(Debug)]
pub struct LongLines {
    spared: Option<Spared>,
    /// Bytes that a line may have.
    most: usize,
    /// The text as it is.
    whole: Collector,
    /// The text with cut lines. `None` before the first long line.
    cut: Option<Collector>,
    /// True if `cut` differs from `whole`.
    is_any_cut: bool,
    /// The start of the open line, which no collector has. Of a long line, which only `whole` has, the start and the end.
    held: String,
    /// Bytes of a long line that `cut` does not have yet.
    long: Option<usize>,
    is_first_line: bool,
}

/// The line that is never cut, because it has a notice of its own if it exceeds the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spared {
    /// The first one, as in a page of a file.
    First,
    /// The last one, as in the output of a command.
    Last,
}

impl LongLines {
    /// Cuts long lines of the text that `collector` collects.
    pub fn new(collector: Collector, spared: Spared) -> Self {
        Self { spared: Some(spared), ..Self::whole(collector) }
    }

    /// Cuts no line.
    pub fn whole(whole: Collector) -> Self {
        let most = as_index(whole.bounds().bytes / 4);
        let held = String::new();
        Self {
            spared: None,
            most,
            whole,
            cut: None,
            is_any_cut: false,
            held,
            long: None,
            is_first_line: true,
        }
    }

    /// Takes the next piece.
    pub fn push(&mut self, text: &str) {
        let Some(spared) = self.spared else { return self.whole.push(text) };
        let mut rest = text;
        if self.is_first_line && spared == Spared::First {
            let end = memchr::memchr(b'\n', rest.as_bytes()).map(|at| at + 1);
            self.is_first_line = end.is_none();
            let first;
            (first, rest) = rest.split_at(end.unwrap_or(rest.len()));
            self.whole.push(first);
        }
        if self.long.is_some() || self.has_long_line(rest) {
            rest.split_inclusive('\n').for_each(|part| self.push_part(part));
            return;
        }
        let end = memchr::memrchr(b'\n', rest.as_bytes()).map_or(0, |at| at + 1);
        let (ended, open) = rest.split_at(end);
        if !ended.is_empty() {
            self.push_held();
            self.push_both(ended);
        }
        self.held.push_str(open);
    }

    /// True if more text would only be counted.
    pub fn is_full(&self) -> bool {
        let is_endless = self.long.is_some_and(|bytes| bytes > MOST_BYTES);
        // A page that is full by its lines is shown as it is.
        let is_shown = self.whole.head_cut() == Some(TruncatedBy::Lines);
        let needs_no_cut = is_shown || is_endless || self.cut.as_ref().is_none_or(Collector::is_full);
        self.whole.is_full() && needs_no_cut
    }

    /// Returns the kept text with key lines of these forms, and the most characters of a line if lines in it were cut.
    pub fn finish_with(mut self, forms: KeyForms) -> (Truncation, Option<usize>) {
        match (self.long, self.spared) {
            (None, _) => self.push_held(),
            (Some(_), Some(Spared::Last)) => self.cut.iter_mut().for_each(|cut| cut.push(&self.held)),
            (Some(bytes), _) if bytes <= MOST_BYTES => self.cut_held(),
            _ => {}
        }
        let whole = self.whole.finish_with(forms);
        let is_over = whole.cut.is_some_and(|cut| cut.by != TruncatedBy::Lines);
        match self.cut.filter(|_| self.is_any_cut && is_over) {
            None => (whole, None),
            Some(cut) => {
                let cut = cut.finish_with(forms);
                let is_shown = cut.content.lines().any(|line| line.ends_with(MARK));
                (cut, is_shown.then_some(SHOWN_CHARS))
            }
        }
    }

    /// Returns true if a line is long that ends or begins in `text`.
    fn has_long_line(&self, text: &str) -> bool {
        let (mut rest, mut room) = (text.as_bytes(), self.most.saturating_sub(self.held.len()));
        while let Some(most) = rest.get(..=room) {
            let Some(newline) = memchr::memrchr(b'\n', most) else { return true };
            (rest, room) = (rest.get(newline + 1..).unwrap_or_default(), self.most);
        }
        false
    }

    /// Takes a part of one line.
    fn push_part(&mut self, part: &str) {
        if self.long.is_some() && self.held.ends_with('\n') {
            self.cut_held();
        }
        self.held.push_str(part);
        if let Some(bytes) = &mut self.long {
            *bytes += part.len();
            self.whole.push(part);
            self.shorten_held();
        } else if self.held.len() > self.most && start(&self.held).is_some() {
            self.long = Some(self.held.len());
            if self.cut.is_none() {
                self.cut = Some(self.whole.clone());
            }
            self.whole.push(&self.held);
            self.shorten_held();
        } else if part.ends_with('\n') {
            self.push_held();
        }
    }

    /// Drops the middle of a long line that no result shows.
    fn shorten_held(&mut self) {
        let needed = as_index(self.whole.bounds().bytes) + 8;
        let start = start(&self.held).map_or(0, str::len);
        let end = self.held.floor_char_boundary(self.held.len().saturating_sub(needed));
        if end > start + needed {
            self.held.drain(start..end);
        }
    }

    fn push_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let held = std::mem::take(&mut self.held);
        self.push_both(&held);
        self.held = held;
        self.held.clear();
    }

    fn push_both(&mut self, text: &str) {
        self.whole.push(text);
        self.cut.iter_mut().for_each(|cut| cut.push(text));
    }

    /// Adds the start of a long line.
    fn cut_held(&mut self) {
        let start = start(&self.held).unwrap_or_default();
        let newline = if self.held.ends_with('\n') { "\n" } else { "" };
        self.cut.iter_mut().for_each(|cut| cut.push(&[start, MARK, newline].concat()));
        self.held.clear();
        (self.long, self.is_any_cut) = (None, true);
    }
}

/// Returns the start of a line that has more characters than are shown.
fn start(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.char_indices().nth(SHOWN_CHARS).and_then(|(at, _)| line.get(..at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truncate::{Bounds, Keep, truncate};
    use proptest::prelude::*;

    fn shown(text: &str, keep: Keep, spared: Spared, piece: usize) -> (Truncation, Option<usize>) {
        let mut lines = LongLines::new(Collector::new(Bounds::new(50, 10_000), keep), spared);
        for part in text.as_bytes().chunks(piece) {
            lines.push(str::from_utf8(part).unwrap());
        }
        lines.finish_with(KeyForms::None)
    }

    #[test]
    fn long_lines_are_cut_if_the_text_does_not_fit() {
        let last = "y".repeat(5000);
        let (long, cut) = ("x".repeat(9000), format!("{}{MARK}", "x".repeat(2000)));
        for piece in [1000, 7, 100_000] {
            for (text, keep, spared, expected) in [
                // It fits.
                (format!("{long}\na\n"), Keep::Tail, Spared::Last, format!("{long}\na\n")),
                (format!("a\n{long}\n{long}\nb"), Keep::Tail, Spared::Last, format!("a\n{cut}\n{cut}\nb")),
                (format!("a\n{long}\n{last}"), Keep::Tail, Spared::Last, format!("a\n{cut}\n{last}")),
                (
                    format!("a\n{long}\n{long}\nb"),
                    Keep::WholeLines,
                    Spared::First,
                    format!("a\n{cut}\n{cut}\nb"),
                ),
                (format!("{long}\n{long}"), Keep::WholeLines, Spared::First, long.clone()),
                (format!("{long}\nb\n{long}"), Keep::WholeLines, Spared::First, format!("{long}\nb")),
            ] {
                let (kept, max_chars) = shown(&text, keep, spared, piece);
                assert_eq!(kept.content, expected, "{keep:?}");
                assert_eq!(max_chars.is_some(), expected.contains(MARK));
            }
        }
    }

    #[test]
    fn last_line_over_the_limit_shows_its_end() {
        let text = format!("a\n{}\n{}END\n", "x".repeat(90_000), "y".repeat(90_000));
        let (kept, max_chars) = shown(&text, Keep::Tail, Spared::Last, 1000);
        assert_eq!((kept.content, max_chars), (format!("{}END", "y".repeat(9997)), None));
    }

    proptest! {
        #[test]
        fn texts_without_long_lines_are_collected_as_they_are(text in "([a-c]{0,40}\n){0,90}[a-c]{0,9}", piece in 1_usize..99) {
            for keep in [Keep::Tail, Keep::WholeLines, Keep::Both { head: 3 }] {
                let (kept, max_chars) = shown(&text, keep, Spared::Last, piece);
                prop_assert_eq!(kept, truncate(&text, Bounds::new(50, 10_000), keep));
                prop_assert_eq!(max_chars, None);
            }
        }
    }
}
