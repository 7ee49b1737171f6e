//! The role of a line of source code toward a name in it, without a parser.
//!
//! The ranking of search results and the [outline](crate::outline) of a file use the same rules: keywords and shapes, read
//! from the line alone.

pub mod line;
pub(crate) mod table;

pub use table::{AT_LINE_START, EXPORTED, Language, kind, language};
