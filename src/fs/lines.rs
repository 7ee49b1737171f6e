//! The text of a file in blocks, so that it is never held as a whole.
//!
//! A line ends at a newline, which is one byte in UTF-8 and an aligned pair in UTF-16; offsets are
//! of bytes in the file, the byte order mark included.

#![expect(clippy::indexing_slicing, reason = "a wrong range of bytes has to fail, not to read as no text")]

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use super::buffer::Buffer;
use crate::stop::Stop;
use crate::sys;
use cutline_core::text::as_index;
use cutline_core::text::decode::Encoding;

pub(crate) use crate::sys::read_cached;

/// Bytes that are read at a time; an even number, so that pairs stay aligned.
pub const BLOCK_BYTES: usize = 256 * 1024;

/// A file's text: its bytes from the mark to the size that it had when it was opened.
#[derive(Debug, Clone, Copy)]
pub struct TextFile<'a> {
    /// The source of the bytes.
    pub bytes: Bytes<'a>,
    /// Their encoding.
    pub encoding: Encoding,
    /// Offset of the text's first byte, after the mark.
    pub start: u64,
    /// Offset after its last byte.
    pub end: u64,
}

/// The source of a file's bytes.
#[derive(Debug, Clone, Copy)]
pub enum Bytes<'a> {
    /// In memory, all of them.
    Held(&'a [u8]),
    /// In the open file.
    Open(&'a File),
}

impl TextFile<'_> {
    /// Returns a buffer for blocks of this text, each of at most `block_bytes`.
    pub fn buffer(&self, block_bytes: usize) -> Buffer {
        match self.bytes {
            Bytes::Held(_) => Buffer::new(0),
            Bytes::Open(_) => Buffer::new(as_index(self.end.saturating_sub(self.start)).min(block_bytes)),
        }
    }

    /// Calls `visit` with the blocks from `from` on, which are read to `buffer`, each with its offset, until `visit`
    /// breaks or the text ends. Bytes in memory are one block.
    ///
    /// # Errors
    ///
    /// Returns [`Stopped`](crate::stop::Stopped) if the call has to stop before, or the error of the system.
    pub fn blocks(
        &self,
        from: u64,
        buffer: &mut Buffer,
        stop: &Stop,
        mut visit: impl FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let file = match self.bytes {
            Bytes::Held(bytes) => {
                let _all_of_it = visit(from, &bytes[as_index(from)..as_index(self.end)]);
                return Ok(());
            }
            Bytes::Open(file) => file,
        };
        let mut at = from;
        while at < self.end {
            stop.check()?;
            let block = buffer.first(as_index(self.end - at));
            let read = read_at(file, block, at)?;
            // With nothing read, it has become shorter since.
            if read == 0 || visit(at, &block[..read]).is_break() {
                break;
            }
            at += read as u64;
        }
        Ok(())
    }

    /// True if the text ends with a newline. A byte that is left over after the last pair of UTF-16
    /// is a character that was cut off, and no part of a newline.
    pub fn ends_with_newline(&self) -> io::Result<bool> {
        let newline = self.encoding.newline();
        let len = self.end - self.start;
        if len == 0 || !len.is_multiple_of(newline.len() as u64) {
            return Ok(false);
        }
        let mut is_newline = false;
        let from = self.end - newline.len() as u64;
        self.blocks(from, &mut self.buffer(newline.len()), &Stop::default(), |_, last| {
            is_newline = last == newline;
            ControlFlow::Break(())
        })?;
        Ok(is_newline)
    }
}

/// Reads until `buffer` is full or the file ends, so that pairs are never parted by a short read.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match sys::read_at(file, &mut buffer[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the first bytes of a file, at most `most`.
pub fn first_bytes(file: &File, most: usize) -> io::Result<Vec<u8>> {
    let mut start = vec![0; most];
    let read = read_at(file, &mut start, 0)?;
    start.truncate(read);
    Ok(start)
}
