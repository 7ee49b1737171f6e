//! The text of a result, cut at whole lines: its blocks are one text, joined by an empty line.

#![expect(clippy::string_slice, reason = "offsets are at characters: a wrong one must fail")]

use std::ops::Range;

use cutline_core::notice::{Omission, Shown};
use cutline_core::text::{Counter, Extent, TokenCounter};
use cutline_core::truncate::{Bounds, Collector as _, Ends, Keep, Partial, TruncatedBy};

/// A block's text, as it is cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    /// The text, resolved where it holds escapes.
    pub(super) text: &'a str,
    /// True for a JSON value, which is not cut inside.
    pub(super) is_json: bool,
}

/// A block after the cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kept {
    /// It stays as it is.
    Whole,
    /// It goes.
    Nothing,
    /// This is left of it.
    Part(String),
}

/// A text that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextCut {
    /// Each block after the cut.
    pub(super) kept: Vec<Kept>,
    /// The words of the notice.
    pub(super) shown: Shown,
    /// The limit that was reached first.
    pub(super) by: TruncatedBy,
    /// The line of which a part was kept.
    pub(super) partial: Option<Partial>,
    /// Lines left out between the first and the last, where both ends were to be kept.
    pub(super) omitted_lines: Option<u64>,
    /// Lines and bytes that are left.
    pub(super) output: Extent,
    /// Tokens that are left, about.
    pub(super) output_tokens: u64,
}

/// The outcome for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is within its limits.
    Fits,
    /// It was cut.
    Cut(TextCut),
    /// The block of that number is one JSON value that alone is over the limit.
    OneValue(usize, TruncatedBy),
}

/// The text that joins a block to the next one.
fn joint(text: &str) -> &'static str {
    if text.ends_with('\n') { "\n" } else { "\n\n" }
}

/// The parts of `texts` as one text, in order.
pub(super) fn joined<'a>(texts: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let mut before: Option<&str> = None;
    texts.into_iter().flat_map(move |text| {
        let joint = before.replace(text).map_or("", joint);
        [joint, text]
    })
}

/// The counts of `texts` as one text.
pub(super) fn counted<'a>(texts: impl IntoIterator<Item = &'a str>) -> Counter {
    let mut counter = Counter::default();
    for part in joined(texts) {
        counter.push(part.as_bytes());
    }
    counter
}

/// True if `texts` as one text end with a newline, which an empty last one has from what joins it.
fn ends_with_newline<'a>(texts: impl IntoIterator<Item = &'a str>) -> bool {
    joined(texts).filter(|part| !part.is_empty()).last().is_some_and(|part| part.ends_with('\n'))
}

/// Returns the tokens of `texts` as one text, without a final newline, about.
pub(super) fn tokens<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut tokens = TokenCounter::default();
    let mut parts = joined(texts).filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        tokens.push(part.strip_suffix('\n').filter(|_| is_last).unwrap_or(part));
    }
    tokens.count()
}

/// True if `texts`, whose counts as one text are `extent`, are within `bounds`; a final newline does not count.
pub(super) fn fits(texts: &[&str], extent: Extent, bounds: Bounds) -> bool {
    let bytes = extent.bytes - u64::from(ends_with_newline(texts.iter().copied()));
    extent.lines <= bounds.lines
        && bytes <= bounds.bytes
        && bounds.tokens.is_none_or(|max| tokens(texts.iter().copied()) <= max)
}

/// Cuts `pieces`, whose counts as they were sent are `raw`, to what `keep` and `bounds`, whose lines do not count, allow.
pub(super) fn cut(pieces: &[Piece<'_>], keep: Keep, bounds: Bounds, raw: &Counter) -> Outcome {
    let mut ends = Ends::within(keep, bounds);
    joined(pieces.iter().map(|piece| piece.text)).for_each(|part| ends.push(part));
    let collected = ends.finish();
    let Some(how) = collected.cut else { return Outcome::Fits };

    let places = places(pieces);
    let ends_with_newline = ends_with_newline(pieces.iter().map(|piece| piece.text));
    let end = places.last().map_or(0, |last| last.end) - usize::from(ends_with_newline);
    let head_bytes = match keep {
        Keep::Head(_) => collected.content.len(),
        Keep::Tail(_) | Keep::Both { .. } => how.gap.map_or(0, |gap| gap.at),
    };
    let head_lines = match keep {
        Keep::Head(_) => collected.output.lines,
        Keep::Tail(_) | Keep::Both { .. } => how.gap.map_or(0, |gap| gap.head_lines),
    };
    let tail_bytes = collected.content.len() - head_bytes;
    let mut cut = Ranges { head: head_bytes, tail: end - tail_bytes };
    let is_inside = |place: &Range<usize>, at: usize| place.start < at && at < place.end;
    // A JSON value is shown whole or not at all.
    for (_, place) in pieces.iter().zip(&places).filter(|(piece, _)| piece.is_json) {
        if is_inside(place, cut.head) {
            cut.head = place.start;
        }
        if is_inside(place, cut.tail) {
            cut.tail = place.end.min(end);
        }
    }
    let between_values = cut.head != head_bytes || cut.tail != end - tail_bytes;
    if between_values && cut.head == 0 && cut.tail == end {
        let wanted = if matches!(keep, Keep::Head(_)) { 0 } else { pieces.len() };
        let values = pieces.iter().enumerate().filter(|(_, piece)| piece.is_json).map(|(n, _)| n);
        return Outcome::OneValue(values.min_by_key(|n| n.abs_diff(wanted)).unwrap_or(0), how.by);
    }
    // What joins a block that is not shown to the one before is not shown either.
    for (before, after) in places.iter().zip(places.iter().skip(1)) {
        if (before.end..=after.start).contains(&cut.head) {
            cut.head = before.end;
        }
        if (before.end..after.start).contains(&cut.tail) {
            cut.tail = after.start;
        }
    }
    let assembly = Assembly { pieces, places, head: cut.head, tail: cut.tail, end };
    let (head, tail) = (assembly.part(0..cut.head), assembly.part(cut.tail..end));
    let head_lines = if cut.head == head_bytes { head_lines } else { lines_of(&head) };
    let tail_lines = match keep {
        Keep::Head(_) => 0,
        _ if cut.tail == end - tail_bytes => collected.output.lines.saturating_sub(head_lines),
        _ if tail.is_empty() => 0,
        _ => newlines(&tail) + 1,
    };
    let partial = how.partial.filter(|_| !between_values);
    let total = raw.extent().lines;
    let limit = bounds.size_limit(how.by);
    let first_of_tail = (total + 1).saturating_sub(tail_lines);
    let shown = match (partial, keep) {
        (Some(Partial::FirstLine), _) => {
            Shown::StartOfLine { bytes: head.len() as u64, of: raw.first_line_bytes() }
        }
        (Some(Partial::LastLine), _) => {
            let (bytes, of) = (tail.len() as u64, raw.last_line_bytes());
            Shown::EndOfLine { head: head_lines, line: total, bytes, of }
        }
        (None, Keep::Head(_)) => Shown::Lines { first: 1, last: head_lines, total, limit },
        (None, _) if tail_lines == 0 => Shown::Lines { first: 1, last: head_lines, total, limit },
        (None, _) if head_lines == 0 => Shown::Lines { first: first_of_tail, last: total, total, limit },
        (None, _) => Shown::Ends { head: head_lines, tail: first_of_tail, total, limit },
    };
    let omitted = total.saturating_sub(head_lines + tail_lines);
    let omitted_lines = matches!(keep, Keep::Both { .. }).then_some(omitted);
    let gap = omitted_lines.filter(|lines| *lines > 0 && head_lines > 0 && tail_lines > 0);
    Outcome::Cut(TextCut {
        kept: assembly.kept(gap),
        shown,
        by: how.by,
        partial,
        omitted_lines,
        output: Extent { lines: head_lines + tail_lines, bytes: (head.len() + tail.len()) as u64 },
        output_tokens: {
            let mut tokens = TokenCounter::default();
            tokens.push(&head);
            tokens.add_line(&tail);
            tokens.count()
        },
    })
}

/// Returns the range of each block in the one text.
fn places(pieces: &[Piece<'_>]) -> Vec<Range<usize>> {
    let mut at = 0;
    let place = |piece: &Piece<'_>| {
        let place = at..at + piece.text.len();
        at = place.end + joint(piece.text).len();
        place
    };
    pieces.iter().map(place).collect()
}

/// The parts kept of a text: everything up to `head`, and from `tail` on.
struct Ranges {
    head: usize,
    tail: usize,
}

/// A text in blocks, of which everything up to `head`, and from `tail` to `end`, is kept.
struct Assembly<'a> {
    pieces: &'a [Piece<'a>],
    places: Vec<Range<usize>>,
    head: usize,
    tail: usize,
    end: usize,
}

impl Assembly<'_> {
    /// A part of the one text. Between blocks there are newlines only.
    fn part(&self, range: Range<usize>) -> String {
        let (mut part, mut at) = (String::new(), range.start);
        for (piece, place) in self.pieces.iter().zip(&self.places) {
            if place.end < range.start || place.start > range.end {
                continue;
            }
            part.extend(std::iter::repeat_n('\n', place.start.saturating_sub(at)));
            part.push_str(&piece.text[overlap(place, &range)]);
            at = at.max(place.end).min(range.end);
        }
        part
    }

    /// Returns each block after the cut; `gap` is how many lines are left out between the two parts, where
    /// that is to be said.
    fn kept(&self, gap: Option<u64>) -> Vec<Kept> {
        let mut unsaid = gap;
        let mut kept = Vec::new();
        for (piece, place) in self.pieces.iter().zip(&self.places) {
            let head = overlap(place, &(0..self.head));
            let tail = overlap(place, &(self.tail..self.end));
            let is_empty_and_shown =
                place.is_empty() && (place.start < self.head || (self.tail..self.end).contains(&place.start));
            if head.is_empty() && tail.is_empty() && !is_empty_and_shown {
                kept.push(Kept::Nothing);
                continue;
            }
            let ends_head = !head.is_empty() && place.end + joint(piece.text).len() > self.head;
            let begins_tail = !tail.is_empty() && place.start <= self.tail;
            let shown = head.len() + tail.len();
            let is_whole = shown == place.len() || (shown + 1 == place.len() && place.end > self.end);
            kept.push(match unsaid.filter(|_| !piece.is_json && (ends_head || begins_tail)) {
                None if is_whole => Kept::Whole,
                None => Kept::Part([&piece.text[head], &piece.text[tail]].concat()),
                Some(lines) => {
                    unsaid = None;
                    let mut text = piece.text[head].to_owned();
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    let newline = if tail.is_empty() { "" } else { "\n" };
                    Kept::Part(format!("{text}{}{newline}{}", Omission(lines), &piece.text[tail]))
                }
            });
        }
        kept
    }
}

/// Returns the part of `place` that is in `range`, counted from its start.
fn overlap(place: &Range<usize>, range: &Range<usize>) -> Range<usize> {
    let (start, end) = (place.start.max(range.start), place.end.min(range.end));
    if start < end { start - place.start..end - place.start } else { 0..0 }
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// Lines of a text that ends where a line does.
fn lines_of(text: &str) -> u64 {
    newlines(text) + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests;
