//! Truncates JSON between its items. The text stays valid, and kept items do not change.
//!
//! If a value appears twice, as a text block and as structured content, both are truncated in the same way. `value`
//! parses and measures a text once. The other modules work on its bytes (`scan`), so digits, escapes, spacing, the
//! order of keys and duplicate keys do not change.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "offsets come from a valid text, and there is always a first view; an error here must panic"
)]

mod cut;
mod edits;
mod indent;
mod node;
mod path;
mod same;
mod scan;
mod string;
mod value;

pub(super) use cut::{Cut, Shortened, cut};
pub(super) use edits::Edits;
pub(super) use indent::{indent, indent_all};
pub(super) use node::Node;
pub(super) use same::is_same;
pub(super) use value::Value;

#[cfg(test)]
mod tests;
