//! Long lines of a text that does not fit: cut, so that other lines are shown too.

use super::line::CUT_MARK;
use super::{Collector, KeyForms, TruncatedBy, Truncation};
use crate::text::as_index;

/// Bytes of an open line after which its end is not searched if only the start of the text is kept. Then no line is cut.
const MOST_OPEN_BYTES: usize = 16_000_000;

/// Collects a text. If it does not fit because of its bytes or tokens, each line of it that alone exceeds a quarter of the
/// limit of bytes, and has more than 2000 characters, is cut to these. If the end of the text is kept, the last line is not cut,
/// otherwise the first one: this line has a notice of its own if it exceeds the limit.
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, LongLines};
/// let collector = Collector::new(Bounds::new(2000, 10_000), Keep::Tail);
/// let mut lines = LongLines::new(collector, None);
/// lines.push(&format!("first\n{}\nlast\n", "x".repeat(20_000)));
/// let (kept, max_chars) = lines.finish_with(KeyForms::None);
/// assert_eq!(kept.content, format!("first\n{}... [truncated]\nlast\n", "x".repeat(2000)));
/// assert_eq!(max_chars, Some(2000));
/// ```
#[derive(Debug)]
pub struct LongLines {
    /// Bytes of UTF-8 that a line may have. `None` if no line is cut.
    most: Option<usize>,
    /// The text as it is.
    whole: Collector,
    /// The text with cut lines. `None` before the first long line.
    cut: Option<Collector>,
    /// True if `cut` differs from `whole`.
    is_any_cut: bool,
    /// The start of the open line, which no collector has. Of a long line, which `whole` has, the part for `cut`.
    held: String,
    /// Bytes so far of the long line that `cut` does not have yet.
    long: Option<usize>,
    /// True in the first line of a text of which only the start is kept.
    is_first_line: bool,
}

impl LongLines {
    /// Characters of a long line that are shown.
    pub const SHOWN_CHARS: usize = 2000;

    /// Cuts long lines of the text that `whole` collects, unless a [`LineCutter`](super::line::LineCutter) has cut all lines
    /// to `max_chars` characters.
    pub fn new(whole: Collector, max_chars: Option<usize>) -> Self {
        let most = max_chars.is_none().then(|| as_index(whole.bounds.bytes / 4));
        let (is_first_line, held) = (whole.tail.is_none(), String::new());
        Self { most, whole, cut: None, is_any_cut: false, held, long: None, is_first_line }
    }

    /// Takes the next piece.
    pub fn push(&mut self, text: &str) {
        let Some(most) = self.most else { return self.whole.push(text) };
        let mut rest = text;
        if self.is_first_line {
            let end = memchr::memchr(b'\n', rest.as_bytes()).map(|at| at + 1);
            self.is_first_line = end.is_none();
            let first;
            (first, rest) = rest.split_at(end.unwrap_or(rest.len()));
            self.whole.push(first);
        }
        if self.long.is_some() || self.has_long_line(rest, most) {
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
        // A page that is full by its lines is shown as it is.
        let is_shown = self.whole.head.cut == Some(TruncatedBy::Lines);
        self.whole.is_full() && (is_shown || self.cut.as_ref().is_none_or(Collector::is_full))
    }

    /// Returns the kept text with key lines of these forms, and the most characters of a line if lines in it were cut.
    pub fn finish_with(mut self, forms: KeyForms) -> (Truncation, Option<usize>) {
        match (self.long, &self.whole.tail) {
            (None, _) => self.push_held(),
            (Some(_), None) => self.push_cut(),
            (Some(_), Some(tail)) => self.cut.iter_mut().for_each(|cut| cut.push(tail.last_line())),
        }
        let whole = self.whole.finish_with(forms);
        let is_over = whole.cut.is_some_and(|cut| cut.by != TruncatedBy::Lines);
        match self.cut.filter(|_| self.is_any_cut && is_over) {
            None => (whole, None),
            Some(cut) => {
                let cut = cut.finish_with(forms);
                let is_shown = cut.content.lines().any(|line| line.ends_with(CUT_MARK));
                (cut, is_shown.then_some(Self::SHOWN_CHARS))
            }
        }
    }

    /// Returns true if the open line with the start of `text`, or another line in `text`, has more than `most` bytes.
    fn has_long_line(&self, text: &str, most: usize) -> bool {
        let (mut rest, mut room) = (text.as_bytes(), most.saturating_sub(self.held.len()));
        while let Some(start) = rest.get(..=room) {
            let Some(newline) = memchr::memrchr(b'\n', start) else { return true };
            (rest, room) = (rest.get(newline + 1..).unwrap_or_default(), most);
        }
        false
    }

    /// Takes a part of one line.
    fn push_part(&mut self, part: &str) {
        let Some(most) = self.most else { return self.whole.push(part) };
        if self.long.is_some() && self.held.ends_with('\n') {
            self.push_cut();
        }
        let newline = if part.ends_with('\n') { "\n" } else { "" };
        if let Some(bytes) = &mut self.long {
            *bytes += part.len();
            self.whole.push(part);
            self.held += newline;
            if *bytes > MOST_OPEN_BYTES && self.whole.tail.is_none() {
                (self.most, self.cut, self.long) = (None, None, None);
                self.held.clear();
            }
            return;
        }
        self.held += part;
        if let Some(start) = start(&self.held).filter(|_| self.held.len() > most) {
            let shown = [start, CUT_MARK, newline].concat();
            self.cut.get_or_insert_with(|| self.whole.clone());
            self.whole.push(&self.held);
            self.long = Some(self.held.len());
            self.held = shown;
        } else if !newline.is_empty() {
            self.push_held();
        }
    }

    fn push_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.push_both(&held);
    }

    fn push_both(&mut self, text: &str) {
        self.whole.push(text);
        self.cut.iter_mut().for_each(|cut| cut.push(text));
    }

    /// Adds the start of a long line.
    fn push_cut(&mut self) {
        self.cut.iter_mut().for_each(|cut| cut.push(&self.held));
        self.held.clear();
        (self.long, self.is_any_cut) = (None, true);
    }
}

/// Returns the start of a line that has more characters than are shown.
fn start(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.char_indices().nth(LongLines::SHOWN_CHARS).and_then(|(at, _)| line.get(..at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truncate::{Bounds, Keep, truncate};
    use proptest::prelude::*;

    fn shown(text: &str, keep: Keep, piece: usize) -> (Truncation, Option<usize>) {
        let mut lines = LongLines::new(Collector::new(Bounds::new(50, 10_000), keep), None);
        for part in text.as_bytes().chunks(piece) {
            lines.push(str::from_utf8(part).unwrap());
        }
        lines.finish_with(KeyForms::None)
    }

    #[test]
    fn long_lines_are_cut_if_the_text_does_not_fit() {
        let last = "y".repeat(5000);
        let (long, cut) = ("x".repeat(9000), format!("{}{CUT_MARK}", "x".repeat(2000)));
        for piece in [1000, 7, 100_000] {
            for (text, keep, expected) in [
                // It fits.
                (format!("{long}\na\n"), Keep::Tail, format!("{long}\na\n")),
                (format!("a\n{long}\n{long}\nb"), Keep::Tail, format!("a\n{cut}\n{cut}\nb")),
                (format!("a\n{long}\n{last}"), Keep::Tail, format!("a\n{cut}\n{last}")),
                (format!("a\n{long}\n{long}\nb"), Keep::WholeLines, format!("a\n{cut}\n{cut}\nb")),
                (format!("{long}\n{long}"), Keep::WholeLines, long.clone()),
                (format!("{long}\nb\n{long}"), Keep::WholeLines, format!("{long}\nb")),
            ] {
                let (kept, max_chars) = shown(&text, keep, piece);
                assert_eq!(kept.content, expected, "{keep:?}");
                assert_eq!(max_chars.is_some(), expected.contains(CUT_MARK));
            }
        }
    }

    #[test]
    fn last_line_over_the_limit_shows_its_end() {
        let text = format!("a\n{}\n{}END\n", "x".repeat(90_000), "y".repeat(90_000));
        let (kept, max_chars) = shown(&text, Keep::Tail, 1000);
        assert_eq!((kept.content, max_chars), (format!("{}END", "y".repeat(9997)), None));
    }

    #[test]
    fn line_whose_end_is_far_ends_the_page() {
        let mut lines = LongLines::new(Collector::new(Bounds::new(50, 10_000), Keep::WholeLines), None);
        lines.push(&format!("a\n{}\n", "x".repeat(9000)));
        for _ in 0..17 {
            lines.push(&"y".repeat(1_000_000));
        }
        assert!(lines.is_full());
        let (kept, max_chars) = lines.finish_with(KeyForms::None);
        assert_eq!((kept.content.len(), kept.cut.is_some(), max_chars), (9002, true, None));
    }

    proptest! {
        #[test]
        fn texts_without_long_lines_are_collected_as_they_are(text in "([a-c]{0,40}\n){0,90}[a-c]{0,9}", piece in 1_usize..99) {
            for keep in [Keep::Tail, Keep::WholeLines, Keep::Both { head: 3 }] {
                let (kept, max_chars) = shown(&text, keep, piece);
                prop_assert_eq!(kept, truncate(&text, Bounds::new(50, 10_000), keep));
                prop_assert_eq!(max_chars, None);
            }
        }
    }
}
