//! Truncates a JSON value in one or two texts.

use std::ops::Range;

use cutline_core::notice::PartUnit;
use cutline_core::truncate::{Bounds, TruncatedBy};

use super::edits::Edits;
use super::node::Node;
use super::path::{self, Step};
use super::string;
use super::value::Value;
use crate::wrap::text::limit_exceeded;

mod cutter;

/// The end of a shortened string.
const MARK: &str = "… [truncated]";

/// A text of the value with its limits.
type View<'a> = (&'a Value<'a>, Bounds);

/// A truncated value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wrap) struct Cut<'a> {
    /// The texts after truncation.
    pub(in crate::wrap) texts: Vec<String>,
    /// The shortened parts in the order of the text. Empty if the value was within the limits.
    pub(in crate::wrap) shortened: Vec<Shortened<'a>>,
    /// True if a single item or string exceeded the limit.
    pub(in crate::wrap) single_too_large: bool,
    /// The limit that was reached first.
    pub(in crate::wrap) by: TruncatedBy,
}

/// An array, object or string that was shortened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wrap) struct Shortened<'a> {
    /// The unit of the counts.
    pub(in crate::wrap) unit: PartUnit,
    /// The number of kept parts.
    pub(in crate::wrap) shown: u64,
    /// The original number of parts.
    pub(in crate::wrap) total: u64,
    /// The path to it.
    path: Vec<Step<'a>>,
    /// The number of removed bytes.
    pub(in crate::wrap) removed_bytes: u64,
    /// True if this single item or string exceeds the limit.
    is_single: bool,
}

impl Shortened<'_> {
    /// Returns a removed value that had `total` characters.
    pub(in crate::wrap) fn nothing_of(total: u64) -> Self {
        let unit = PartUnit::Characters;
        Self { unit, shown: 0, total, path: Vec::new(), removed_bytes: 0, is_single: true }
    }

    /// Returns the path as text, or `None` for the top value.
    pub(in crate::wrap) fn name(&self) -> Option<String> {
        path::name(&self.path)
    }

    /// Returns the range of `top` to remove, and its replacement.
    fn edit(&self, top: Node<'_>) -> (Range<usize>, &'static str) {
        let node = self.path.iter().fold(top, |node, step| child(node, step).unwrap_or(node));
        left_out(node, self.unit, self.shown)
    }
}

/// Returns the child of `node` for `step`. If the member is not at that position, searches for its key.
fn child<'a>(node: Node<'a>, step: &Step<'_>) -> Option<Node<'a>> {
    let at_position = node.children().nth(step.position);
    let Some(name) = step.key.and_then(string::unescaped) else { return at_position };
    at_position.filter(|child| child.is_named(&name)).or_else(|| node.get(&name))
}

/// Returns the range to remove if `shown` parts of `node` are kept, and its replacement.
fn left_out(node: Node<'_>, unit: PartUnit, shown: u64) -> (Range<usize>, &'static str) {
    let (start, end) = (node.place().start + 1, node.place().end - 1);
    let body = &node.text()[1..node.text().len() - 1];
    match (unit, shown) {
        (PartUnit::Characters, _) => (start + string::bytes_of(body, shown)..end, MARK),
        (_, 0) => (start..end, ""),
        // The white space before the closing bracket is kept.
        (..) => {
            let last = usize::try_from(shown - 1).ok().and_then(|n| node.children().nth(n));
            let end = start + body.trim_end().len();
            (last.map_or(end, |last| last.place().end)..end, "")
        }
    }
}

/// Truncates a value in one or two texts, so that each text is within its limits.
pub(in crate::wrap) fn cut<'a>(views: &[View<'a>]) -> Cut<'a> {
    let (_, bounds) = views[0];
    let cut = cut_to(views, bounds.bytes);
    let Some(by) = exceeded(&cut.texts, views) else { return cut };
    // Binary search for the largest first text for which all limits are met.
    let (mut fitting, mut most, mut over) = (None, 0, cut.texts[0].len() as u64);
    while over - most > 1 {
        let middle = u64::midpoint(most, over);
        let less = cut_to(views, middle);
        if exceeded(&less.texts, views).is_none() {
            (fitting, most) = (Some(less), middle);
        } else {
            over = middle;
        }
    }
    Cut { by, ..fitting.unwrap_or_else(|| cut_to(views, 0)) }
}

/// Truncates a value so that its first text is within `max_bytes`.
fn cut_to<'a>(views: &[View<'a>], max_bytes: u64) -> Cut<'a> {
    let mut shortened = cutter::cut(views[0].0, max_bytes);
    let edited = |(value, _): &View<'_>| {
        let mut parts: Vec<_> = shortened.iter().map(|one| one.edit(value.top())).collect();
        // Sorted by start, so removed siblings follow the removed parts inside an item.
        parts.sort_by_key(|(part, _)| part.start);
        let mut edits = Edits::of(value.text);
        let mut end = 0;
        for (part, new) in parts {
            // If members are in another order, a part may be inside a removed member.
            if part.start >= end {
                end = part.end;
                edits.replace(part, new);
            }
        }
        edits.applied()
    };
    let texts = views.iter().map(edited).collect();
    let single_too_large = shortened.iter().any(|one| one.is_single);
    // A part that kept all its children lost only white space.
    shortened.retain(|one| one.shown < one.total);
    Cut { texts, shortened, single_too_large, by: TruncatedBy::Bytes }
}

/// Returns the limit that one of the shortened `texts` exceeds.
fn exceeded(texts: &[String], views: &[View<'_>]) -> Option<TruncatedBy> {
    texts.iter().zip(views).find_map(|(text, (_, bounds))| limit_exceeded(text, *bounds))
}
