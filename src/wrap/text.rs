//! Truncates the text of a result at complete lines. Its blocks are one text, joined by empty lines.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "offsets are at character boundaries, and block indexes are in range; an error here must panic"
)]

use std::borrow::Cow;
use std::ops::Range;

use cutline_core::notice::{Omission, Shown};
use cutline_core::text::terminal::resolved;
use cutline_core::text::{Counter, Extent, TokenCounter, as_index, is_white_space};
use cutline_core::truncate::{
    Bounds, Collector, Cut, Keep, KeyForms, KeyLine, KeySpace, TruncatedBy, Truncation, truncate,
};

/// The first character of an escape sequence.
const ESC: char = '\u{1b}';

/// The texts of all blocks, joined into one text. Only the position of each block is stored, because a message can have
/// millions of blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Texts<'a> {
    all: Cow<'a, str>,
    places: Vec<Range<usize>>,
}

impl<'a> Texts<'a> {
    /// Joins the texts of blocks with an empty line between them. Does not copy a single block.
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

    /// Returns the joined text.
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

    /// Returns the texts as a terminal would show them, if any contains escapes.
    pub(super) fn resolved(&self, max_bytes: u64) -> Cow<'_, Texts<'_>> {
        if !self.all.contains(ESC) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Texts::of(self.blocks().map(|text| {
            if text.contains(ESC) { resolved(text, max_bytes).into() } else { Cow::Borrowed(text) }
        })))
    }
}

/// A truncated text: the kept parts of its start and its end. Either can be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextCut {
    /// The kept part of the start.
    head: Range<usize>,
    /// The kept part of the end.
    tail: Range<usize>,
    /// The block with the gap between the two parts, and the text that replaces the gap.
    gap: Option<(usize, String)>,
    /// The numbers for the notice.
    pub(super) shown: Shown,
    /// The limit that was reached first, and the line that was shown in part.
    pub(super) cut: Cut,
    /// The number of omitted lines, if both ends are kept.
    pub(super) omitted_lines: Option<u64>,
    /// The number of remaining lines and bytes.
    pub(super) output: Extent,
    /// The estimated number of remaining tokens.
    pub(super) output_tokens: u64,
    /// The key lines between the two parts.
    pub(super) key_lines: Vec<KeyLine>,
}

/// The outcome for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The text is within its limits.
    Fits,
    /// The text was truncated.
    Cut(TextCut),
    /// The block with this index is one JSON value that exceeds the limit by itself.
    OneValue(usize, TruncatedBy),
}

/// Returns the counts of `text`.
pub(super) fn counted(text: &str) -> Counter {
    let mut counter = Counter::default();
    counter.push(text.as_bytes());
    counter
}

/// Returns the estimated number of tokens of `text`, without a final newline.
pub(super) fn tokens(text: &str) -> u64 {
    TokenCounter::of(without_newline(text)).count()
}

fn without_newline(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

fn newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// Returns the limit that `text` exceeds. Ignores a final newline.
pub(super) fn limit_exceeded(text: &str, bounds: Bounds) -> Option<TruncatedBy> {
    let text = without_newline(text);
    let by_lines =
        || (bounds.lines < u64::MAX && newlines(text) >= bounds.lines).then_some(TruncatedBy::Lines);
    bounds.exceeded_by(text).or_else(by_lines)
}

/// Truncates `texts` to `keep` and `bounds`. `raw` has the counts of the original text. `is_json` returns true for a
/// block with one JSON value; such a block is shown completely or not at all. If only blank blocks would remain,
/// truncates again without the blank blocks at both ends.
pub(super) fn cut(
    texts: &Texts<'_>,
    (keep, forms): (Keep, KeyForms),
    bounds: Bounds,
    raw: &Counter,
    is_json: impl Fn(usize) -> bool,
) -> Outcome {
    let cutting = Cutting { texts, keep, forms, bounds, total_lines: raw.extent().lines, is_json };
    let all = 0..texts.count();
    let outcome = cutting.cut(all.clone(), raw, None);
    let Outcome::Cut(TextCut { head, tail, cut, .. }) = &outcome else { return outcome };
    let is_blank = |part: &Range<usize>| is_white_space(&texts.all[part.clone()]);
    let is_filled = |n: &usize| !is_blank(&texts.places[*n]);
    let filled = all.clone().find(is_filled).zip(all.clone().rfind(is_filled));
    match filled.map(|(first, last)| first..last + 1) {
        Some(inner) if inner != all && is_blank(head) && is_blank(tail) => {
            let place = texts.places[inner.start].start..texts.places[inner.end - 1].end;
            cutting.cut(inner, &counted(&texts.all[place]), Some(cut.by))
        }
        _ => outcome,
    }
}

/// The parameters of a truncation.
struct Cutting<'a, F> {
    texts: &'a Texts<'a>,
    keep: Keep,
    /// Which key lines are shown.
    forms: KeyForms,
    bounds: Bounds,
    /// The number of lines of all original texts.
    total_lines: u64,
    is_json: F,
}

impl<F: Fn(usize) -> bool> Cutting<'_, F> {
    /// Truncates `blocks`, which have the counts `raw`. If `is_cut_by` is set, they are part of a text over this limit,
    /// and the outcome is a truncation even if they fit.
    fn cut(&self, blocks: Range<usize>, raw: &Counter, is_cut_by: Option<TruncatedBy>) -> Outcome {
        let (all, places) = (&self.texts.places, &self.texts.places[blocks.clone()]);
        let Some((first, last)) = places.first().zip(places.last()) else { return Outcome::Fits };
        let text = &self.texts.all[first.start..last.end];
        let Truncation { output, cut, .. } = truncate(text, self.bounds, self.keep);
        let head = if self.keep == Keep::Head { output } else { Extent::default() };
        let as_it_is = is_cut_by.map(|by| Cut { by, partial: None, head });
        let Some(cut) = cut.or(as_it_is) else { return Outcome::Fits };
        // At most the text before `head` and from `tail` on is kept.
        let (start, end) = (first.start, first.start + without_newline(text).len());
        let head = start + as_index(cut.head.bytes);
        let tail = end - as_index(output.bytes - cut.head.bytes);
        // A JSON value is shown completely or not at all.
        let head_value = self.value_around(head, &blocks);
        let tail_value = self.value_around(tail, &blocks).filter(|_| self.keep != Keep::Head);
        let head_end = head_value.map_or(head, |n| all[n].start);
        let tail_start = tail_value.map_or(tail, |n| all[n].end.min(end));
        let value = tail_value.or(head_value);
        if let Some(n) = value.filter(|_| head_end == start && tail_start == end) {
            return Outcome::OneValue(n, cut.by);
        }
        let (head_end, tail_start) = without_joints(places, start..head_end, tail_start..end);
        let head_lines = if head_end == head {
            cut.head.lines
        } else {
            counted(&self.texts.all[start..head_end]).extent().lines
        };
        let tail_lines = match &self.texts.all[tail_start..end] {
            _ if tail_start == tail => output.lines - cut.head.lines,
            "" => 0,
            text => newlines(text) + 1,
        };
        let head = Extent { lines: head_lines, bytes: (head_end - start) as u64 };
        let partial = cut.partial.filter(|_| value.is_none());
        let cut = Cut { head, partial, ..cut };
        let plain = self.text_cut(start..head_end, tail_start..end, cut, tail_lines, raw);
        let may_have_key_lines = is_cut_by.is_none() && !blocks.clone().any(&self.is_json);
        let keyed = may_have_key_lines.then(|| self.with_key_lines(&plain, start..end, raw)).flatten();
        Outcome::Cut(keyed.unwrap_or(plain))
    }

    /// Truncates all texts with key lines. `plain` is the same truncation without them. Returns `None` if there are no
    /// key lines.
    fn with_key_lines(&self, plain: &TextCut, all: Range<usize>, raw: &Counter) -> Option<TextCut> {
        let mut collector = Collector::new(self.bounds, self.keep).with_key_lines(KeySpace::Shared);
        collector.push(&self.texts.all[all.start..]);
        let kept = collector.finish_with(self.forms);
        let cut = kept.cut.filter(|_| !kept.key_lines.is_empty())?;
        let (ends, head_bytes) = (kept.ends(), as_index(cut.head.bytes));
        let (head, tail) =
            (all.start..all.start + head_bytes, all.end - (as_index(ends.bytes) - head_bytes)..all.end);
        // An empty line that joins two blocks at an edge would shift the line numbers.
        if without_joints(&self.texts.places, head.clone(), tail.clone()) != (head.end, tail.start) {
            return None;
        }
        let between = &kept.content[head_bytes..kept.content.len() - tail.len()];
        let block = if head.is_empty() {
            self.texts.places.partition_point(|place| place.end <= tail.start)
        } else {
            self.texts.places.partition_point(|place| place.start < head.end).saturating_sub(1)
        };
        let lines = raw.extent().lines;
        Some(TextCut {
            gap: Some((block, between.trim_matches('\n').to_owned())),
            shown: Shown::of_text(&kept, self.total_lines, raw, self.bounds)?,
            cut,
            omitted_lines: plain.omitted_lines.map(|_| lines.saturating_sub(kept.output.lines)),
            output: kept.output,
            output_tokens: kept.tokens(),
            key_lines: kept.key_lines,
            head,
            tail,
        })
    }

    /// Returns the block of `blocks` that contains the offset `at`, if it is a JSON value.
    fn value_around(&self, at: usize, blocks: &Range<usize>) -> Option<usize> {
        let n = self.texts.places.partition_point(|place| place.end <= at);
        (n < blocks.end && self.texts.places[n].start < at && (self.is_json)(n)).then_some(n)
    }

    /// Returns the truncation that keeps `head` and `tail` of a text with the counts `raw`.
    fn text_cut(
        &self,
        head: Range<usize>,
        tail: Range<usize>,
        cut: Cut,
        tail_lines: u64,
        raw: &Counter,
    ) -> TextCut {
        let (lines, head_lines) = (raw.extent().lines, cut.head.lines);
        let before = newlines(&self.texts.all[..head.start]);
        let output = Extent { lines: head_lines + tail_lines, bytes: (head.len() + tail.len()) as u64 };
        let omitted = lines.saturating_sub(output.lines);
        let omitted_lines = matches!(self.keep, Keep::Both { .. }).then_some(omitted);
        let gap = omitted_lines.filter(|lines| *lines > 0 && head_lines > 0 && tail_lines > 0);
        let places = &self.texts.places;
        let edges = [
            places.partition_point(|place| place.start < head.end).saturating_sub(1),
            places.partition_point(|place| place.end <= tail.start),
        ];
        let mut tokens = TokenCounter::of(&self.texts.all[head.clone()]);
        tokens.add_line(&self.texts.all[tail.clone()]);
        TextCut {
            gap: gap.and_then(|lines| {
                Some((edges.into_iter().find(|n| !(self.is_json)(*n))?, Omission(lines).to_string()))
            }),
            shown: Shown::of(
                cut,
                output,
                (before + 1, before + lines),
                self.total_lines,
                raw,
                self.bounds,
                0,
            ),
            cut,
            omitted_lines,
            output,
            output_tokens: tokens.count(),
            key_lines: Vec::new(),
            head,
            tail,
        }
    }
}

/// Returns the end of `head` and the start of `tail`, without the empty line that joins a block that is not shown to
/// the previous one.
fn without_joints(places: &[Range<usize>], head: Range<usize>, tail: Range<usize>) -> (usize, usize) {
    let mut filled = places.iter().filter(|place| !place.is_empty());
    let last = filled.clone().rfind(|place| place.start < head.end);
    let first = filled.find(|place| place.end > tail.start);
    (
        last.map_or(head.start, |last| head.end.min(last.end)),
        first.map_or(tail.end, |first| tail.start.max(first.start)),
    )
}

impl TextCut {
    /// Returns the remaining text of block `n`, or `None` if the block is removed.
    pub(super) fn remaining<'t>(&self, texts: &'t Texts<'_>, n: usize) -> Option<Cow<'t, str>> {
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
        if let Some((_, gap)) = self.gap.as_ref().filter(|(block, _)| *block == n) {
            let before = if start.is_empty() || start.ends_with('\n') { "" } else { "\n" };
            let after = if end.is_empty() { "" } else { "\n" };
            return Some(format!("{start}{before}{gap}{after}{end}").into());
        }
        let is_whole = shown == text.len() || (shown + 1 == text.len() && place.end > self.tail.end);
        Some(if is_whole { text.into() } else { [start, end].concat().into() })
    }
}

#[cfg(test)]
mod tests;
