//! Keeping the start of a text.

use crate::text::{self, Counter};
use crate::truncate::Bounds;

use crate::text::Extent;

use super::{Collector, Cut, Partial, TruncatedBy, Truncation, as_index, as_u64, lines_of};

/// Keeps the first lines that fit.
///
/// ```
/// use cutline::limits::Bounds;
/// use cutline_core::truncate::{Collector, Head};
/// let mut head = Head::new(Bounds { lines: 2, bytes: 100 });
/// head.push("one\ntwo\nthree\n");
/// let kept = head.finish();
/// assert_eq!(kept.content, "one\ntwo");
/// assert_eq!((kept.output.lines, kept.total.lines), (2, 3));
/// ```
#[derive(Debug)]
pub struct Head {
    bounds: Bounds,
    partial_allowed: bool,
    /// Whole lines with their newlines, then the line that is being taken in.
    kept: String,
    /// Where that line starts.
    line_start: usize,
    /// How many whole lines were kept.
    lines: u64,
    cut: Option<TruncatedBy>,
    total: Counter,
}

impl Head {
    /// Keeps whole lines only: nothing at all where the first is over the byte limit.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            partial_allowed: false,
            kept: String::new(),
            line_start: 0,
            lines: 0,
            cut: None,
            total: Counter::default(),
        }
    }

    /// Keeps the start of the first line where that alone is over the byte limit.
    pub fn with_partial_line(bounds: Bounds) -> Self {
        Self { partial_allowed: true, ..Self::new(bounds) }
    }

    /// Whether more text would only be counted.
    pub fn is_full(&self) -> bool {
        self.cut.is_some()
    }

    /// Takes in one line or a part of it; its newline included where it ends here.
    fn take(&mut self, piece: &str) {
        let line = piece.strip_suffix('\n').unwrap_or(piece);
        if self.lines == self.bounds.lines {
            self.cut = Some(TruncatedBy::Lines);
        } else if as_u64(self.kept.len() + line.len()) > self.bounds.bytes {
            if self.partial_allowed && self.lines == 0 {
                let room = as_index(self.bounds.bytes) - self.kept.len();
                self.kept.push_str(text::prefix(line, room));
            } else {
                self.kept.truncate(self.line_start);
            }
            self.cut = Some(TruncatedBy::Bytes);
        } else {
            self.kept.push_str(piece);
            if line.len() < piece.len() {
                self.lines += 1;
                self.line_start = self.kept.len();
            }
        }
    }
}

impl Collector for Head {
    fn push(&mut self, text: &str) {
        self.total.push(text.as_bytes());
        for piece in text.split_inclusive('\n') {
            if self.is_full() {
                return;
            }
            self.take(piece);
        }
    }

    fn finish(mut self) -> Truncation {
        let total = self.total.extent();
        let Some(by) = self.cut else {
            let bytes = self.kept.strip_suffix('\n').unwrap_or(&self.kept).len();
            let output = Extent { lines: total.lines, bytes: as_u64(bytes) };
            return Truncation { content: self.kept, total, output, cut: None };
        };
        let lines = lines_of(&self.kept);
        let partial = (lines > self.lines).then_some(Partial::FirstLine);
        if self.kept.ends_with('\n') {
            self.kept.pop();
        }
        let output = Extent { lines, bytes: as_u64(self.kept.len()) };
        Truncation { content: self.kept, total, output, cut: Some(Cut { by, partial, gap: None }) }
    }
}
