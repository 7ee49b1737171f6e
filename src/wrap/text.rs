//! The text of a result, cut at whole lines: its blocks are one text, joined by an empty line.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "offsets are at characters, and blocks are numbered: a wrong one must fail"
)]

use std::borrow::Cow;
use std::ops::Range;

use cutline_core::notice::{Omission, Shown};
use cutline_core::text::terminal::Terminal;
use cutline_core::text::{Counter, Extent, TokenCounter, as_index, is_white_space};
use cutline_core::truncate::{Bounds, Cut, Keep, Partial, TruncatedBy, Truncation, truncate};

/// The character that begins an escape sequence.
const ESC: char = '\u{1b}';

/// The texts of a result's blocks as one text. Of each block only its place in it is held: there may be as many blocks as
/// the message has bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts<'a> {
    all: Cow<'a, str>,
    places: Vec<Range<usize>>,
}

impl<'a> Texts<'a> {
    /// Joins the texts of blocks by one empty line. One alone is not copied.
    pub(super) fn of(blocks: impl Iterator<Item = Cow<'a, str>>) -> Self {
        let mut texts = Self::default();
        for text in blocks {
            if let Some(last) = texts.places.last() {
                let joint = if texts.all[last.clone()].ends_with('\n') { "\n" } else { "\n\n" };
                texts.all += joint;
            }
            let start = texts.all.len();
            texts.all += text;
            texts.places.push(start..texts.all.len());
        }
        texts
    }

    /// Returns the one text.
    pub(super) fn all(&self) -> &str {
        &self.all
    }

    /// Returns the number of blocks.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the text of block `n`.
    pub(super) fn block(&self, n: usize) -> &str {
        &self.all[self.places[n].clone()]
    }

    /// Returns the text of each block.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &str> {
        (0..self.count()).map(|n| self.block(n))
    }

    /// Returns each as a terminal would show it, where any holds escapes.
    pub(super) fn resolved(&self, max_bytes: u64) -> Cow<'_, Texts<'_>> {
        if !self.all.contains(ESC) {
            return Cow::Borrowed(self);
        }
        let shown = |text| {
            let (mut terminal, mut shown) = (Terminal::new(max_bytes), String::new());
            terminal.push(text, &mut |part| shown.push_str(part));
            terminal.finish(&mut |part| shown.push_str(part));
            Cow::Owned(shown)
        };
        let blocks = self.blocks();
        Cow::Owned(Texts::of(
            blocks.map(|text| if text.contains(ESC) { shown(text) } else { Cow::Borrowed(text) }),
        ))
    }
}

/// A text that was cut: two parts of it stay, of which either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextCut {
    /// The part that is kept of its start.
    head: Range<usize>,
    /// The part that is kept of its end.
    tail: Range<usize>,
    /// The block in which it is said how many lines are left out between the two, and that number.
    gap: Option<(usize, u64)>,
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

/// Returns the counts of `text`.
pub(super) fn counted(text: &str) -> Counter {
    let mut counter = Counter::default();
    counter.push(text.as_bytes());
    counter
}

/// Returns the tokens of `text`, without a final newline, about.
pub(super) fn tokens(text: &str) -> u64 {
    TokenCounter::of(text.strip_suffix('\n').unwrap_or(text)).count()
}

/// True if `text`, whose counts are `raw`, is within `bounds`; a final newline does not count.
pub(super) fn fits(text: &str, raw: &Counter, bounds: Bounds) -> bool {
    let Extent { lines, bytes } = raw.extent();
    lines <= bounds.lines
        && bytes - u64::from(text.ends_with('\n')) <= bounds.bytes
        && bounds.tokens.is_none_or(|max| tokens(text) <= max)
}

/// Cuts `texts`, whose counts as they were sent are `raw`, to what `keep` and `bounds` allow;
/// `is_json` is true of a block that is one JSON value, which is shown whole or not at all. If nothing but blank blocks
/// would be left, they are cut again without the blank ones at both ends.
pub(super) fn cut(
    texts: &Texts<'_>,
    keep: Keep,
    bounds: Bounds,
    raw: &Counter,
    is_json: impl Fn(usize) -> bool,
) -> Outcome {
    let cutting = Cutting { texts, keep, bounds, is_json };
    let all = 0..texts.count();
    let outcome = cutting.cut(all.clone(), raw, None);
    let Outcome::Cut(TextCut { head, tail, by, .. }) = &outcome else { return outcome };
    let is_blank = |part: &Range<usize>| is_white_space(&texts.all[part.clone()]);
    let is_filled = |n: &usize| !is_blank(&texts.places[*n]);
    let filled = all.clone().find(is_filled).zip(all.clone().rfind(is_filled));
    match filled.map(|(first, last)| first..last + 1) {
        Some(inner) if inner != all && is_blank(head) && is_blank(tail) => {
            let place = texts.places[inner.start].start..texts.places[inner.end - 1].end;
            let counts = counted(&texts.all[place.clone()]);
            let newlines_before = memchr::memchr_iter(b'\n', &texts.all.as_bytes()[..place.start]).count();
            let mut outcome = cutting.cut(inner, &counts, Some(*by));
            if let Outcome::Cut(cut) = &mut outcome {
                cut.shown = cut.shown.after(newlines_before as u64, raw.extent().lines);
            }
            outcome
        }
        _ => outcome,
    }
}

/// The cut of a text.
struct Cutting<'a, F> {
    texts: &'a Texts<'a>,
    keep: Keep,
    bounds: Bounds,
    is_json: F,
}

impl<F: Fn(usize) -> bool> Cutting<'_, F> {
    /// Cuts `blocks`, whose counts are `raw`. With `is_cut_by` they are part of a text that this limit cuts: then they are
    /// cut too where they fit.
    fn cut(&self, blocks: Range<usize>, raw: &Counter, is_cut_by: Option<TruncatedBy>) -> Outcome {
        let Self { texts, keep, bounds, is_json } = self;
        let places = &texts.places[blocks.clone()];
        let Some((first, last)) = places.first().zip(places.last()) else { return Outcome::Fits };
        let (start, text) = (first.start, &texts.all[first.start..last.end]);
        let Truncation { content, output, cut, .. } = truncate(text, *bounds, *keep);
        let is_head = *keep == Keep::Head;
        let all = if is_head { output } else { Extent::default() };
        let as_it_is = is_cut_by.map(|by| Cut { by, partial: None, head: all });
        let Some(Cut { by, partial, head: most_head }) = cut.or(as_it_is) else { return Outcome::Fits };
        let end = start + text.strip_suffix('\n').unwrap_or(text).len();
        // A text that fits is given with its final newline.
        let kept_bytes = if cut.is_some() { content.len() } else { end - start };
        // What was kept is the start of the text up to `head`, and its end from `tail` on.
        let head_bytes = as_index(most_head.bytes);
        let (head_end, first_tail) = (start + head_bytes, end - (kept_bytes - head_bytes));
        let (mut head, mut tail) = (head_end, first_tail);
        // A JSON value is shown whole or not at all.
        let value_around = |at: usize| {
            let n = texts.places.partition_point(|place| place.end <= at);
            (n < blocks.end && texts.places[n].start < at && is_json(n)).then_some(n)
        };
        let (head_value, tail_value) = (value_around(head), value_around(tail));
        head = head_value.map_or(head, |n| texts.places[n].start);
        tail = tail_value.map_or(tail, |n| texts.places[n].end.min(end));
        let between_values = head_value.or(tail_value);
        if let Some(n) = tail_value.or(head_value)
            && head == start
            && tail == end
        {
            return Outcome::OneValue(n, by);
        }
        // What joins a block that is not shown to the one before is not shown either.
        for pair in places.windows(2).rev() {
            if (pair[0].end..=pair[1].start).contains(&head) {
                head = pair[0].end;
            }
        }
        for pair in places.windows(2) {
            if (pair[0].end..pair[1].start).contains(&tail) {
                tail = pair[1].start.min(end);
            }
        }
        let (head, tail) = (start..head, tail..end);
        let (head_text, tail_text) = (&texts.all[head.clone()], &texts.all[tail.clone()]);
        let head_lines =
            if head.end == head_end { most_head.lines } else { counted(head_text).extent().lines };
        let tail_lines = match tail_text {
            _ if is_head => 0,
            _ if tail.start == first_tail => output.lines.saturating_sub(most_head.lines),
            "" => 0,
            text => memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64 + 1,
        };
        let partial = partial.filter(|_| between_values.is_none());
        let total = raw.extent().lines;
        let output = Extent { lines: head_lines + tail_lines, bytes: (head.len() + tail.len()) as u64 };
        let left = Cut { by, partial, head: Extent { lines: head_lines, bytes: head.len() as u64 } };
        let omitted = total.saturating_sub(head_lines + tail_lines);
        let omitted_lines = matches!(keep, Keep::Both { .. }).then_some(omitted);
        let gap = omitted_lines.filter(|lines| *lines > 0 && head_lines > 0 && tail_lines > 0);
        let edges = [
            texts.places.partition_point(|place| place.start < head.end).saturating_sub(1),
            texts.places.partition_point(|place| place.end <= tail.start),
        ];
        let mut tokens = TokenCounter::of(head_text);
        tokens.add_line(tail_text);
        Outcome::Cut(TextCut {
            gap: gap.and_then(|lines| Some((edges.into_iter().find(|n| !is_json(*n))?, lines))),
            shown: Shown::of(left, output, total, raw, *bounds),
            by,
            partial,
            omitted_lines,
            output,
            output_tokens: tokens.count(),
            head,
            tail,
        })
    }
}

impl TextCut {
    /// Returns the part that is left of block `n` of the text that was cut; `None` where it goes.
    pub(super) fn left<'t>(&self, texts: &'t Texts<'_>, n: usize) -> Option<Cow<'t, str>> {
        let (text, place) = (texts.block(n), &texts.places[n]);
        let [start, end] = [&self.head, &self.tail].map(|part| {
            let start = place.start.max(part.start);
            &texts.all[start..place.end.min(part.end).max(start)]
        });
        let shown = start.len() + end.len();
        let is_empty_between = |part: &Range<usize>| place.is_empty() && part.contains(&place.start);
        if shown == 0 && !is_empty_between(&self.head) && !is_empty_between(&self.tail) {
            return None;
        }
        if let Some((_, lines)) = self.gap.filter(|(block, _)| *block == n) {
            let before = if start.is_empty() || start.ends_with('\n') { "" } else { "\n" };
            let after = if end.is_empty() { "" } else { "\n" };
            return Some(format!("{start}{before}{}{after}{end}", Omission(lines)).into());
        }
        let is_whole = shown == text.len() || (shown + 1 == text.len() && place.end > self.tail.end);
        Some(if is_whole { text.into() } else { [start, end].concat().into() })
    }
}

#[cfg(test)]
mod tests;
