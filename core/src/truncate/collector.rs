//! Keeps the part of a stream that its limits allow, and counts all of it.

use super::head::Head;
use super::keyed::{self, KeyForms, KeySpace};
use super::tail::Tail;
use super::{Bounds, Cut, Keep, TruncatedBy, Truncation};
use crate::key_lines::Kinds;
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
/// Both: a text within the limits is kept complete. Of others, the head gets a part of the bytes and tokens in proportion to
/// its lines, and the tail gets those that the head leaves. Neither gets lines of the other. The head omits a first line that
/// is too long for it. The tail keeps the end of a last line that is too long.
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
    pub(super) bounds: Bounds,
    pub(super) keep: Keep,
    /// Maximum number of lines from the start, if the end is kept too.
    pub(super) head_lines: u64,
    /// The first lines, within their part of the limits if the end is kept too.
    pub(super) head: Head,
    /// The end of the text, or all of it if it is within the limits. `None` if only the start is kept.
    pub(super) tail: Option<Tail>,
    total: Counter,
    /// The kinds of lines that report a failure, and the limits of the key lines.
    key_lines: Option<(Kinds, KeySpace)>,
}

impl Collector {
    /// Returns a collector of what `keep` says, within `bounds`.
    pub fn new(bounds: Bounds, keep: Keep) -> Self {
        let has_tail = !matches!(keep, Keep::Head | Keep::WholeLines);
        let (head_lines, head) = match keep {
            Keep::Head | Keep::WholeLines => (0, bounds),
            Keep::Tail => (0, share(bounds, 0)),
            Keep::Both { head } => {
                let lines = head.min(bounds.lines.saturating_sub(1));
                (lines, share(bounds, lines))
            }
            Keep::Short { bytes } => {
                let head = short(bounds, bytes, SHORT_HEAD);
                (head.lines, head)
            }
        };
        Self {
            bounds,
            keep,
            head_lines,
            head: Head::new(head, keep == Keep::Head),
            tail: has_tail.then(|| Tail::new(bounds)),
            total: Counter::default(),
            key_lines: None,
        }
    }

    /// Returns the same collector, which also looks for key lines in the text if it has a space for them.
    ///
    /// [`finish_with`](Self::finish_with) shows those that the limits omit.
    #[must_use]
    pub fn with_key_lines(self, space: impl Into<Option<KeySpace>>) -> Self {
        let Some(space) = space.into() else { return self };
        let bounds = match space {
            KeySpace::Shared => self.bounds,
            KeySpace::Beside(bounds) => bounds,
        };
        let bytes = match self.keep {
            Keep::Short { bytes } => bytes.min(bounds.bytes),
            _ => bounds.bytes,
        };
        Self { key_lines: Some((Kinds::new(as_index(bytes)), space)), ..self }
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
        if let Some((kinds, _)) = &mut self.key_lines {
            kinds.push(text);
        }
    }

    /// Returns the kept text, and the counts of the full text.
    pub fn finish(self) -> Truncation {
        self.plain_within(self.bounds)
    }

    /// Returns the same with key lines from the part that the limits omit, and lines around them. They are within their
    /// [`KeySpace`], with a marker for each gap. Without key lines this is [`finish`](Self::finish).
    ///
    /// ```
    /// use cutline_core::truncate::{Bounds, Collector, KeyForms, KeySpace, Keep};
    /// let mut tail = Collector::new(Bounds::new(8, 300), Keep::Tail).with_key_lines(KeySpace::Shared);
    /// tail.push("building a\nsrc/a.c:3:5: error: no such member\nbuilding b\n");
    /// (1..=20).for_each(|n| tail.push(&format!("building c{n}\n")));
    /// let kept = tail.finish_with(KeyForms::All);
    /// assert_eq!(
    ///     kept.content,
    ///     "building a\nsrc/a.c:3:5: error: no such member\nbuilding b\n[...lines 4-19 omitted...]\n\
    ///      building c17\nbuilding c18\nbuilding c19\nbuilding c20",
    /// );
    /// assert_eq!((kept.key_lines[1].line, kept.key_lines[1].count), (2, 1));
    /// ```
    pub fn finish_with(mut self, forms: KeyForms) -> Truncation {
        let key_lines = self.key_lines.take();
        let plain = self.plain_within(self.bounds);
        let keyed = key_lines.filter(|_| forms != KeyForms::None).and_then(|(mut kinds, space)| {
            kinds.finish();
            keyed::with_key_lines(&self, &plain, &kinds, space, forms)
        });
        keyed.unwrap_or(plain)
    }

    /// Returns the first lines if the end is kept too.
    pub(super) fn head_before_tail(&self) -> &str {
        let head = &self.head.kept;
        // The newline may cost more than the line before it left.
        let has_head = self.head_lines > 0 && self.tail.is_some() && self.bounds.exceeded_by(head).is_none();
        if has_head { head } else { "" }
    }

    /// Returns the text without key lines within `bounds`, which must not exceed those of the collector.
    pub(super) fn plain_within(&self, bounds: Bounds) -> Truncation {
        let total = self.total.extent();
        let Some(tail) = &self.tail else { return self.head.within(bounds, total) };
        let whole = tail.end_after(0, bounds, total);
        let Some(cut) = whole.cut else { return whole };
        if let Keep::Short { bytes } = self.keep {
            return self.ends(tail, short(bounds, bytes, SHORT_TAIL_ALONE), cut.by);
        }
        if self.head_lines == 0 {
            return whole;
        }
        let lines = bounds.lines.saturating_sub(self.head_lines).max(1);
        // A text that exceeds only the limit of lines can have more bytes in its first lines than their share.
        let whole = tail.end_after(0, Bounds { lines: u64::MAX, ..bounds }, total);
        let by = whole.cut.map_or(TruncatedBy::Lines, |cut| cut.by);
        let mut kept = self.ends(tail, Bounds { lines, ..bounds.after(self.head_before_tail(), 0) }, by);
        let is_full = kept.output.lines == self.head_lines + lines;
        if let Some(cut) = kept.cut.as_mut().filter(|cut| is_full && cut.partial.is_none()) {
            cut.by = TruncatedBy::Lines;
        }
        kept
    }

    /// Returns the first lines, and the last lines within `bounds`, of a text that exceeds the limit `by`.
    pub(super) fn ends(&self, tail: &Tail, bounds: Bounds, by: TruncatedBy) -> Truncation {
        let (text, total) = (self.head_before_tail(), self.total.extent());
        let head = Extent::of(text);
        let bounds = Bounds { lines: bounds.lines.max(1), ..bounds };
        let end = tail.end_after(head.bytes, bounds, total);
        let partial = end.cut.and_then(|cut| cut.partial);
        let lines = head.lines + end.output.lines;
        Truncation::new(text.to_owned() + end.body(), lines, total, Some(Cut { by, partial, head }))
    }
}

// The parts of a text cut by `Keep::Short`: lines for each 1000 of its `bytes`, and the share of the limits in
// thousandths. For 5000 bytes: 10 lines in 800 bytes, 20 in 1500, 40 in 3000. About 2500 bytes are for key lines.
const SHORT_HEAD: (u64, u64) = (2, 160);
pub(super) const SHORT_TAIL: (u64, u64) = (4, 300);
/// The end of a text without key lines.
const SHORT_TAIL_ALONE: (u64, u64) = (8, 600);
pub(super) const SHORT_KEY_LINES: (u64, u64) = (100, 500);

/// Returns the limits of a part of a text cut to `bytes`, within `bounds`. The part is one of the constants above.
pub(super) fn short(bounds: Bounds, bytes: u64, (lines, share): (u64, u64)) -> Bounds {
    let bytes = bytes.min(bounds.bytes);
    let part = Bounds { bytes, ..bounds }.each(|limit| limit * share / 1000);
    Bounds { lines: part.lines.min(lines * bytes / 1000), ..part }
}

/// Returns the part of `bounds` for the first `lines`, without the newline that ends them.
fn share(bounds: Bounds, lines: u64) -> Bounds {
    let part = bounds.each(|limit| {
        let share = u128::from(limit) * u128::from(lines) / u128::from(bounds.lines.max(1));
        u64::try_from(share).unwrap_or(limit)
    });
    match part.bytes.checked_sub(bounds.bytes_of("\n")) {
        Some(bytes) => Bounds { lines, bytes, ..part },
        None => Bounds { lines: 0, bytes: 0, ..part },
    }
}
