//! The cut of a JSON value: its texts, and the parts of it that were made shorter.

use std::ops::Range;

use super::value::Value;
use cutter::Cutter;

mod cutter;
mod size;

/// A text of the value, and how much of it may be kept.
#[derive(Debug, Clone, Copy)]
pub(in crate::wrap) struct View<'a> {
    /// The text.
    pub(in crate::wrap) value: &'a Value<'a>,
    /// Bytes at most.
    pub(in crate::wrap) max_bytes: u64,
    /// Lines at most, where lines count.
    pub(in crate::wrap) max_lines: Option<u64>,
}

/// A value that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wrap) struct Cut {
    /// Each view as it is now.
    pub(in crate::wrap) texts: Vec<String>,
    /// The parts that were made shorter, in the order of the text.
    pub(in crate::wrap) shortened: Vec<Shortened>,
    /// True if one item alone was over the limit.
    pub(in crate::wrap) single_too_large: bool,
}

/// An array, an object or a string that was made shorter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::wrap) struct Shortened {
    /// The things that are counted.
    pub(in crate::wrap) kind: Kind,
    /// Number of them kept.
    pub(in crate::wrap) shown: u64,
    /// Number of them before.
    pub(in crate::wrap) total: u64,
    /// Its name; `None` for the value itself.
    pub(in crate::wrap) name: Option<String>,
    /// The keys on the way to it; items have none.
    pub(in crate::wrap) keys: Vec<Option<String>>,
    /// Bytes that were left out of it.
    pub(in crate::wrap) removed_bytes: u64,
}

impl Shortened {
    /// A value of `total` characters of which nothing is kept.
    pub(in crate::wrap) fn nothing_of(total: u64) -> Self {
        Self { kind: Kind::Characters, shown: 0, total, name: None, keys: Vec::new(), removed_bytes: 0 }
    }
}

/// The things that a value consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wrap) enum Kind {
    /// Items of an array.
    Items,
    /// Members of an object.
    Members,
    /// Characters of a string.
    Characters,
}

/// Cuts a value that is given in one text or two, so that each is within its limits; `None` where it is already.
pub(in crate::wrap) fn cut(views: &[View<'_>]) -> Option<Cut> {
    let mut cutter = Cutter::new(views);
    if !cutter.cut() {
        return None;
    }
    let Cutter { edits, shortened, single_too_large, .. } = cutter;
    let texts = views.iter().zip(edits).map(|(view, edits)| edited(view.value.text, edits)).collect();
    Some(Cut { texts, shortened, single_too_large })
}

/// `text` with `edits` made, which do not touch each other.
fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let (mut new, mut at) = (String::new(), 0);
    for Edit { range, new: inserted } in edits {
        new.push_str(&text[at..range.start]);
        new.push_str(inserted);
        at = range.end;
    }
    new.push_str(&text[at..]);
    new
}

/// A part of a text that is replaced.
struct Edit {
    range: Range<usize>,
    new: &'static str,
}
