//! Searches the contents of files, line by line or across lines: of a tree or one file (`tree`).
//!
//! [`FileSearcher`] searches one file with `grep-searcher`, which the modules below call "the searcher". A small file is
//! searched in memory, and a larger one while it is read; the search can stop between two reads. If matches can span
//! lines, the complete file is read into memory. The results become rows (`sink`): match lines and context lines,
//! already truncated to the characters to show. Files are not memory-mapped, because a mapped file that shrinks would
//! kill the server.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the bytes in the buffer")]

pub mod pattern;
mod ranked;
mod rows;
mod sink;
mod tree;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use grep_matcher::{LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;
use grep_searcher::sinks::Bytes;
use grep_searcher::{Searcher, SearcherBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

use super::walk::Emit;
use crate::fs::lines::{detect, is_sparse_text, read_at};
use crate::limits::PSEUDO_FILE_BYTES;
use crate::stop::{Stop, Stopped, stopped_by};
use cutline_core::text::as_index;
use cutline_core::text::binary::{is_binary_file, looks_binary};
use cutline_core::text::decode::Encoding;
pub use pattern::Pattern;
pub use ranked::Ranking;
pub use rows::{Row, RowKind};
use sink::LineSink;
pub use tree::{search_file, search_tree};

/// Size in bytes from which a file is not read in one read. Also the number of bytes that are read first of a larger
/// file, or of a file that reports a size of 0, as files in `/proc` do.
const FIRST_BYTES: usize = 64 * 1024;
/// Maximum bytes of a later read of the searcher, and the size of its enlarged buffer.
const BLOCK_BYTES: usize = 3 * FIRST_BYTES;
/// Bytes at the end of a larger file that are searched for text in another encoding.
const END_BYTES: usize = 4096;
/// Size in bytes of the searcher's buffer from which only one search at a time may have such a buffer. The buffer has a
/// line and its context.
const LONG_LINE_BYTES: usize = 1024 * 1024;
/// Locked by the search with a long line.
static LONG_LINES: Mutex<()> = Mutex::new(());
/// Time between two attempts to lock [`LONG_LINES`].
const LOCK_INTERVAL: Duration = Duration::from_millis(10);

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

/// How binary files are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryFiles {
    /// They are not. Each one gives [`IncompleteReason::Binary`].
    Skip,
    /// As text in the detected encoding.
    AsText,
    /// As bytes, without detecting an encoding.
    AsBytes,
}

/// The parameters of a search, the same for all files.
#[derive(Debug, Clone)]
pub struct Query {
    /// The pattern to search for.
    pub pattern: Pattern,
    /// True to return the lines that do not match.
    pub invert: bool,
    /// How binary files are searched.
    pub binary: BinaryFiles,
    /// What to return for each file.
    pub mode: OutputMode,
    /// Context lines around each match line. None unless match lines are returned.
    pub context: ContextLines,
    /// Number of match lines (of files, in other modes) from which the search only counts: one more than are shown or
    /// skipped, or `u64::MAX` if all are needed. A search that returns match lines without a ranking returns no more
    /// lines of a file than that, and their context. Further match lines are counted.
    pub enough: u64,
    /// Set by the caller once further match lines of all files are only counted. Without effect in other modes than
    /// [`OutputMode::Content`].
    pub is_counting: Arc<AtomicBool>,
    /// Maximum number of bytes of a file that are searched only to count.
    pub counted_bytes: u64,
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

/// A result for a file. Paths are relative to the start of the search.
#[derive(Debug)]
pub enum Found {
    /// A row of a file.
    Row(Arc<[u8]>, Row),
    /// A file with this number of match lines, or with this number in addition to its rows. In the mode
    /// [`OutputMode::Files`], the number is 1, because the search of a file ends at its first match.
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
    /// The file has a line that is too long, also together with its context. The rest of the file was not searched.
    LongLine,
    /// The file is too large for a search across lines.
    TooLarge,
    /// The file reports no size and is longer than the limit for such files, up to which it was searched.
    PseudoFile,
    /// Further match lines were counted only up to a limit.
    NotCounted,
    /// Two programs wrote the file, in different encodings. One of them was searched.
    Mixed,
}

/// Searches files, one after the other. Each worker has its own.
#[derive(Debug)]
pub struct FileSearcher {
    query: Query,
    grep: Searcher,
    /// True if the searcher's buffer was enlarged.
    has_large_buffer: bool,
    /// Starts with the first bytes of the current file. Longer than these if an earlier file needed it.
    buffer: Vec<u8>,
}

impl FileSearcher {
    /// Prepares the search for `query`.
    pub fn new(query: &Query) -> Self {
        // A separate clone, because threads that share a compiled pattern block each other.
        let grep = searcher(query, Encoding::Utf8);
        Self { query: query.clone(), grep, has_large_buffer: false, buffer: Vec::new() }
    }

    /// Searches a regular file up to `size`, its size in bytes when it was opened. Passes the results to `emit`. A file
    /// of size 0 can be a pseudo-file, which is searched up to a limit. Returns the number of bytes that were read.
    ///
    /// # Errors
    ///
    /// Returns [`Stopped::Late`] if the deadline passes before the end of the file; `emit` has then received the
    /// earlier results. Returns [`Stopped::Cancelled`] after a cancellation, or the error of the system.
    pub fn search(
        &mut self,
        mut file: &File,
        size: u64,
        stop: &Stop,
        path: &dyn Fn() -> Vec<u8>,
        emit: &mut Emit<'_, Found>,
    ) -> io::Result<u64> {
        let Self { query, grep, has_large_buffer, buffer } = self;
        let (pattern, size_bytes) = (&query.pattern, as_index(size));
        let is_small = (1..FIRST_BYTES).contains(&size_bytes);
        let first = if is_small { size_bytes } else { FIRST_BYTES };
        if buffer.len() < first {
            buffer.resize(first, 0);
        }
        let mut len = read_at(file, &mut buffer[..first], 0)?;
        let is_complete = is_small || len < first;
        let (mut encoding, bom_bytes) = Encoding::of(&buffer[..len]);
        let mut is_text = query.binary != BinaryFiles::Skip;
        let is_binary = !is_text && looks_binary(&buffer[..len]) && is_binary_file(&buffer[..len]);
        is_text = is_text || is_binary && is_sparse_text(file, size, &buffer[..len])?;
        let refused = if is_binary && !is_text {
            Some(IncompleteReason::Binary)
        } else {
            let is_too_large = pattern.is_across_lines && size > pattern.multiline_bytes;
            is_too_large.then_some(IncompleteReason::TooLarge)
        };
        if let Some(reason) = refused {
            let _flow = emit(Found::Incomplete(path(), reason)); // nothing follows
            return Ok(len as u64);
        }
        if encoding == Encoding::Utf8 && bom_bytes == 0 && query.binary != BinaryFiles::AsBytes {
            (encoding, len) = detect(file, size, buffer, len)?;
        }
        let max_bytes = if pattern.is_across_lines { pattern.multiline_bytes } else { PSEUDO_FILE_BYTES };
        let rest = match size {
            _ if is_complete => 0,
            0 => max_bytes.saturating_sub(len as u64),
            size => size.saturating_sub(len as u64),
        };
        let start = &buffer[bom_bytes..len];
        // The number of bytes that may still be read. No limit until the search only counts.
        let left = Cell::new(u64::MAX);
        // The start of a file that was not refused above can still be binary without a NUL or a signature. This is
        // checked only if the file matches, because the check reads each byte of the start.
        let mut emit_text = |found| {
            is_text = is_text || !is_binary_file(&buffer[..len]);
            if is_text { emit(found) } else { ControlFlow::Break(()) }
        };
        let mut sink = LineSink::new(query, (stop, &left), path, &mut emit_text);
        let searched = if pattern.is_across_lines {
            file.seek(SeekFrom::Start(len as u64))?;
            let mut text = complete_text(start, file.take(rest), encoding, stop)?;
            if pattern.replaces_crlf() {
                replace_crlf(&mut text);
            }
            let matcher = StoppingMatcher { regex: &pattern.regex, stop };
            let searched = grep.search_slice(matcher, &text, &mut sink);
            // The searcher passes on only the text of the matcher's error.
            searched.map_err(|error| stop.check().map_or_else(io::Error::from, |()| error))
        } else if rest == 0 && encoding == Encoding::Utf8 && start.len() <= FIRST_BYTES {
            grep.search_slice(&pattern.regex, start, &mut sink)
        } else {
            file.seek(SeekFrom::Start(len as u64))?;
            let mut other = (encoding != Encoding::Utf8).then(|| searcher(query, encoding));
            // A decoder hides the size of the searcher's buffer.
            let may_be_long = other.is_some() && rest > LONG_LINE_BYTES as u64;
            let long_line = if may_be_long { Some(lock_long_lines(stop)?) } else { None };
            let source = start.chain(file.take(rest));
            if !std::mem::replace(has_large_buffer, true) {
                enlarge_buffer(grep, &pattern.regex);
            }
            let mut reader = StoppingReader { source, stop, left: &left, long_line };
            let searched =
                other.as_mut().unwrap_or(grep).search_reader(&pattern.regex, &mut reader, &mut sink);
            if reader.long_line.is_some() {
                // Frees the buffer.
                (*grep, *has_large_buffer) = (searcher(query, Encoding::Utf8), false);
            }
            searched
        };
        let position = if rest == 0 { len as u64 } else { file.stream_position()? };
        let has_more = size == 0 && position == max_bytes && file.read(&mut [0])? > 0;
        let stopped = searched.as_ref().err().and_then(stopped_by);
        let incomplete = match searched {
            _ if stopped == Some(Stopped::Cancelled) => return Err(Stopped::Cancelled.into()),
            Err(error) if stopped.is_none() && !is_full(&error) => return Err(error),
            Err(_) => stopped.is_none().then_some(IncompleteReason::LongLine),
            Ok(()) if left.get() == 0 => Some(IncompleteReason::NotCounted),
            Ok(()) if has_more && pattern.is_across_lines => Some(IncompleteReason::TooLarge),
            Ok(()) if has_more => Some(IncompleteReason::PseudoFile),
            Ok(()) if query.binary == BinaryFiles::AsBytes => None,
            Ok(()) => is_mixed(file, size, &buffer[..len], encoding)?.then_some(IncompleteReason::Mixed),
        };
        let flow = sink.finish();
        let incomplete = match flow {
            ControlFlow::Continue(()) => incomplete,
            ControlFlow::Break(()) => (!is_text).then_some(IncompleteReason::Binary),
        };
        if let Some(reason) = incomplete {
            let _flow = emit(Found::Incomplete(path(), reason)); // nothing follows
        }
        stopped.map_or(Ok(position), |stopped| Err(stopped.into()))
    }
}

/// Returns true if a part of a file has another encoding than the rest, by its first bytes and its last ones: programs
/// append to logs.
fn is_mixed(file: &File, size: u64, start: &[u8], encoding: Encoding) -> io::Result<bool> {
    let is_mixed = encoding.is_mixed(start);
    if is_mixed || start.len() as u64 >= size {
        return Ok(is_mixed);
    }
    let mut end = [0; END_BYTES];
    let len = read_at(file, &mut end, size.saturating_sub(END_BYTES as u64))?;
    Ok(encoding.is_mixed(&end[..len]))
}

/// Creates the searcher for `query`. Its buffer grows as far as a line with its context needs it.
fn searcher(query: &Query, encoding: Encoding) -> Searcher {
    let mut builder = SearcherBuilder::new();
    let pattern = &query.pattern;
    builder
        .multi_line(pattern.is_across_lines)
        .invert_match(query.invert)
        .heap_limit(Some(pattern.line_bytes));
    builder.bom_sniffing(false).line_number(query.mode == OutputMode::Content);
    if pattern.crlf && !pattern.is_across_lines {
        builder.line_terminator(LineTerminator::crlf());
    }
    let ContextLines { before, after } = query.context;
    builder.before_context(as_index(before)).after_context(as_index(after));
    if encoding != Encoding::Utf8 {
        builder.encoding(grep_searcher::Encoding::new(encoding.standard().name()).ok());
    }
    builder.build()
}

/// Enlarges the searcher's buffer for large files: a search in smaller blocks takes longer. The size cannot be set, but the
/// buffer grows threefold for a line that does not fit.
fn enlarge_buffer(grep: &mut Searcher, regex: &RegexMatcher) {
    let line = io::repeat(b' ').take(FIRST_BYTES as u64 + 1);
    let _whether_it_matches = grep.search_reader(regex, line, Bytes(|_, _| Ok(false)));
}

/// Returns the complete text of a file: its `start` and the `rest`. Decodes it to UTF-8 if it has another encoding.
fn complete_text(start: &[u8], mut rest: impl Read, encoding: Encoding, stop: &Stop) -> io::Result<Vec<u8>> {
    let mut text = start.to_vec();
    // In parts, because a file in `/proc` may be slow.
    while rest.by_ref().take(FIRST_BYTES as u64).read_to_end(&mut text)? > 0 {
        stop.check()?;
    }
    if encoding != Encoding::Utf8 {
        let (decoded, _has_errors) = encoding.standard().decode_without_bom_handling(&text);
        text = decoded.into_owned().into_bytes();
    }
    Ok(text)
}

/// Replaces each `\r\n` by `\n`.
fn replace_crlf(text: &mut Vec<u8>) {
    let mut len = 0;
    for at in 0..text.len() {
        if text[at] != b'\r' || text.get(at + 1) != Some(&b'\n') {
            text[len] = text[at];
            len += 1;
        }
    }
    text.truncate(len);
}

/// Finds matches across lines until the call must stop. The search for each match can read the complete text, and the
/// searcher passes on matches in adjacent lines only together.
struct StoppingMatcher<'a> {
    regex: &'a RegexMatcher,
    stop: &'a Stop,
}

impl Matcher for StoppingMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        self.stop.check()?;
        let Ok(found) = self.regex.find_at(text, at) else { return Ok(None) }; // never fails
        Ok(found)
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }
}

/// Reads a file until the call must stop, or until enough was counted.
struct StoppingReader<'a, R> {
    source: R,
    stop: &'a Stop,
    /// The number of bytes that may still be read. `u64::MAX` for no limit.
    left: &'a Cell<u64>,
    /// The lock of a search with a long line.
    long_line: Option<MutexGuard<'static, ()>>,
}

impl<R: Read> Read for StoppingReader<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.stop.check()?;
        // The searcher offers the free part of its buffer, which is large after the buffer grew.
        if out.len() >= LONG_LINE_BYTES && self.long_line.is_none() {
            self.long_line = Some(lock_long_lines(self.stop)?);
        }
        let most = out.len().min(BLOCK_BYTES).min(as_index(self.left.get()));
        let len = self.source.read(&mut out[..most])?;
        if self.left.get() < u64::MAX {
            self.left.set(self.left.get() - len as u64);
        }
        Ok(len)
    }
}

/// Waits until no other search has a long line in memory.
fn lock_long_lines(stop: &Stop) -> io::Result<MutexGuard<'static, ()>> {
    loop {
        match LONG_LINES.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_INTERVAL),
        }
        stop.check()?;
    }
}

/// Returns true if a line with its context did not fit in the searcher's buffer. `grep-searcher` reports that with this
/// kind, and an error of the system has a code.
fn is_full(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Other && error.raw_os_error().is_none() && stopped_by(error).is_none()
}

#[cfg(test)]
mod tests;
