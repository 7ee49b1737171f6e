//! Keeping both ends of a text, with a gap between them.

use crate::text::Extent;

use super::{Bounds, Collector, Cut, Head, Tail, TruncatedBy, Truncation};

/// Keeps the first and the last lines that fit.
///
/// Everything is kept while it is within the lines of both ends together and within the bytes.
/// Past that, the head gets its share of the bytes, in proportion to its lines and its newlines
/// counted, and the tail all that the head did not use. A first line over the head's share is left
/// out; of a last line over the tail's, the end is kept.
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, HeadTail};
/// let mut ends = HeadTail::new(Bounds::new(3, 100), 1);
/// ends.push("one\ntwo\nthree\nfour\nfive\n");
/// let kept = ends.finish();
/// assert_eq!(kept.content, "one\nfour\nfive");
/// assert_eq!(kept.cut.unwrap().head.bytes, 4);
/// ```
#[derive(Debug)]
pub struct HeadTail {
    bounds: Bounds,
    head_lines: u64,
    /// The first lines within their share.
    head: Head,
    /// The end of everything: all of it, if that is within the limits.
    all: Tail,
}

impl HeadTail {
    /// Returns a collector that keeps `head_lines` from the start, and the others, at least one, from the end.
    pub fn new(bounds: Bounds, head_lines: u64) -> Self {
        let head_lines = head_lines.min(bounds.lines.saturating_sub(1));
        let share = |limit: u64| {
            let share = u128::from(limit) * u128::from(head_lines) / u128::from(bounds.lines.max(1));
            u64::try_from(share).unwrap_or(limit)
        };
        // The newline that ends the head is part of its share: so much less for its inside.
        let inside = share(bounds.bytes).checked_sub(bounds.bytes_of("\n"));
        let head = Bounds {
            lines: inside.map_or(0, |_| head_lines),
            bytes: inside.unwrap_or(0),
            tokens: bounds.tokens.map(share),
            ..bounds
        };
        Self { bounds, head_lines, head: Head::new(head), all: Tail::new(bounds) }
    }
}

impl Collector for HeadTail {
    fn push(&mut self, text: &str) {
        if !self.head.is_full() {
            self.head.push(text);
        }
        self.all.push(text);
    }

    fn finish(&mut self) -> Truncation {
        let whole = self.all.end(self.bounds);
        if whole.cut.is_none() {
            return whole;
        }
        let first = self.head.finish();
        let mut head = first.content;
        if first.output.lines > 0 {
            head.push('\n');
        }
        // The newline may cost more than the line before it left.
        if self.bounds.exceeded_by(&head).is_some() {
            head.clear();
        }
        let kept = Extent::of(&head);
        self.all.drop_first(kept.bytes);
        let tail_lines = self.bounds.lines - self.head_lines;
        let tail = self.all.end(Bounds { lines: tail_lines, ..self.bounds.less(&head) });
        let is_full = kept.lines == self.head_lines && tail.output.lines == tail_lines;
        let partial = tail.cut.and_then(|cut| cut.partial);
        let by = if is_full && partial.is_none() {
            TruncatedBy::Lines
        } else {
            let ends = [tail.cut, first.cut].into_iter().flatten().map(|cut| cut.by);
            ends.into_iter().find(|by| *by != TruncatedBy::Lines).unwrap_or(TruncatedBy::Bytes)
        };
        let lines = kept.lines + tail.output.lines;
        Truncation::new(head + tail.body(), lines, whole.total, Some(Cut { by, partial, head: kept }))
    }
}
