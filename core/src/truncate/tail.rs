//! Keeping the end of a text.

use super::{Bounds, Cut, Meter, Partial, TruncatedBy, Truncation, as_index, part_within};
use crate::text::{self, Extent};

/// Keeps the last lines that fit, or the end of the last line if that alone does not.
#[derive(Debug, Clone)]
pub(super) struct Tail {
    /// Bytes of the end that are needed: the limit, a final newline, the newline that
    /// shows that a line begins there, and a character cut in two. At most twice as many are stored.
    needed: usize,
    /// The end of the text, with at least `needed` bytes if there are so many.
    recent: String,
}

impl Tail {
    /// Returns an empty tail for these limits.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { needed: as_index(bounds.bytes).saturating_add(2 + 4), recent: String::new() }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, text: &str) {
        let mut new = text;
        if self.recent.len() + text.len() > self.needed.saturating_mul(2) {
            let surplus = (self.recent.len() + text.len()).saturating_sub(self.needed);
            let of_text = surplus.saturating_sub(self.recent.len());
            new = &text[text.floor_char_boundary(of_text)..];
            self.recent.drain(..self.recent.floor_char_boundary(surplus));
        }
        self.recent.push_str(new);
    }

    /// Returns the stored end of the text after its first newline.
    pub(super) fn after_first_newline(&self) -> &str {
        self.recent.split_once('\n').map_or("", |(_, lines)| lines)
    }

    /// Returns the last line with its newline, or the stored end of it.
    pub(super) fn last_line(&self) -> &str {
        let body = self.recent.strip_suffix('\n').unwrap_or(&self.recent);
        &self.recent[body.rfind('\n').map_or(0, |newline| newline + 1)..]
    }

    /// Returns the last lines within `bounds`, which must not exceed its own, of the text without its first `bytes`.
    /// `total` has the counts of the text.
    pub(super) fn end_after(&self, bytes: u64, bounds: Bounds, total: Extent) -> Truncation {
        let rest = as_index(total.bytes - bytes);
        let recent = &self.recent[self.recent.len().saturating_sub(rest)..];
        let body = recent.strip_suffix('\n').unwrap_or(recent);
        let (start, lines, by) = fitting(body, bounds);
        let Some(by) = by else {
            return Truncation::new(recent.to_owned(), Extent::of(recent).lines, total, None);
        };
        let (content, partial, by) = match lines {
            0 => {
                let (end, by) = part_within(body, as_index(bounds.bytes), Meter::new(bounds), text::suffix);
                (end, Some(Partial::LastLine), by)
            }
            _ => (&body[start..], None, by),
        };
        let cut = Cut { by, partial, head: Extent::default() };
        Truncation::new(content.to_owned(), lines.max(1), total, Some(cut))
    }
}

/// Returns the offset in `body` of the last whole lines that fit, their number, and the limit that stopped there; `None`
/// if that is all. Where `body` is the end of a longer text, it is over the bytes.
fn fitting(body: &str, bounds: Bounds) -> (usize, u64, Option<TruncatedBy>) {
    let (mut start, mut lines, mut meter) = (body.len(), 0, Meter::new(bounds));
    let newlines = memchr::memrchr_iter(b'\n', body.as_bytes());
    for begin in newlines.map(|newline| newline + 1).chain([0]) {
        meter.add_line(&body[begin..start]);
        let by = meter.exceeded();
        if by.is_some() {
            return (start, lines, by);
        }
        (start, lines) = (begin, lines + 1);
    }
    (start, lines, None)
}
