//! JSON cut between its items: it stays valid, and each kept item has its own bytes.
//!
//! One value may be given in two texts, as a text block and as structured content: then both are cut
//! alike. A text is checked and measured once (`value`); from then on it is looked at as bytes (`scan`), so
//! that digits, escapes, spacing and the order of keys stay, also of keys that stand in it twice.

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
pub(super) use value::Value;

#[cfg(test)]
mod tests;
