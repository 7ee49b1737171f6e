//! Searching what one file holds: line by line, or across lines.
//!
//! `grep-searcher` goes through the lines. What it is given is made alike before (`file`, `line_reader`): UTF-8
//! whose lines end with `\n`, none of them over 256 KB, so that a longer one is searched in overlapping windows
//! (`giant`). What it finds becomes rows (`sink`): match lines and the context asked for, each already cut to
//! the characters that are shown. Files are never mapped: one that shrinks while it is read must not end the
//! server.

mod file;
mod giant;
mod line_reader;
mod matcher;
pub mod pattern;
mod ranked;
mod rows;
mod sink;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::walk::Emit;
pub use pattern::Pattern;
pub use ranked::Ranking;
pub use rows::{Row, RowKind};

use cutline_core::text::as_index;

/// The kind of result that is wanted of each file: its match lines with their context, only the fact that it has a match,
/// or the number of its match lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
pub enum OutputMode {
    #[default]
    Content,
    Files,
    Count,
}

/// A search, the same for all files.
#[derive(Debug, Clone)]
pub struct Query {
    /// The pattern to search for.
    pub pattern: Pattern,
    /// The kind of result.
    pub mode: OutputMode,
    /// Lines of context that are wanted on each side of a match line; 0 where no lines are.
    pub context: u64,
    /// Match lines after which the rest of a file is not searched, but for the context of the last but
    /// one.
    pub enough: u64,
    /// Characters of a line that are shown.
    pub max_line_chars: usize,
    /// The ranking of the matches, where the most relevant ones are wanted.
    pub ranking: Option<Arc<Ranking>>,
}

impl Query {
    /// True if the sink numbers match lines: the searcher takes twice as long, but numbers lines of
    /// context too.
    fn numbers_matches(&self) -> bool {
        self.context == 0 && (self.ranking.is_some() || self.mode == OutputMode::Content)
    }
}

/// Something found in a file, or not. Paths are relative to where the search began.
#[derive(Debug)]
pub enum Found {
    /// Rows of a file.
    Rows(Arc<[u8]>, Vec<Row>),
    /// A file that has so many match lines (any number above 0, where they are not counted).
    File(Vec<u8>, u64),
    /// A file that has so many match lines, and the most relevant of them with their context and their scores.
    Ranked(Arc<[u8]>, u64, Vec<(i32, Vec<Row>)>),
    /// A file that was not searched in full, and why.
    PassedOver(Vec<u8>, PassedOver),
}

/// Why a file was not searched in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassedOver {
    /// It is not text.
    Binary,
    /// It has a line that is too long for this pattern.
    LongLine,
    /// It is too large for a search across lines.
    TooLarge,
    /// It says no size, and is searched only up to a limit.
    Rest,
}

/// Bytes that are held of a file that is read in blocks: a long line, and those of its context.
const HEAP_BYTES: usize = 16_000_000;

/// Searches one file after another; each worker has its own.
#[derive(Debug)]
pub struct Searcher {
    query: Query,
    grep: grep_searcher::Searcher,
    buffer: Vec<u8>,
    /// True if the searcher's buffer has the size that it has for large files.
    has_large_buffer: bool,
}

impl Searcher {
    /// Makes one for `query`.
    pub fn new(query: &Query) -> Self {
        let mut grep = grep_searcher::SearcherBuilder::new();
        grep.multi_line(query.pattern.spans_lines).bom_sniffing(false).line_number(false);
        grep.heap_limit(Some(HEAP_BYTES));
        if query.context > 0 {
            let context = as_index(query.context);
            grep.line_number(true).before_context(context).after_context(context);
        }
        // A clone of its own: threads that share a compiled pattern wait for each other.
        Self { query: query.clone(), grep: grep.build(), buffer: Vec::new(), has_large_buffer: false }
    }
}

#[cfg(test)]
mod tests;
