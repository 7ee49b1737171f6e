//! The cut of a JSON value: its texts, and the parts of it that were made shorter.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "offsets come from a valid text, and there is a first view: what is wrong must fail"
)]

use std::ops::Range;

use cutline_core::notice::PartUnit;
use cutline_core::text::tokens::estimate;
use cutline_core::truncate::{Bounds, TruncatedBy};

use super::path::{self, Step};
use super::string;
use super::value::Value;
use cutter::Cutter;

mod cutter;
mod size;

/// The mark that ends a string that is not shown to its end.
const MARK: &str = "… [truncated]";

/// A text of the value, and how much of it may be kept.
#[derive(Debug, Clone, Copy)]
pub(in crate::wrap) struct View<'a> {
    /// The text.
    pub(in crate::wrap) value: &'a Value<'a>,
    /// The limits; its lines are counted for the first view alone.
    pub(in crate::wrap) bounds: Bounds,
}

/// A value that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wrap) struct Cut<'a> {
    /// Each view as it is now.
    pub(in crate::wrap) texts: Vec<String>,
    /// The parts that were made shorter, in the order of the text; none where it was within its limits.
    pub(in crate::wrap) shortened: Vec<Shortened<'a>>,
    /// True if one item alone was over the limit.
    pub(in crate::wrap) single_too_large: bool,
    /// The limit that was reached first.
    pub(in crate::wrap) by: TruncatedBy,
}

/// An array, an object or a string that was made shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wrap) struct Shortened<'a> {
    /// The things that are counted.
    pub(in crate::wrap) unit: PartUnit,
    /// Number of them kept.
    pub(in crate::wrap) shown: u64,
    /// Number of them before.
    pub(in crate::wrap) total: u64,
    /// The way to it.
    path: Vec<Step<'a>>,
    /// Bytes that were left out of it.
    pub(in crate::wrap) removed_bytes: u64,
}

impl Shortened<'_> {
    /// A value of `total` characters of which nothing is kept.
    pub(in crate::wrap) fn nothing_of(total: u64) -> Self {
        Self { unit: PartUnit::Characters, shown: 0, total, path: Vec::new(), removed_bytes: 0 }
    }

    /// Part of a value at the end of these keys; `None` is an item.
    #[cfg(test)]
    pub(in crate::wrap) fn at(unit: PartUnit, keys: &[Option<&'static str>]) -> Self {
        let path = keys.iter().map(|key| Step { position: 0, key: *key }).collect();
        Self { unit, shown: 1, total: 2, path, removed_bytes: 1 }
    }

    /// Returns its name; `None` for the value itself.
    pub(in crate::wrap) fn name(&self) -> Option<String> {
        path::name(&self.path)
    }

    /// Returns the keys on the way to it; items have none.
    pub(in crate::wrap) fn keys(&self) -> impl Iterator<Item = Option<String>> {
        self.path.iter().map(|step| serde_json::from_str(step.key?).ok())
    }

    /// Returns the part of `value` that goes, and the text in its place.
    fn edit(&self, value: &Value<'_>) -> (Range<usize>, &'static str) {
        let mut node = 0..value.text.len();
        for step in &self.path {
            node = value.children(node.clone()).nth(step.position).map_or(node, |child| child.value);
        }
        left_out(value, &node, self.unit, self.shown)
    }
}

/// Returns the part of the value at `node` that goes where `shown` of it are kept, and the text in its place.
fn left_out(
    value: &Value<'_>,
    node: &Range<usize>,
    unit: PartUnit,
    shown: u64,
) -> (Range<usize>, &'static str) {
    let inside = node.start + 1..node.end - 1;
    let body = &value.text[inside.clone()];
    match (unit, shown) {
        (PartUnit::Characters, _) => (inside.start + string::bytes_of(body, shown)..inside.end, MARK),
        (_, 0) => (inside, ""),
        // The space before the closing bracket stays.
        (..) => {
            let last = usize::try_from(shown - 1).ok().and_then(|n| value.children(node.clone()).nth(n));
            let end = inside.start + body.trim_end().len();
            (last.map_or(end, |last| last.value.end)..end, "")
        }
    }
}

/// Cuts a value that is given in one text or in two, so that each is within its limits.
pub(in crate::wrap) fn cut<'a>(views: &[View<'a>]) -> Cut<'a> {
    let bounds = views[0].bounds;
    let cut = cut_to(views, bounds.bytes);
    let Some(by) = cut.exceeded(views) else { return cut };
    // Less is kept of the first view, until all limits hold: the most bytes of it with which they do.
    let (mut fitting, mut most, mut over) = (None, 0, cut.texts[0].len() as u64);
    while over - most > 1 {
        let middle = u64::midpoint(most, over);
        let less = cut_to(views, middle);
        if less.exceeded(views).is_none() {
            (fitting, most) = (Some(less), middle);
        } else {
            over = middle;
        }
    }
    Cut { by, ..fitting.unwrap_or_else(|| cut_to(views, 0)) }
}

/// Cuts `raw`, a string alone, at a character; `None` where it is no string, or nothing of it is within `bounds`.
pub(in crate::wrap) fn cut_string(raw: &str, bounds: Bounds) -> Option<Cut<'_>> {
    let body = raw.strip_prefix('"')?.strip_suffix('"')?;
    let kept = |shown: u64| format!("\"{}{MARK}\"", &body[..string::bytes_of(body, shown)]);
    let fits = |text: &String| {
        text.len() as u64 <= bounds.bytes && bounds.tokens.is_none_or(|max| estimate(text) <= max)
    };
    let mut text = Some(kept(0)).filter(fits)?;
    let room = usize::try_from(bounds.bytes).unwrap_or(usize::MAX);
    let (mut shown, mut over) = (0, string::fitting(body, room) + 1);
    while over - shown > 1 {
        let middle = u64::midpoint(shown, over);
        let more = kept(middle);
        if fits(&more) {
            (shown, text) = (middle, more);
        } else {
            over = middle;
        }
    }
    let removed_bytes = (raw.len() as u64).saturating_sub(text.len() as u64);
    let total = string::count(body);
    let one = Shortened { unit: PartUnit::Characters, shown, total, path: Vec::new(), removed_bytes };
    let is_over = raw.len() as u64 > bounds.bytes;
    let by = if is_over { TruncatedBy::Bytes } else { TruncatedBy::Tokens };
    Some(Cut { texts: vec![text], shortened: vec![one], single_too_large: true, by })
}

/// Cuts a value so that its first view is within its lines and `max_bytes`.
fn cut_to<'a>(views: &[View<'a>], max_bytes: u64) -> Cut<'a> {
    let View { value, bounds } = views[0];
    let mut cutter = Cutter::new(value, Bounds { bytes: max_bytes, ..bounds });
    cutter.cut();
    let Cutter { mut shortened, single_too_large, .. } = cutter;
    let edited = |view: &View<'_>| edited(view.value.text, shortened.iter().map(|one| one.edit(view.value)));
    let texts = views.iter().map(edited).collect();
    // Of what had nothing in it, white space went.
    shortened.retain(|one| one.shown < one.total);
    let is_over = |view: &View<'_>| view.value.text.len() as u64 > view.bounds.bytes;
    let by = if views.iter().any(is_over) { TruncatedBy::Bytes } else { TruncatedBy::Lines };
    Cut { texts, shortened, single_too_large, by }
}

impl Cut<'_> {
    /// Returns the limit that a view is over as it is now.
    fn exceeded(&self, views: &[View<'_>]) -> Option<TruncatedBy> {
        let exceeded = |(text, view): (&String, &View<'_>)| {
            if view.bounds.tokens.is_some_and(|max| estimate(text) > max) {
                return Some(TruncatedBy::Tokens);
            }
            (text.len() as u64 > view.bounds.bytes).then_some(TruncatedBy::Bytes)
        };
        self.texts.iter().zip(views).find_map(exceeded)
    }
}

/// `text` with the edits made, which do not touch each other.
fn edited(text: &str, edits: impl Iterator<Item = (Range<usize>, &'static str)>) -> String {
    let mut edits: Vec<_> = edits.collect();
    edits.sort_by_key(|(range, _)| range.start);
    let (mut new, mut at) = (String::new(), 0);
    for (range, inserted) in edits {
        new.push_str(&text[at..range.start]);
        new.push_str(inserted);
        at = range.end;
    }
    new.push_str(&text[at..]);
    new
}
