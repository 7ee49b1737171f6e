//! Searches the content of one file, line by line or across lines.
//!
//! [`FileSearcher`] searches one file. The searcher of `grep-searcher` iterates over the lines; the modules below call
//! it "the searcher". Before that, `file` and `line_reader` normalize the text: other encodings are decoded, and `\r\n`
//! becomes `\n` if the pattern requires it. Except across lines, a line of more than 256 KB is searched in overlapping
//! windows (`oversized_line`). The results become rows (`sink`): match lines and context lines, already truncated to
//! the characters to show. Files are not memory-mapped, because a mapped file that shrinks would kill the server.

mod file;
mod line_reader;
mod matcher;
mod oversized_line;
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

/// What to return for each file: match lines with context, only whether it has a match, or the number of match lines.
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

/// The parameters of a search, the same for all files.
#[derive(Debug, Clone)]
pub struct Query {
    /// The pattern to search for.
    pub pattern: Pattern,
    /// What to return for each file.
    pub mode: OutputMode,
    /// Context lines around each match line. None unless match lines are returned.
    pub context: ContextLines,
    /// Number of match lines that the call needs in all files. A search that returns match lines without a ranking
    /// stops after that many in one file, and after their context. Other searches ignore this number.
    pub enough: u64,
    /// Maximum characters of a line to show.
    pub max_line_chars: usize,
    /// The ranking of the matches, if the caller requests the most relevant ones.
    pub ranking: Option<Arc<Ranking>>,
    /// The path that the ranking prepends to the path of each file: that of the searched file, whose own path is empty,
    /// or of one of several searched folders. Empty for a single folder, so that its own location does not count.
    pub ranking_prefix: Arc<[u8]>,
}

/// The number of context lines before and after each match line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContextLines {
    /// Lines before a match line.
    pub before: u64,
    /// Lines after a match line.
    pub after: u64,
}

impl ContextLines {
    /// Returns true if there are no context lines.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Returns the maximum number of lines of one match: its own and its context.
    pub fn lines_of_match(self) -> u64 {
        self.before.saturating_add(self.after).saturating_add(1)
    }
}

impl Query {
    /// Returns true if the sink numbers the match lines itself. The searcher needs twice the time to count newlines,
    /// but only it can number context lines.
    fn numbers_matches(&self) -> bool {
        self.context.is_none() && (self.ranking.is_some() || self.mode == OutputMode::Content)
    }
}

/// A result for a file. Paths are relative to the start of the search.
#[derive(Debug)]
pub enum Found {
    /// A row of a file.
    Row(Arc<[u8]>, Row),
    /// A file with this number of match lines. The number is only known to be above 0 if match lines are not counted.
    File(Vec<u8>, u64),
    /// A file with this number of match lines, and the most relevant ones with score and context.
    Ranked(Arc<[u8]>, u64, Vec<(i32, Vec<Row>)>),
    /// A file that was not searched completely, and the reason.
    Incomplete(Vec<u8>, IncompleteReason),
}

/// The reason why a file was not searched completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncompleteReason {
    /// The file is binary.
    Binary,
    /// The file has a line that is too long for this pattern. Also, a line with its context was too long for the
    /// buffer; the rest of the file was then not searched.
    LongLine,
    /// The file is too large for a search across lines.
    TooLarge,
    /// The file reports no size, so it is searched only up to a limit.
    Rest,
}

/// Maximum bytes of the searcher's buffer: of a line and its context, in a file that is not read in one read.
const HEAP_BYTES: usize = 16_000_000;

/// Searches files, one after the other. Each worker has its own searcher.
#[derive(Debug)]
pub struct FileSearcher {
    query: Query,
    grep: grep_searcher::Searcher,
    /// The first bytes of the current file.
    buffer: Vec<u8>,
    /// True if the buffer inside `grep` has the size for large files.
    has_large_buffer: bool,
}

impl FileSearcher {
    /// Creates a searcher for `query`.
    pub fn new(query: &Query) -> Self {
        let mut grep = grep_searcher::SearcherBuilder::new();
        grep.multi_line(query.pattern.is_across_lines).bom_sniffing(false).line_number(false);
        grep.heap_limit(Some(HEAP_BYTES));
        if !query.context.is_none() {
            let ContextLines { before, after } = query.context;
            grep.line_number(true).before_context(as_index(before)).after_context(as_index(after));
        }
        // A separate clone, because threads that share a compiled pattern block each other.
        Self { query: query.clone(), grep: grep.build(), buffer: Vec::new(), has_large_buffer: false }
    }
}

#[cfg(test)]
mod tests;
