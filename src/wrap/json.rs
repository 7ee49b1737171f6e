//! Truncation of JSON between its items. The text stays valid, and each kept item keeps its bytes.
//!
//! A value can appear twice, as a text block and as structured content. Then both are truncated alike. `value`
//! parses and measures a text once. The other modules work on its bytes (`scan`), so digits, escapes, spacing,
//! the order of keys and duplicate keys do not change.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "offsets come from a valid text, and there is a first view: what is wrong must fail"
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
pub(super) use value::{Value, WHITE_SPACE};

#[cfg(test)]
mod tests;
