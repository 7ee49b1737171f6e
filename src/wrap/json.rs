//! JSON cut between its items: it stays valid, and each kept item has its own bytes.
//!
//! One value may be given in two texts, as a text block and as structured content: then both are cut
//! alike. A text is checked by `serde_json`, which has no bound on depth where it only skips; from then
//! on it is looked at as bytes (`scan`), so that digits, escapes, spacing and the order of keys stay, also
//! of keys that stand in it twice.

mod cut;
mod indent;
mod path;
mod same;
mod scan;
mod string;

use serde::de::IgnoredAny;

pub(super) use cut::{Cut, Kind, Shortened, View, cut};
pub(super) use indent::{indent, indent_all};
pub(super) use same::is_same;

/// Arrays and objects in one another: a value that is deeper is treated as text.
const MAX_DEPTH: usize = 1000;

/// The JSON object or array that `text` is, without the white space around it; `None` for any other text.
pub(super) fn value_of(text: &str) -> Option<&str> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let is_value = text.starts_with(['{', '['])
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
        && scan::depth(text.as_bytes()) <= MAX_DEPTH;
    is_value.then_some(text)
}

#[cfg(test)]
mod tests;
