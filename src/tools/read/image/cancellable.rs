//! A source of bytes that ends with its call, so that what decodes them ends too.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use tokio_util::sync::CancellationToken;

/// A source that can't be read any more once its call is taken back: that is seen at each block of a decoder's buffer.
#[derive(Debug)]
pub(super) struct Cancellable<'a, R> {
    inner: R,
    cancel: &'a CancellationToken,
}

impl<'a, R: Read> Cancellable<'a, R> {
    /// Returns `inner`, with a buffer, for the call of `cancel`.
    pub(super) fn buffered(inner: R, cancel: &'a CancellationToken) -> BufReader<Self> {
        BufReader::new(Self { inner, cancel })
    }
}

impl<R: Read> Read for Cancellable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("the call was taken back"));
        }
        self.inner.read(buffer)
    }
}

impl<R: Seek> Seek for Cancellable<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
