//! The role of a line of source code toward a name in it, without a parser.
//!
//! The ranking of search results reads keywords and shapes from the line alone. The [outline](crate::outline) of a file uses
//! the same keywords.

pub mod line;
pub(crate) mod table;

pub use table::{AT_LINE_START, EXPORTED, Language, kind, language};
