//! Reading a file for a search: small ones at once, others block by block.

use std::fs::File;
use std::io::{self, Read};

use super::scan::Scan;
use super::utf16::Utf8Reader;
use super::{Emit, PassedOver, Query, Searched, Stop, giant, spanning};
use crate::limits::{BINARY_SNIFF_BYTES, GREP_LINE_BYTES, GREP_MULTILINE_BYTES};
use cutline_core::text::decode::Encoding;

/// Bytes of a file that is read at once.
const WHOLE_BYTES: usize = 512 * 1024;
/// Bytes that are read at once of a larger one.
const READ_BYTES: usize = 256 * 1024;
/// Bytes that are read of a file that says it has none, as those of `/proc` do.
const UNSIZED_BYTES: usize = 64 * 1024;

/// Searches `file`, up to the size that it had when it was opened.
pub(super) fn search(
    query: &Query,
    buffer: &mut Vec<u8>,
    mut file: File,
    size: u64,
    stop: &Stop,
    emit: &mut Emit<'_>,
) -> io::Result<Searched> {
    let sized = usize::try_from(size).unwrap_or(usize::MAX);
    // One byte more than the file has: that it is not there says that the file is read.
    let first = if size == 0 { UNSIZED_BYTES } else { sized.saturating_add(1).min(WHOLE_BYTES) };
    if buffer.len() < first {
        buffer.resize(first, 0);
    }
    let len = read(&mut file, buffer.get_mut(..first).unwrap_or_default())?;
    let head = buffer.get(..len).unwrap_or_default();
    let (encoding, mark) = Encoding::of(head);
    let passed_over = |reason| Searched { matches: 0, passed_over: Some(reason) };
    let sniffed = head.get(..BINARY_SNIFF_BYTES.min(len)).unwrap_or_default();
    if encoding == Encoding::Utf8 && memchr::memchr(0, sniffed).is_some() {
        return Ok(passed_over(PassedOver::Binary));
    }
    if query.pattern.spans && size > GREP_MULTILINE_BYTES {
        return Ok(passed_over(PassedOver::TooLarge));
    }
    let mut scan = Scan::new(query, emit);
    let mut searched = true;
    let rest = if len < first { 0 } else { size.saturating_sub(len as u64) };
    if encoding == Encoding::Utf8 && !query.pattern.spans && rest == 0 && len <= GREP_LINE_BYTES {
        let _either = scan.block(head.get(mark..).unwrap_or_default());
    } else {
        let mut source: Box<dyn Read> = Box::new(file.take(rest));
        let mut start = mark..len;
        if encoding != Encoding::Utf8 {
            let head = io::Cursor::new(head.get(mark..).unwrap_or_default().to_vec());
            source = Box::new(Utf8Reader::new(head.chain(source), encoding));
            start = 0..0;
        }
        if query.pattern.spans {
            let mut text = buffer.get(start).unwrap_or_default().to_vec();
            source.read_to_end(&mut text)?;
            let _either = spanning::search(&mut scan, &text, stop);
        } else {
            let kept = start.len();
            buffer.copy_within(start, 0);
            searched = blocks(&mut scan, buffer, kept, &mut source, stop)?;
        }
    }
    let _either = scan.finish();
    let passed_over = (!searched).then_some(PassedOver::LongLine);
    Ok(Searched { matches: scan.matches, passed_over })
}

/// Searches what is in the buffer already, up to `len`, and what comes after it. Gives whether all
/// of it was searched.
fn blocks(
    scan: &mut Scan<'_, '_>,
    buffer: &mut Vec<u8>,
    mut len: usize,
    source: &mut impl Read,
    stop: &Stop,
) -> io::Result<bool> {
    let mut all = true;
    let mut fresh = 0;
    loop {
        let newline = buffer.get(fresh..len).and_then(|new| memchr::memrchr(b'\n', new));
        if let Some(at) = newline {
            let end = fresh + at + 1;
            if stop.is_stopped() || scan.block(buffer.get(..end).unwrap_or_default()).is_break() {
                return Ok(all);
            }
            buffer.copy_within(end..len, 0);
            len -= end;
        } else if len > GREP_LINE_BYTES {
            let mut done = giant::search(scan.query, buffer, len, source, stop)?;
            all &= done.searched;
            len = done.rest;
            fresh = 0;
            if stop.is_stopped() || scan.long_line(done.line()).is_break() {
                return Ok(all);
            }
            continue;
        }
        if buffer.len() < len + READ_BYTES {
            buffer.resize(len + READ_BYTES, 0);
        }
        let read = read(source, buffer.get_mut(len..len + READ_BYTES).unwrap_or_default())?;
        if read == 0 {
            let _either = scan.block(buffer.get(..len).unwrap_or_default());
            return Ok(all);
        }
        fresh = len;
        len += read;
    }
}

/// Reads until the room is full or the file ends.
pub(super) fn read(file: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while let Some(rest) = room.get_mut(len..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}
