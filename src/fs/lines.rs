//! Reads the text of a file in blocks, so that the complete text is never in memory.
//!
//! A line ends at a newline, which is an aligned pair of bytes in UTF-16 and one byte in all other encodings. Offsets
//! are of bytes in the file, including the byte order mark.

#![expect(clippy::indexing_slicing, reason = "a wrong range of bytes has to fail, not to read as no text")]

use std::fs::File;
use std::io::{self, Read as _};
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt as _;

use crate::stop::Stop;
use crate::sys;
use cutline_core::text::as_index;
use cutline_core::text::binary::{DECIDING_BYTES, is_binary_file};
use cutline_core::text::decode::{Encoding, SAMPLE_BYTES};

/// Number of bytes that are read at a time. An even number keeps pairs of bytes aligned.
pub const BLOCK_BYTES: usize = 256 * 1024;

/// Alignment for copies at full speed: one page.
const ALIGNMENT: usize = 4096;

/// The text of a file: its bytes from the byte order mark to the size that the file had when it was opened.
#[derive(Debug, Clone, Copy)]
pub struct TextFile<'a> {
    /// The source of the bytes.
    pub bytes: Bytes<'a>,
    /// The encoding of the bytes: by the mark, or as detected.
    pub encoding: Encoding,
    /// The offset of the first byte of the text, after the byte order mark.
    pub start: u64,
    /// The offset after the last byte of the text.
    pub end: u64,
}

/// Memory for the blocks of a text.
pub type Buffer = Box<[MaybeUninit<u8>]>;

/// The source of a file's bytes.
#[derive(Debug, Clone, Copy)]
pub enum Bytes<'a> {
    /// All bytes are in memory.
    Held(&'a [u8]),
    /// The bytes are read from the open file.
    Open(&'a File),
}

impl Bytes<'_> {
    /// Reads from the offset `at` until `buffer` is full or the bytes end.
    fn read_at(self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Self::Held(bytes) => bytes.get(as_index(at)..).unwrap_or_default().read(buffer),
            Self::Open(file) => read_at(file, buffer, at),
        }
    }
}

impl<'a> TextFile<'a> {
    /// Returns the text in `bytes` up to the offset `end`, with the encoding of its mark, or that of the complete text as
    /// detected. `first` has the first [`DECIDING_BYTES`].
    pub fn detected(bytes: Bytes<'a>, first: &[u8], end: u64) -> io::Result<Self> {
        let (by_mark, mark_bytes) = Encoding::of(first);
        let encoding = match bytes {
            _ if mark_bytes > 0 || by_mark != Encoding::Utf8 => by_mark,
            Bytes::Held(bytes) => Encoding::detect(bytes, end).unwrap_or(Encoding::Utf8),
            Bytes::Open(file) => detect(file, end, &mut first.to_vec(), first.len())?.0,
        };
        Ok(Self { bytes, encoding, start: mark_bytes as u64, end })
    }

    /// Creates a buffer for blocks of this text of at most `block_bytes`. Bytes in memory need none.
    pub fn buffer(&self, block_bytes: usize) -> Buffer {
        let bytes = as_index(self.end.saturating_sub(self.start)).min(block_bytes);
        Box::new_uninit_slice(if matches!(self.bytes, Bytes::Held(_)) { 0 } else { bytes + ALIGNMENT })
    }

    /// Calls `visit` with each block from the offset `from` on, and with its offset, until `visit` breaks or the text
    /// ends. Blocks are read into `buffer`. Bytes in memory are one block.
    ///
    /// # Errors
    ///
    /// Returns [`Stopped`](crate::stop::Stopped) if the call must stop before the end, or the error of the system.
    pub fn blocks(
        &self,
        from: u64,
        buffer: &mut Buffer,
        stop: &Stop,
        mut visit: impl FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let (mut at, buffer) = (from, aligned(buffer));
        while at < self.end {
            stop.check()?;
            let file = match self.bytes {
                Bytes::Held(bytes) => {
                    let _flow = visit(at, &bytes[as_index(at)..as_index(self.end)]); // nothing follows
                    break;
                }
                Bytes::Open(file) => file,
            };
            let wanted = as_index(self.end - at).min(buffer.len());
            let block = match sys::read_into(file, &mut buffer[..wanted], at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            // A short read must not split a pair of bytes.
            let is_short = (2..wanted).contains(&block.len());
            let block = &block[..block.len() - if is_short { block.len() % 2 } else { 0 }];
            // An empty read means that the file was truncated in the meantime.
            if block.is_empty() || visit(at, block).is_break() {
                break;
            }
            at += block.len() as u64;
        }
        Ok(())
    }

    /// Returns true if the text ends with a newline. A single byte after the last pair of UTF-16 is a truncated
    /// character and not part of a newline.
    pub fn ends_with_newline(&self) -> io::Result<bool> {
        let newline = self.encoding.newline();
        let len = self.end - self.start;
        if len == 0 || !len.is_multiple_of(newline.len() as u64) {
            return Ok(false);
        }
        let mut last = [0; 2];
        let read = self.bytes.read_at(&mut last[..newline.len()], self.end - newline.len() as u64)?;
        Ok(last[..read] == *newline)
    }
}

/// Returns the part of a buffer after its first page border, for copies at full speed. Some processors copy at a third
/// of the speed to an address just after the start of a page. The address of a large allocation usually is.
fn aligned<T>(buffer: &mut [T]) -> &mut [T] {
    let len = buffer.len().saturating_sub(ALIGNMENT);
    let start = buffer.as_ptr().align_offset(ALIGNMENT).min(buffer.len() - len);
    &mut buffer[start..][..len]
}

/// Returns the encoding of a file without a mark, whose first `len` bytes are in `buffer`, and the number of bytes that
/// are then in `buffer`: more of a large file if it is needed. `size` is 0 if it is unknown.
pub(crate) fn detect(
    file: &File,
    size: u64,
    buffer: &mut Vec<u8>,
    len: usize,
) -> io::Result<(Encoding, usize)> {
    // What was read of a file without a size has to be enough.
    let text_bytes = if size == 0 { len as u64 } else { size };
    if let Some(encoding) = Encoding::detect(&buffer[..len], text_bytes) {
        return Ok((encoding, len));
    }
    let most = SAMPLE_BYTES.min(as_index(size)).max(len);
    buffer.resize(buffer.len().max(most), 0);
    let len = len + read_at(file, &mut buffer[len..most], len as u64)?;
    // The file can be shorter than it was.
    let text_bytes = if len < most { len as u64 } else { text_bytes };
    Ok((Encoding::detect(&buffer[..len], text_bytes).unwrap_or(Encoding::Utf8), len))
}

/// Returns true if a file that begins with NUL bytes ends with text, as does a log that was emptied while a program
/// wrote to it. `start` has the first [`DECIDING_BYTES`].
pub fn is_sparse_text(file: &File, size: u64, start: &[u8]) -> io::Result<bool> {
    if start.len() < DECIDING_BYTES || start.iter().any(|byte| *byte != 0) {
        return Ok(false);
    }
    let mut end = vec![0; DECIDING_BYTES];
    let len = read_at(file, &mut end, size.saturating_sub(DECIDING_BYTES as u64))?;
    Ok(!is_binary_file(&end[..len]))
}

/// Reads until `buffer` is full or the file ends, so that short reads do not split pairs of bytes.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the first bytes of a file, at most `most` bytes.
pub fn first_bytes(file: &File, most: usize) -> io::Result<Vec<u8>> {
    let mut start = vec![0; most];
    let len = read_at(file, &mut start, 0)?;
    start.truncate(len);
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutline_core::text::decode::START_BYTES;
    use std::io::Write as _;

    #[test]
    fn encoding_is_that_of_the_whole_sample() {
        let ascii = |len: usize| vec![b'a'; len];
        let after = |len: usize, text: &[u8]| [&ascii(len), text].concat();
        let mut contents = vec![ascii(300_000), "é".repeat(99).into_bytes(), ascii(2 * SAMPLE_BYTES)];
        for border in [START_BYTES, 2 * START_BYTES, SAMPLE_BYTES] {
            for before in border - 4..=border {
                contents.push(after(before, "€ é".as_bytes()));
                contents.push(after(
                    before,
                    &["€ é".as_bytes(), &ascii(200_000), b"\xe9t\xe9 \xe9t\xe9"].concat(),
                ));
                contents.push(after(before, b"\xe9t\xe9"));
                contents.push(after(before, b"\xe2\x82"));
                contents.push(after(before, &[&"é".repeat(100).into_bytes()[..], b"\xe9t\xe9"].concat()));
            }
        }
        for content in contents {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&content).unwrap();
            let end = content.len() as u64;
            let first = content.get(..DECIDING_BYTES).unwrap_or(&content);
            let text = TextFile::detected(Bytes::Open(&file), first, end).unwrap();
            assert_eq!(Some(text.encoding), Encoding::detect(&content, end), "{end}");
        }
    }

    #[test]
    fn blocks_begin_at_a_page() {
        assert_eq!(aligned::<u8>(&mut []).len(), 0);
        for len in [1, ALIGNMENT, 10_000] {
            let mut buffer = vec![0; len + ALIGNMENT];
            assert_eq!(aligned(&mut buffer).len(), len);
            assert_eq!(aligned(&mut buffer).as_ptr().align_offset(ALIGNMENT), 0);
        }
    }
}
