//! The text of a result, cut at whole lines: its blocks are one text, joined by an empty line.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "offsets are at characters, and blocks are numbered: a wrong one must fail"
)]

use std::ops::Range;

use cutline_core::notice::{Omission, Shown};
use cutline_core::text::{Counter, Extent, TokenCounter};
use cutline_core::truncate::{Bounds, Collector as _, Ends, Keep, Partial, TruncatedBy, Truncation};

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

/// True if `texts`, whose counts as one text are `raw`, are within `bounds`; a final newline does not count.
pub(super) fn fits(texts: &[&str], raw: &Counter, bounds: Bounds) -> bool {
    let Extent { lines, bytes } = raw.extent();
    let final_newline = u64::from(bytes > 0 && raw.is_at_line_start());
    lines <= bounds.lines
        && bytes - final_newline <= bounds.bytes
        && bounds.tokens.is_none_or(|max| tokens(texts.iter().copied()) <= max)
}

/// Cuts `pieces`, whose counts as they were sent are `raw`, to what `keep` and `bounds`, whose lines do not count, allow.
/// If nothing but blank ones would be left, they are cut again without the blank ones at both ends.
pub(super) fn cut(pieces: &[Piece<'_>], keep: Keep, bounds: Bounds, raw: &Counter) -> Outcome {
    let outcome = cut_all(pieces, keep, bounds, raw);
    let Outcome::Cut(blank) = &outcome else { return outcome };
    let shown = |(kept, piece): (&Kept, &Piece<'_>)| match kept {
        Kept::Whole => !is_blank(piece.text),
        Kept::Part(part) => !is_blank(part),
        Kept::Nothing => false,
    };
    let is_filled = |piece: &Piece<'_>| !is_blank(piece.text);
    let filled = pieces.iter().position(is_filled).zip(pieces.iter().rposition(is_filled));
    let Some((first, last)) = filled.filter(|_| !blank.kept.iter().zip(pieces).any(shown)) else {
        return outcome;
    };
    let inner = &pieces[first..=last];
    if inner.len() == pieces.len() {
        return outcome;
    }
    let texts = || inner.iter().map(|piece| piece.text);
    let (counts, total) = (counted(texts()), raw.extent().lines);
    let newline_count = |part: &str| memchr::memchr_iter(b'\n', part.as_bytes()).count() as u64;
    let before: u64 = pieces[..first]
        .iter()
        .map(|piece| newline_count(piece.text) + newline_count(joint(piece.text)))
        .sum();
    let mut cut = match cut_all(inner, keep, bounds, &counts) {
        Outcome::OneValue(n, by) => return Outcome::OneValue(first + n, by),
        Outcome::Cut(cut) => cut,
        Outcome::Fits => {
            let (Extent { lines, bytes }, limit) = (counts.extent(), bounds.size_limit(blank.by));
            let output = Extent { lines, bytes: bytes - u64::from(counts.is_at_line_start()) };
            TextCut {
                kept: vec![Kept::Whole; inner.len()],
                shown: Shown::Lines { first: 1, last: output.lines, total, limit },
                by: blank.by,
                partial: None,
                omitted_lines: blank.omitted_lines.map(|_| total.saturating_sub(output.lines)),
                output,
                output_tokens: tokens(texts()),
            }
        }
    };
    cut.shown = cut.shown.after(before, total);
    cut.kept.splice(0..0, vec![Kept::Nothing; first]);
    cut.kept.resize(pieces.len(), Kept::Nothing);
    Outcome::Cut(cut)
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn cut_all(pieces: &[Piece<'_>], keep: Keep, bounds: Bounds, raw: &Counter) -> Outcome {
    let mut ends = Ends::within(keep, bounds);
    joined(pieces.iter().map(|piece| piece.text)).for_each(|part| ends.push(part));
    let Truncation { content, output, cut, .. } = ends.finish();
    let Some(how) = cut else { return Outcome::Fits };

    let places = places(pieces);
    let last = pieces.last().zip(places.last());
    let end = last.map_or(0, |(piece, place)| {
        let has_newline = if place.is_empty() { place.end > 0 } else { piece.text.ends_with('\n') };
        place.end - usize::from(has_newline)
    });
    // What was kept is the start of the text up to `head`, and its end from `tail` on.
    let is_head = matches!(keep, Keep::Head(_));
    let gap = how.gap.map_or((0, 0), |gap| (gap.at, gap.head_lines));
    let (most_head, most_head_lines) = if is_head { (content.len(), output.lines) } else { gap };
    let first_tail = end - (content.len() - most_head);
    let (mut head, mut tail) = (most_head, first_tail);
    // A JSON value is shown whole or not at all.
    for (_, place) in pieces.iter().zip(&places).filter(|(piece, _)| piece.is_json) {
        let is_inside = |at: usize| place.start < at && at < place.end;
        if is_inside(head) {
            head = place.start;
        }
        if is_inside(tail) {
            tail = place.end.min(end);
        }
    }
    let between_values = (head, tail) != (most_head, first_tail);
    if between_values && head == 0 && tail == end {
        let wanted = if is_head { 0 } else { pieces.len() };
        let values = pieces.iter().enumerate().filter(|(_, piece)| piece.is_json).map(|(n, _)| n);
        return Outcome::OneValue(values.min_by_key(|n| n.abs_diff(wanted)).unwrap_or(0), how.by);
    }
    // What joins a block that is not shown to the one before is not shown either.
    for (before, after) in places.iter().zip(places.iter().skip(1)).rev() {
        if (before.end..=after.start).contains(&head) {
            head = before.end;
        }
    }
    for (before, after) in places.iter().zip(places.iter().skip(1)) {
        if (before.end..after.start).contains(&tail) {
            tail = after.start.min(end);
        }
    }
    let (head_text, tail_text) = (&content[..head], &content[content.len() - (end - tail)..]);
    let head_lines = if head == most_head { most_head_lines } else { counted([head_text]).extent().lines };
    let tail_lines = match tail_text {
        _ if is_head => 0,
        _ if tail == first_tail => output.lines.saturating_sub(most_head_lines),
        "" => 0,
        text => memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64 + 1,
    };
    let partial = how.partial.filter(|_| !between_values);
    let total = raw.extent().lines;
    let limit = bounds.size_limit(how.by);
    let first_of_tail = (total + 1).saturating_sub(tail_lines);
    let shown = match (partial, head_lines, tail_lines) {
        (Some(Partial::FirstLine), ..) => {
            Shown::StartOfLine { line: 1, bytes: head as u64, of: raw.first_line_bytes() }
        }
        (Some(Partial::LastLine), ..) => {
            let (bytes, of) = (tail_text.len() as u64, raw.last_line_bytes());
            Shown::EndOfLine { head: head_lines, line: total, bytes, of }
        }
        (None, _, 0) => Shown::Lines { first: 1, last: head_lines, total, limit },
        (None, 0, _) => Shown::Lines { first: first_of_tail, last: total, total, limit },
        (None, ..) => Shown::Ends { head: head_lines, tail: first_of_tail, total, limit },
    };
    let omitted = total.saturating_sub(head_lines + tail_lines);
    let omitted_lines = matches!(keep, Keep::Both { .. }).then_some(omitted);
    let gap = omitted_lines.filter(|lines| *lines > 0 && head_lines > 0 && tail_lines > 0);
    let mut tokens = TokenCounter::default();
    tokens.push(head_text);
    tokens.add_line(tail_text);
    Outcome::Cut(TextCut {
        kept: kept(pieces, &places, &(0..head), &(tail..end), gap),
        shown,
        by: how.by,
        partial,
        omitted_lines,
        output: Extent { lines: head_lines + tail_lines, bytes: (head + end - tail) as u64 },
        output_tokens: tokens.count(),
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

/// Returns each block after the cut, of which the parts in `head` and `tail` stay; `gap` is how many lines are left out
/// between the two, where that is to be said.
fn kept(
    pieces: &[Piece<'_>],
    places: &[Range<usize>],
    head: &Range<usize>,
    tail: &Range<usize>,
    mut gap: Option<u64>,
) -> Vec<Kept> {
    let left = |(piece, place): (&Piece<'_>, &Range<usize>)| {
        let (start, end) = (overlap(place, head), overlap(place, tail));
        let shown = start.len() + end.len();
        if shown == 0 && !(place.is_empty() && (head.contains(&place.start) || tail.contains(&place.start))) {
            return Kept::Nothing;
        }
        let ends_head = !start.is_empty() && place.end + joint(piece.text).len() > head.end;
        let begins_tail = !end.is_empty() && place.start <= tail.start;
        let is_whole = shown == place.len() || (shown + 1 == place.len() && place.end > tail.end);
        match gap.take_if(|_| !piece.is_json && (ends_head || begins_tail)) {
            None if is_whole => Kept::Whole,
            None => Kept::Part([&piece.text[start], &piece.text[end]].concat()),
            Some(lines) => {
                let text = &piece.text[start];
                let before = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                let after = if end.is_empty() { "" } else { "\n" };
                Kept::Part(format!("{text}{before}{}{after}{}", Omission(lines), &piece.text[end]))
            }
        }
    };
    pieces.iter().zip(places).map(left).collect()
}

/// Returns the part of `place` that is in `range`, counted from its start.
fn overlap(place: &Range<usize>, range: &Range<usize>) -> Range<usize> {
    let (start, end) = (place.start.max(range.start), place.end.min(range.end));
    if start < end { start - place.start..end - place.start } else { 0..0 }
}

#[cfg(test)]
mod tests;
