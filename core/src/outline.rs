//! The outline of a source file: which definitions it has, and in which lines.
//!
//! A file that is shown in part hides the rest of its definitions. Their list tells a model where to read on. Definitions
//! are found without a parser: by the keywords of a [language](Language), by the indentation of lines, and outside
//! strings and comments.
//!
//! ```
//! use cutline_core::notice::Notice;
//! use cutline_core::outline::{Language, definitions, listed};
//!
//! let text = "fn main() {\n    run();\n}\n\nstruct Config;\n\nimpl Config {\n    fn new() -> Self {\n        Self\n    }\n}\n";
//! let all = || definitions(text.as_bytes(), Language::of_path("src/main.rs").unwrap());
//! // The first three lines are shown.
//! let rest = listed(all().filter(|definition| definition.line > 3), 1000);
//! assert_eq!(
//!     Notice::Outline(rest).to_string(),
//!     "[Definitions in the rest: 5 struct Config, 7 impl Config, 8 fn new]",
//! );
//! // If there is no space for all, the outermost ones are listed.
//! let rest = listed(all(), 70);
//! assert_eq!(
//!     Notice::Outline(rest).to_string(),
//!     "[Definitions in the rest: 1 fn main, 5 struct Config, … 2 more]",
//! );
//! ```

mod code;
mod head;
mod language;
mod scan;

use std::fmt;

use serde::Serialize;

use crate::text::show;

pub use head::is_name_byte;
pub use language::Language;
use scan::Scanner;

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
    /// True if there may be more than `more`, because not all of the text was read. The notice is then up to 9 bytes longer.
    pub is_at_least: bool,
}

/// Returns the definitions of a source file, in the order of their lines. The text is read as the iterator advances.
///
/// ```
/// use cutline_core::outline::{Language, definitions};
/// let python = Language::of_path("a.py").unwrap();
/// let all: Vec<_> = definitions(b"class Pool:\n    def size(self):\n        pass\n", python).collect();
/// let lines: Vec<_> = all.iter().map(|one| (one.line, one.level, one.text.as_str())).collect();
/// assert_eq!(lines, [(1, 0, "class Pool"), (2, 1, "def size")]);
/// ```
pub fn definitions(text: &[u8], language: &'static Language) -> impl Iterator<Item = Definition> {
    let mut scanner = Scanner::new(text, language);
    let lines = std::iter::from_fn(move || scanner.advance().then(|| std::mem::take(&mut scanner.found)));
    lines.flatten().filter(|(_, is_inner)| !is_inner).map(|(definition, _)| definition)
}

/// A line in which a definition begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinitionLine<'a> {
    /// Its number, from 1.
    pub line: u64,
    /// Its text, without the newline.
    pub text: &'a [u8],
}

/// The innermost definitions around a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Around<'a> {
    /// The type around the function, or around the line if it is in no function.
    pub container: Option<DefinitionLine<'a>>,
    /// The function.
    pub function: Option<DefinitionLine<'a>>,
}

/// Returns the definitions around each of `lines` in a text, in one pass. The numbers of the lines must ascend. A line in
/// which a definition begins is not inside this definition; the other lines of its head are. Returns `None` as soon as
/// `is_stopped`, which is called for each line of the text, returns true.
///
/// ```
/// use cutline_core::outline::{Language, around};
/// let text = b"class Pool:\n    def size(\n        self,\n    ):\n        return 1\n";
/// let found = around(text, &[2, 5], Language::of_path("a.py").unwrap(), || false).unwrap();
/// let lines = found.iter().map(|around| (around.container.map(|one| one.line), around.function.map(|one| one.line)));
/// assert_eq!(lines.collect::<Vec<_>>(), [(Some(1), None), (Some(1), Some(2))]);
/// ```
pub fn around<'a>(
    text: &'a [u8],
    lines: &[u64],
    language: &'static Language,
    is_stopped: impl Fn() -> bool,
) -> Option<Vec<Around<'a>>> {
    let mut scanner = Scanner::new(text, language);
    let mut all: Vec<Around<'a>> = Vec::with_capacity(lines.len());
    // The line of the head that may be no definition, and what is around the lines in it if it is one.
    let mut unsure: Option<u64> = None;
    let mut in_head: Vec<(usize, Around<'a>)> = Vec::new();
    let mut wanted = lines.iter().peekable();
    while (wanted.peek().is_some() || unsure.is_some()) && scanner.advance() {
        if is_stopped() {
            return None;
        }
        if unsure.is_some() && scanner.unsure_line() != unsure {
            let is_definition = scanner.found.iter().any(|(found, _)| Some(found.line) == unsure);
            for (index, inside) in in_head.drain(..) {
                if let Some(around) = all.get_mut(index).filter(|_| is_definition) {
                    *around = inside;
                }
            }
            unsure = None;
        }
        while wanted.next_if_eq(&&scanner.line.line).is_some() {
            if let Some(head) = scanner.unsure_line().filter(|head| *head != scanner.line.line) {
                in_head.push((all.len(), scanner.around(true)));
                unsure = Some(head);
            }
            all.push(scanner.around(false));
        }
    }
    all.resize(lines.len(), Around::default());
    Some(all)
}

/// The text of the notice before the definitions.
const START: &str = "[Definitions in the rest: ";
/// Lists `definitions` in a notice of at most `max_bytes` bytes. If there is no space for all of them, the outermost ones
/// come first, then those of earlier lines. The list is empty if there is no space for any.
pub fn listed(definitions: impl Iterator<Item = Definition>, max_bytes: usize) -> Listed {
    let shown_bytes = |text: &str| show::in_notice(text).len();
    let bytes_of = |one: &Definition| digits(one.line) + 1 + shown_bytes(&one.text) + ", ".len();
    let space = (max_bytes + ", ".len()).saturating_sub(START.len() + "]".len());
    let mut all: Vec<Definition> = definitions.collect();
    let count = all.len();
    if all.iter().map(bytes_of).sum::<usize>() > space {
        let mut left = space.saturating_sub("…  more, ".len() + digits(count as u64));
        all.sort_by_key(|one| (one.level, one.line));
        let fits = |one: &&Definition| {
            let fits = bytes_of(one) <= left;
            left = left.saturating_sub(bytes_of(one));
            fits
        };
        let fitting = all.iter().take_while(fits).count();
        all.truncate(fitting);
        all.sort_by_key(|one| one.line);
    }
    let more = (count - all.len()) as u64;
    let entries = all.into_iter().map(|Definition { line, text, .. }| OutlineEntry { line, text }).collect();
    Listed { entries, more, is_at_least: false }
}

/// Returns the number of decimal digits.
fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(START)?;
        for (n, OutlineEntry { line, text }) in self.entries.iter().enumerate() {
            write!(f, "{}{line} {}", if n > 0 { ", " } else { "" }, show::in_notice(text))?;
        }
        match (self.more, self.is_at_least) {
            (0, false) => f.write_str("]"),
            (0, true) => f.write_str(", …]"),
            (more, false) => write!(f, ", … {more} more]"),
            (more, true) => write!(f, ", … at least {more} more]"),
        }
    }
}

#[cfg(test)]
mod tests;
