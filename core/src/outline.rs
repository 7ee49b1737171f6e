//! The outline of a source file: which definitions it has, and in which lines.
//!
//! A file that is shown in part hides the rest of its definitions. Their list tells a model where to read on. Definitions
//! are found by the rules of [`source`](crate::source), without a parser: by keywords and shapes, by the indentation of
//! lines, and outside strings and comments.
//!
//! ```
//! use cutline_core::notice::Notice;
//! use cutline_core::outline::{Syntax, definitions, listed};
//!
//! let text = "fn main() {\n    run();\n}\n\nstruct Config;\n\nimpl Config {\n    fn new() -> Self {\n        Self\n    }\n}\n";
//! let all = definitions(text.as_bytes(), Syntax::of_path("src/main.rs").unwrap());
//! // The first three lines are shown.
//! let rest = listed(all.iter().filter(|definition| definition.line > 3), 1000);
//! assert_eq!(
//!     Notice::Outline(rest).to_string(),
//!     "[Definitions in the rest: 5 struct Config, 7 impl Config, 8 fn new]",
//! );
//! // If there is no space for all, the outermost ones are listed.
//! let rest = listed(all.iter(), 70);
//! assert_eq!(
//!     Notice::Outline(rest).to_string(),
//!     "[Definitions in the rest: 1 fn main, 5 struct Config, … 2 more]",
//! );
//! ```

mod c_head;
mod head;
mod lexer;
mod scan;
mod syntax;

use std::fmt;

use serde::Serialize;

pub use scan::definitions;
pub use syntax::Syntax;

/// A definition in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Number of its line, from 1.
    pub line: u64,
    /// Number of listed definitions that contain it.
    pub level: u8,
    /// What it defines: `fn parse_args`.
    pub text: String,
}

/// A definition as a notice and the details list it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutlineEntry {
    /// Number of its line, from 1.
    pub line: u64,
    /// What it defines: `fn parse_args`.
    pub text: String,
}

/// The definitions that a notice lists, and the number of the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// The listed ones, in the order of their lines.
    pub entries: Vec<OutlineEntry>,
    /// The number of definitions that are not listed.
    pub more: u64,
}

/// The text of the notice before the definitions.
const START: &str = "[Definitions in the rest: ";

/// Lists `definitions` in a notice of at most `max_bytes` bytes. If there is no space for all of them, the outermost ones
/// come first, then those of earlier lines. The list is empty if there is no space for any.
pub fn listed<'a>(definitions: impl Iterator<Item = &'a Definition>, max_bytes: usize) -> Listed {
    let all: Vec<&Definition> = definitions.collect();
    let entry_bytes =
        |definition: &Definition| digits(definition.line) + 1 + definition.text.len() + ", ".len();
    let space = (max_bytes + ", ".len()).saturating_sub(START.len() + "]".len());
    let needed: usize = all.iter().map(|definition| entry_bytes(definition)).sum();
    let mut chosen: Vec<&Definition> = all.clone();
    if needed > space {
        let mut left = space.saturating_sub("…  more, ".len() + digits(all.len() as u64));
        chosen.sort_by_key(|definition| (definition.level, definition.line));
        let fitting = chosen.iter().take_while(|definition| {
            let bytes = entry_bytes(definition);
            let fits = bytes <= left;
            left = left.saturating_sub(bytes);
            fits
        });
        let count = fitting.count();
        chosen.truncate(count);
        chosen.sort_by_key(|definition| definition.line);
    }
    let more = (all.len() - chosen.len()) as u64;
    let entry =
        |definition: &Definition| OutlineEntry { line: definition.line, text: definition.text.clone() };
    Listed { entries: chosen.into_iter().map(entry).collect(), more }
}

/// Returns the number of decimal digits.
fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(START)?;
        for (n, OutlineEntry { line, text }) in self.entries.iter().enumerate() {
            write!(f, "{}{line} {text}", if n > 0 { ", " } else { "" })?;
        }
        match self.more {
            0 => f.write_str("]"),
            more => write!(f, ", … {more} more]"),
        }
    }
}

#[cfg(test)]
mod tests;
