//! A page-aligned buffer, into which the kernel copies at full speed.
//!
//! Some processors copy at a third of the speed if a file is read to an address just after the start of a page. The
//! address of a large allocation usually is.

#![expect(clippy::indexing_slicing, reason = "a wrong length has to fail, not to read as the end of a file")]

/// Alignment for copies at full speed: one page.
const ALIGNMENT: usize = 4096;

/// A page-aligned buffer. One that is shorter than a page is not aligned.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// Creates a buffer of `len` bytes, all 0.
    pub fn new(len: usize) -> Self {
        let spare = if len < ALIGNMENT { 0 } else { ALIGNMENT };
        let bytes = vec![0; len + spare];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        // The offset is unknown if pointers have no address. Any start is then correct.
        Self { start: if start < spare { start } else { 0 }, len, bytes }
    }

    /// Returns the first `len` bytes, or all bytes if there are fewer.
    pub fn first(&mut self, len: usize) -> &mut [u8] {
        let len = len.min(self.len);
        &mut self.bytes[self.start..self.start + len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_at_a_page() {
        let mut buffer = Buffer::new(10_000);
        assert_eq!(buffer.first(10_000).len(), 10_000);
        assert_eq!(buffer.first(10).as_ptr().align_offset(ALIGNMENT), 0);
        for len in [0, 1, ALIGNMENT - 1, ALIGNMENT] {
            assert_eq!(Buffer::new(len).first(usize::MAX).len(), len);
        }
    }
}
