//! Searches one file. The first bytes of the file determine how it is read.
//!
//! A small file is searched in memory, and a larger one while it is read. If matches can span lines, the complete file
//! is read into memory. The searcher of `grep-searcher` gets UTF-8 text with lines that end with `\n`.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the bytes in the buffer")]

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::ops::ControlFlow;

use encoding_rs_io::DecodeReaderBytesBuilder;
use grep_regex::RegexMatcher;
use grep_searcher::sinks::Bytes;

use super::line_reader::{LineFacts, LineReader, normalize};
use super::matcher::PatternMatcher;
use super::ranked::FileRanking;
use super::sink::RowSink;
use super::{Emit, FileSearcher, Found, IncompleteReason, OutputMode};
use crate::fs::lines::{detect, read_at};
use crate::limits::PSEUDO_FILE_BYTES;
use crate::stop::{Stop, Stopped};
use cutline_core::text::as_index;
use cutline_core::text::binary::is_binary;
use cutline_core::text::decode::Encoding;

/// Size in bytes from which a file is not read in one read.
const ONE_READ_BYTES: usize = 256 * 1024;
/// Number of bytes that are read first of a larger file, or of a file that reports a size of 0, as files in `/proc` do.
const FIRST_BYTES: usize = 64 * 1024;
/// Size in bytes of the searcher's buffer for larger files: three times its initial size.
const SEARCH_BUFFER_BYTES: u64 = 3 * 64 * 1024;
/// Maximum bytes of one read of another encoding than UTF-8.
const DECODED_BYTES: usize = 64 * 1024;

impl FileSearcher {
    /// Searches a regular file up to `size`, its size in bytes when it was opened. Passes the results to `emit`. A file
    /// of size 0 can be a pseudo-file, which is searched up to a limit.
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
    ) -> io::Result<()> {
        let Self { query, grep, buffer, has_large_buffer } = self;
        let (pattern, size_bytes) = (&query.pattern, as_index(size));
        // One byte more than the size of the file, so that a short read shows the end of the file.
        let first = if (1..ONE_READ_BYTES).contains(&size_bytes) { size_bytes + 1 } else { FIRST_BYTES };
        if buffer.len() < first {
            buffer.resize(first, 0);
        }
        let mut len = read_at(file, &mut buffer[..first], 0)?;
        let is_complete = len < first;
        let (mut encoding, bom_bytes) = Encoding::of(&buffer[..len]);
        let reason = if is_binary(&buffer[..len]) {
            Some(IncompleteReason::Binary)
        } else {
            (pattern.is_across_lines && size > pattern.multiline_bytes).then_some(IncompleteReason::TooLarge)
        };
        if let Some(reason) = reason {
            let _flow = emit(Found::Incomplete(path(), reason)); // nothing follows
            return Ok(());
        }
        if bom_bytes == 0 {
            (encoding, len) = detect(file, size, buffer, len)?;
        }
        let is_utf8 = encoding == Encoding::Utf8;
        let max_bytes = if pattern.is_across_lines { pattern.multiline_bytes } else { PSEUDO_FILE_BYTES };
        let rest = match size {
            _ if is_complete => 0,
            0 => max_bytes.saturating_sub(len as u64),
            size => size.saturating_sub(len as u64),
        };
        let facts = LineFacts::default();
        let mut complete_text = Vec::new();
        let (text, source) = if is_utf8 && rest == 0 {
            // The byte order mark counts as processed.
            let len = normalize(pattern, &mut buffer[..len], bom_bytes);
            (&buffer[bom_bytes..len], None)
        } else {
            file.seek(SeekFrom::Start(len as u64))?;
            // The decoder removes the byte order mark of other encodings.
            let start = if is_utf8 { bom_bytes } else { 0 };
            let mut source = decoded(buffer[start..len].chain(file.take(rest)), encoding)?;
            if pattern.is_across_lines {
                // In parts, because a file in `/proc` may be slow.
                while (&mut source).take(SEARCH_BUFFER_BYTES).read_to_end(&mut complete_text)? > 0 {
                    stop.check()?;
                }
                let len = normalize(pattern, &mut complete_text, 0);
                (&complete_text[..len], None)
            } else {
                (&[][..], Some(source))
            }
        };
        let ranking = query.ranking.as_ref();
        let ranked_path = || [&*query.ranking_prefix, &path()].concat();
        let ranking =
            ranking.map(|ranking| RefCell::new(FileRanking::new(ranking, query.context, &ranked_path)));
        let mut matcher = PatternMatcher::new(query, text, stop);
        matcher.ranking = ranking.as_ref();
        let mut sink = RowSink::new(&matcher, &facts, path, emit);
        let searched = match source {
            None => grep.search_slice(&matcher, text, &mut sink),
            Some(source) => {
                if !std::mem::replace(has_large_buffer, true) {
                    enlarge_buffer(grep)?;
                }
                grep.search_reader(&matcher, LineReader::new(source, &matcher, &facts), &mut sink)
            }
        };
        let at_limit = size == 0 && file.stream_position()? == max_bytes;
        let has_more = at_limit && file.read(&mut [0])? > 0;
        let (match_lines, mut flow) = (sink.matches + matcher.counted.get(), sink.flow);
        let stopped = matcher.stopped.get();
        if stopped == Some(Stopped::Cancelled) {
            return Err(Stopped::Cancelled.into());
        }
        let incomplete = match searched {
            _ if stopped.is_some() => None,
            Err(error) if !is_full(&error) => return Err(error),
            Ok(()) if !facts.unsearched.get() => has_more.then_some(IncompleteReason::Rest),
            _ => Some(IncompleteReason::LongLine),
        };
        if match_lines > 0 && flow.is_continue() {
            if let Some(ranking) = &ranking {
                flow =
                    emit(Found::Ranked(path().into(), match_lines, ranking.borrow_mut().finish(match_lines)));
            } else if query.mode != OutputMode::Content {
                flow = emit(Found::File(path(), match_lines));
            }
        }
        if let (Some(reason), ControlFlow::Continue(())) = (incomplete, flow) {
            let _flow = emit(Found::Incomplete(path(), reason)); // nothing follows
        }
        stopped.map_or(Ok(()), |stopped| Err(stopped.into()))
    }
}

/// Enlarges the searcher's buffer from 64 KB to [`SEARCH_BUFFER_BYTES`]. The buffer grows threefold when a line does
/// not fit, so this searches a line that is one byte too long.
fn enlarge_buffer(grep: &mut grep_searcher::Searcher) -> io::Result<()> {
    let no_match = RegexMatcher::new_line_matcher("y").map_err(io::Error::other)?;
    let line = io::repeat(b'x').take(SEARCH_BUFFER_BYTES / 3 + 1);
    grep.search_reader(no_match, line, Bytes(|_, _| Ok(false)))
}

/// Returns true if a line with its context did not fit in the searcher's buffer. `grep-searcher` reports that with this
/// kind, and an error of the system has a code.
fn is_full(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Other && error.raw_os_error().is_none()
}

/// Returns a reader that decodes `bytes` to UTF-8. UTF-16 starts with its byte order mark.
fn decoded<'a>(bytes: impl Read + 'a, encoding: Encoding) -> io::Result<Box<dyn Read + 'a>> {
    if encoding == Encoding::Utf8 {
        return Ok(Box::new(bytes));
    }
    let mut decoder = DecodeReaderBytesBuilder::new();
    Ok(Box::new(
        decoder.encoding(Some(encoding.standard())).build_with_buffer(bytes, vec![0; DECODED_BYTES])?,
    ))
}
