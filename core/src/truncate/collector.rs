//! Keeps the part of a stream that its limits allow, and counts all of it.

use super::head::Head;
use super::keyed::{self, Ends, KeyForms, KeySpace};
use super::tail::Tail;
use super::{Bounds, Cut, Keep, TruncatedBy, Truncation};
use crate::key_lines::Candidates;
use crate::text::{Counter, Extent, as_index};

/// Takes text piece by piece and keeps the part that its bounds allow.
///
/// The first lines:
///
/// ```
/// use cutline_core::truncate::{Bounds, Collector, Keep};
/// let mut head = Collector::new(Bounds::new(2, 100), Keep::Head);
/// ["one\ntw", "o\nthree\n"].into_iter().for_each(|piece| head.push(piece));
/// let kept = head.finish();
/// assert_eq!(kept.content, "one\ntwo");
/// assert_eq!((kept.output.lines, kept.total.lines), (2, 3));
/// ```
///
/// The last lines:
///
/// ```
/// # use cutline_core::truncate::{Bounds, Collector, Keep};
/// let mut tail = Collector::new(Bounds::new(2, 100), Keep::Tail);
/// tail.push("one\ntwo\nthree\n");
/// assert_eq!(tail.finish().content, "two\nthree");
/// ```
///
/// Both: a text within the limits is kept complete. Of others, the head gets a part of the bytes in proportion to its lines,
/// and the tail gets the rest. The head omits a first line that is too long for it. The tail keeps the end of a last line that
/// is too long.
///
/// ```
/// # use cutline_core::truncate::{Bounds, Collector, Keep};
/// let mut ends = Collector::new(Bounds::new(3, 100), Keep::Both { head: 1 });
/// ends.push("one\ntwo\nthree\nfour\nfive\n");
/// let kept = ends.finish();
/// assert_eq!(kept.content, "one\nfour\nfive");
/// assert_eq!(kept.cut.unwrap().head.bytes, 4);
/// ```
#[derive(Debug, Clone)]
pub struct Collector {
    bounds: Bounds,
    /// Maximum number of lines from the start, if the end is kept too.
    head_lines: u64,
    /// The first lines, within their part of the limits if the end is kept too.
    head: Head,
    /// The end of the text, or all of it if it is within the limits. `None` if only the start is kept.
    tail: Option<Tail>,
    total: Counter,
    /// The candidates for key lines, and the limits of those that are shown.
    key_lines: Option<(Candidates, KeySpace)>,
}

impl Collector {
    /// Returns a collector of what `keep` says, within `bounds`.
    pub fn new(bounds: Bounds, keep: Keep) -> Self {
        let head_lines = match keep {
            Keep::Both { head } => head.min(bounds.lines.saturating_sub(1)),
            _ => 0,
        };
        let has_tail = matches!(keep, Keep::Tail | Keep::Both { .. });
        let head = if has_tail { share(bounds, head_lines) } else { bounds };
        Self {
            bounds,
            head_lines,
            head: Head::new(head, keep == Keep::Head),
            tail: has_tail.then(|| Tail::new(bounds)),
            total: Counter::default(),
            key_lines: None,
        }
    }

    /// Returns the same collector, which also looks for key lines in the text.
    ///
    /// [`finish_with`](Self::finish_with) shows those that the limits omit.
    #[must_use]
    pub fn with_key_lines(self, space: KeySpace) -> Self {
        let bounds = match space {
            KeySpace::Shared => self.bounds,
            KeySpace::Beside(bounds) => bounds,
        };
        Self { key_lines: Some((Candidates::new(as_index(bounds.bytes)), space)), ..self }
    }

    /// Returns the limits of the kept text.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// True if more text would only be counted.
    pub fn is_full(&self) -> bool {
        self.head.cut.is_some() && self.tail.is_none() && self.key_lines.is_none()
    }

    /// Takes the next piece.
    pub fn push(&mut self, text: &str) {
        self.total.push(text.as_bytes());
        self.head.push(text);
        if let Some(tail) = &mut self.tail {
            tail.push(text);
        }
        if let Some((candidates, _)) = &mut self.key_lines {
            candidates.push(text);
        }
    }

    /// Returns the kept text, and the counts of the full text.
    pub fn finish(self) -> Truncation {
        self.kept(self.bounds)
    }

    /// Returns the same with key lines from the part that the limits omit, and lines around them. They are within the
    /// limits, with a marker for each gap. Without key lines this is [`finish`](Self::finish).
    ///
    /// ```
    /// use cutline_core::truncate::{Bounds, Collector, KeyForms, KeySpace, Keep};
    /// let mut tail = Collector::new(Bounds::new(8, 300), Keep::Tail).with_key_lines(KeySpace::Shared);
    /// tail.push("building a\nsrc/a.c:3:5: error: no such member\nbuilding b\n");
    /// (1..=20).for_each(|n| tail.push(&format!("building c{n}\n")));
    /// let kept = tail.finish_with(KeyForms::All);
    /// assert_eq!(
    ///     kept.content,
    ///     "building a\nsrc/a.c:3:5: error: no such member\n[...lines 3-19 omitted...]\n\
    ///      (lines 20 to 23)\nbuilding c17\nbuilding c18\nbuilding c19\nbuilding c20",
    /// );
    /// assert_eq!((kept.key_lines[1].line, kept.key_lines[1].count), (2, 1));
    /// ```
    pub fn finish_with(mut self, forms: KeyForms) -> Truncation {
        let key_lines = self.key_lines.take();
        let plain = self.kept(self.bounds);
        let (Some((candidates, space)), true) = (key_lines, forms != KeyForms::None) else { return plain };
        let tail_lines = self.bounds.lines - self.head_lines;
        let ends = Ends {
            bounds: self.bounds,
            shared: Bounds { lines: tail_lines, ..self.bounds.less(self.head_before_tail()) },
            has_tail: self.tail.is_some(),
        };
        keyed::with_key_lines(plain, candidates.finish(), forms, space, ends, |bounds| self.kept(bounds))
    }

    /// Returns the first lines if the end is kept too.
    fn head_before_tail(&self) -> &str {
        let head = &self.head.kept;
        // The newline may cost more than the line before it left.
        let has_head = self.head_lines > 0 && self.tail.is_some() && self.bounds.exceeded_by(head).is_none();
        if has_head { head } else { "" }
    }

    /// Returns the part within `bounds`, which must not exceed those of the collector.
    fn kept(&self, bounds: Bounds) -> Truncation {
        let total = self.total.extent();
        let Some(tail) = &self.tail else { return self.head.within(bounds, total) };
        let whole = tail.end(bounds, total);
        if whole.cut.is_none() || self.head_lines == 0 {
            return whole;
        }
        let (head, head_cut) = (self.head_before_tail(), self.head.cut);
        let kept = Extent::of(head);
        let tail_lines = bounds.lines.saturating_sub(self.head_lines);
        let end = tail.end_after(kept.bytes, Bounds { lines: tail_lines, ..bounds.less(head) }, total);
        let is_full = kept.lines == self.head_lines && end.output.lines == tail_lines;
        let partial = end.cut.and_then(|cut| cut.partial);
        let by = if is_full && partial.is_none() {
            TruncatedBy::Lines
        } else {
            let mut ends = end.cut.map(|cut| cut.by).into_iter().chain(head_cut);
            ends.find(|by| *by != TruncatedBy::Lines).unwrap_or(TruncatedBy::Bytes)
        };
        let lines = kept.lines + end.output.lines;
        Truncation::new(head.to_owned() + end.body(), lines, total, Some(Cut { by, partial, head: kept }))
    }
}

/// Returns the part of `bounds` for the first `lines`, without the newline that ends them.
fn share(bounds: Bounds, lines: u64) -> Bounds {
    let share = |limit: u64| {
        let share = u128::from(limit) * u128::from(lines) / u128::from(bounds.lines.max(1));
        u64::try_from(share).unwrap_or(limit)
    };
    let inside = share(bounds.bytes).checked_sub(bounds.bytes_of("\n"));
    Bounds {
        lines: inside.map_or(0, |_| lines),
        bytes: inside.unwrap_or(0),
        tokens: bounds.tokens.map(share),
        ..bounds
    }
}
