//! The ways to what a notice says is missing.

use derive_more::Display;

use super::between;
use crate::truncate::Limit;

/// The way to get at a line that no page can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineHint {
    /// The start of it, by the shell.
    Shell {
        /// The file's path, quoted for the shell.
        path: String,
        /// True if it is in UTF-16: its bytes are to be made text first.
        is_utf16: bool,
    },
    /// There is no shell: search in it, or go on after it.
    Tools {
        /// True if grep is there.
        grep: bool,
        /// The next line, where there is one.
        next: Option<u64>,
    },
}

impl LineHint {
    /// Returns the sentences for `line`, which is over `limit`.
    pub(super) fn words(&self, line: u64, limit: Limit) -> String {
        let bytes = match limit {
            // Of tokens that are at least as many bytes. No line alone is over a limit of lines.
            Limit::Bytes(bytes) | Limit::Tokens(bytes) | Limit::Lines(bytes) => bytes,
            // As JSON, twice as many of any text without control characters.
            Limit::Json(bytes) => bytes / 2,
        };
        match self {
            Self::Shell { path, is_utf16 } => {
                let command = match (is_utf16, line) {
                    (false, 1) => format!("head -c {bytes} {path}"),
                    (false, _) => format!("sed -n '{line}p' {path} | head -c {bytes}"),
                    (true, 1) => format!("iconv -f UTF-16 -t UTF-8 {path} | head -c {bytes}"),
                    (true, _) => {
                        format!("iconv -f UTF-16 -t UTF-8 {path} | sed -n '{line}p' | head -c {bytes}")
                    }
                };
                let to_read = if line == 1 { " to read" } else { "" };
                format!(". Use bash{to_read}: {command}")
            }
            Self::Tools { grep, next } => {
                let grep = if *grep { ". Use grep to see parts of it" } else { "" };
                format!("{grep}{}", between(". Use offset=", *next, " to continue"))
            }
        }
    }
}

/// The way to see the whole of lines that were cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullLines {
    /// The tool that reads files.
    Read,
    /// The tools that show parts of long lines.
    Tools {
        /// True if grep is there.
        grep: bool,
        /// True if bash is there.
        bash: bool,
    },
}

impl FullLines {
    /// Returns the sentence, if there is a way.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Read => ". Use read tool to see full lines",
            Self::Tools { grep: true, bash: true } => ". Use grep or bash to see the rest",
            Self::Tools { grep: true, bash: false } => ". Use grep to see the rest",
            Self::Tools { grep: false, bash: true } => ". Use bash to see the rest",
            Self::Tools { grep: false, bash: false } => "",
        }
    }
}

/// The way to less relevant results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum RankedNext {
    /// The offset at which they begin, and the limit that the next call can have at most, if that is less
    /// than this one's.
    #[display("Use offset={_0}{} to continue", between(" limit=", *_1, ""))]
    Offset(u64, Option<u64>),
    /// They are beyond all that is ranked; only in path order are all to be had.
    #[display("Use sort=path for the rest, or refine pattern")]
    PathOrder,
}

impl RankedNext {
    /// Returns the offset at which they begin, unless they are beyond all that is ranked.
    pub fn offset(self) -> Option<u64> {
        match self {
            Self::Offset(offset, _) => Some(offset),
            Self::PathOrder => None,
        }
    }
}

/// Returns the way to the lines after line `last`, where there are any.
pub(super) fn after(last: u64, total: u64) -> String {
    between(". Use offset=", (last < total).then_some(last + 1), " to continue")
}
