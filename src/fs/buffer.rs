//! A buffer that the kernel copies into at full speed.
//!
//! If a file is read to an address just past a page's start, as a large allocation's is, some
//! processors copy at a third of the speed. This one begins at a page's start.

#![expect(clippy::indexing_slicing, reason = "a wrong length has to fail, not to read as the end of a file")]

/// Bytes to a multiple of which a copy is at full speed: a page.
const ALIGNMENT: usize = 4096;

/// Bytes to read into.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

impl Buffer {
    /// Returns a buffer of `len` bytes, all 0.
    pub fn new(len: usize) -> Self {
        let bytes = vec![0; len + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        // It may not be had where pointers have no address; then any place will do.
        Self { start: if start < ALIGNMENT { start } else { 0 }, bytes }
    }

    /// Returns the first `len` bytes, or all bytes if there are fewer.
    pub fn first(&mut self, len: usize) -> &mut [u8] {
        let len = len.min(self.bytes.len() - ALIGNMENT);
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
    }
}
