//! Searching one file: its first bytes say how it is read.
//!
//! A small file is searched where it was read to, a larger one as it is read, and one in which matches may
//! span lines from memory as a whole. What the searcher is given is UTF-8 whose lines end with `\n`.

#![expect(clippy::indexing_slicing, reason = "all ranges are within what was read into the buffer")]

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};

use encoding_rs_io::DecodeReaderBytesBuilder;

use super::giant::GiantLines;
use super::line_reader::{LineReader, normalize};
use super::matcher::GuardedMatcher;
use super::sink::RowSink;
use super::{Emit, PassedOver, Pattern, Searched, Searcher, Stop};
use crate::fs::lines::read_at;
use crate::limits::{BINARY_SNIFF_BYTES, GREP_MULTILINE_BYTES};
use cutline_core::text::decode::Encoding;

/// Bytes of a file that is read at once.
const WHOLE_BYTES: usize = 512 * 1024;
/// Bytes that are read of a file that says it has none, as those of `/proc` do.
const UNSIZED_BYTES: usize = 64 * 1024;
/// Bytes of UTF-16 that are decoded at once.
const DECODED_BYTES: usize = 64 * 1024;

/// Searches `file`, up to the `size` in bytes that it had when it was opened.
pub(super) fn search(
    searcher: &mut Searcher,
    mut file: File,
    size: u64,
    stop: &Stop,
    emit: &mut Emit<'_>,
) -> io::Result<Searched> {
    let Searcher { query, grep, buffer } = searcher;
    let pattern = &query.pattern;
    let sized = usize::try_from(size).unwrap_or(usize::MAX);
    // One byte more than the file has: that it is not there says that the file is read.
    let first = if size == 0 { UNSIZED_BYTES } else { sized.saturating_add(1).min(WHOLE_BYTES) };
    if buffer.len() < first {
        buffer.resize(first, 0);
    }
    let len = read_at(&file, &mut buffer[..first], 0)?;
    let (encoding, mark) = Encoding::of(&buffer[..len]);
    let passed_over = |reason| Searched { matches: 0, passed_over: Some(reason) };
    if encoding == Encoding::Utf8 && memchr::memchr(0, &buffer[..len.min(BINARY_SNIFF_BYTES)]).is_some() {
        return Ok(passed_over(PassedOver::Binary));
    }
    if pattern.spans_lines && size > GREP_MULTILINE_BYTES {
        return Ok(passed_over(PassedOver::TooLarge));
    }
    let rest = if len < first { 0 } else { size.saturating_sub(len as u64) };
    let giants = GiantLines::default();
    let mut sink = RowSink::new(query, &giants, emit);
    if encoding == Encoding::Utf8 && rest == 0 {
        let text = normalized(pattern, &mut buffer[mark..len]);
        grep.search_slice(GuardedMatcher::new(pattern, text, stop), text, &mut sink)?;
    } else {
        file.seek(SeekFrom::Start(len as u64))?;
        let encoding = match encoding {
            Encoding::Utf8 => None,
            Encoding::Utf16Le => Some(encoding_rs::UTF_16LE),
            Encoding::Utf16Be => Some(encoding_rs::UTF_16BE),
        };
        let start = if encoding.is_none() { mark } else { 0 };
        let bytes = buffer[start..len].chain(file.take(rest));
        let mut source: Box<dyn Read> = Box::new(bytes);
        if encoding.is_some() {
            let mut decoder = DecodeReaderBytesBuilder::new();
            let room = vec![0; DECODED_BYTES];
            source = Box::new(decoder.encoding(encoding).build_with_buffer(source, room)?);
        }
        if pattern.spans_lines {
            let mut text = Vec::new();
            source.read_to_end(&mut text)?;
            let text = normalized(pattern, &mut text);
            grep.search_slice(GuardedMatcher::new(pattern, text, stop), text, &mut sink)?;
        } else {
            let lines = LineReader::new(source, query, &giants, stop);
            grep.search_reader(GuardedMatcher::new(pattern, &[], stop), lines, &mut sink)?;
        }
    }
    let matches = sink.finish();
    let passed_over = (!giants.all_searched()).then_some(PassedOver::LongLine);
    Ok(Searched { matches, passed_over })
}

/// The text as `pattern` is searched for in it.
fn normalized<'a>(pattern: &Pattern, text: &'a mut [u8]) -> &'a [u8] {
    let len = normalize(pattern, text, 0);
    &text[..len]
}
