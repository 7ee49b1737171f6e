//! Where the lines of a file begin, found by looking at blocks of it, never by holding it.
//!
//! A line ends at a newline, which is one byte in UTF-8 and an aligned pair in UTF-16; offsets are
//! of bytes in the file, the byte order mark included.

use std::fs::File;
use std::io;

use tokio_util::sync::CancellationToken;

use super::buffer::Buffer;
use crate::sys;
use cutline_core::text::as_index;
use cutline_core::text::decode::Encoding;

/// Bytes that are read at a time; an even number, so that pairs stay aligned.
pub const BLOCK_BYTES: usize = 256 * 1024;

/// A file's text: its bytes from the mark to the size that it had when it was opened.
#[derive(Debug)]
pub struct TextFile<'a> {
    /// Where the bytes are.
    pub bytes: Bytes<'a>,
    /// How they are encoded.
    pub encoding: Encoding,
    /// Where the text begins, after the mark.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
}

/// Where a file's bytes are.
#[derive(Debug, Clone, Copy)]
pub enum Bytes<'a> {
    /// In memory, all of them.
    Held(&'a [u8]),
    /// In the open file.
    Open(&'a File),
}

impl TextFile<'_> {
    /// Calls `visit` with the blocks from `from` on, each with its offset, until that breaks, the
    /// text ends, or the call is taken back.
    pub fn blocks<B>(
        &self,
        from: u64,
        cancel: &CancellationToken,
        mut visit: impl FnMut(u64, &[u8]) -> std::ops::ControlFlow<B>,
    ) -> io::Result<Option<B>> {
        let file = match self.bytes {
            Bytes::Held(bytes) => {
                let range = as_index(from)..as_index(self.end);
                return Ok(visit(from, bytes.get(range).unwrap_or_default()).break_value());
            }
            Bytes::Open(file) => file,
        };
        let mut buffer = Buffer::new(as_index(self.end.saturating_sub(from)).min(BLOCK_BYTES));
        let mut at = from;
        while at < self.end {
            if cancel.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let block = buffer.first(as_index(self.end - at).min(BLOCK_BYTES));
            let read = read_at(file, block, at)?;
            if read == 0 {
                break; // it has become shorter since
            }
            if let Some(stop) = visit(at, block.get(..read).unwrap_or_default()).break_value() {
                return Ok(Some(stop));
            }
            at += read as u64;
        }
        Ok(None)
    }

    /// Whether the text ends with a newline.
    pub fn ends_with_newline(&self) -> io::Result<bool> {
        let unit = self.encoding.newline().len() as u64;
        let Some(at) = self.end.checked_sub(unit).filter(|at| *at >= self.start) else {
            return Ok(false);
        };
        let mut last = [0_u8; 2];
        let last = last.get_mut(..as_index(unit)).unwrap_or_default();
        match self.bytes {
            Bytes::Held(bytes) => Ok(bytes.ends_with(self.encoding.newline())),
            Bytes::Open(file) => {
                let read = read_at(file, last, at)?;
                Ok(read == last.len() && last == self.encoding.newline())
            }
        }
    }

    /// The offset after the `nth` newline (from 1) at or after `from`, which begins a unit.
    pub fn after_newline(&self, from: u64, nth: u64, cancel: &CancellationToken) -> io::Result<Option<u64>> {
        let mut left = nth;
        self.blocks(from, cancel, |at, block| match self.encoding.nth_newline(block, left) {
            Ok(after) => std::ops::ControlFlow::Break(at + after as u64),
            Err(seen) => {
                left -= seen;
                std::ops::ControlFlow::Continue(())
            }
        })
    }
}

/// Reads until `buffer` is full or the file ends, so that pairs are never parted by a short read.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
        match sys::read_at(file, room, at + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The first bytes of a file, `most` of them at most.
pub fn first_bytes(file: &File, most: usize) -> io::Result<Vec<u8>> {
    let mut start = vec![0; most];
    let read = read_at(file, &mut start, 0)?;
    start.truncate(read);
    Ok(start)
}

/// All `size` bytes of a file, where they are in memory; never waits for a disk.
pub fn read_cached(file: &File, size: usize) -> Option<Vec<u8>> {
    sys::read_cached(file, size)
}
