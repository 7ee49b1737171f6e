//! A source of bytes that ends with its call, so that what decodes them ends too.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use tokio_util::sync::CancellationToken;

/// Reads between two looks at the call: a decoder may read four bytes at a time.
const READS_BETWEEN_LOOKS: u32 = 64;

/// A source that can't be read any more once its call is taken back.
#[derive(Debug)]
pub(super) struct Cancellable<'a, R> {
    inner: R,
    cancel: &'a CancellationToken,
    reads: u32,
    cancelled: bool,
}

impl<'a, R> Cancellable<'a, R> {
    /// Returns `inner` for the call of `cancel`.
    pub(super) fn new(inner: R, cancel: &'a CancellationToken) -> Self {
        Self { inner, cancel, reads: 0, cancelled: false }
    }

    /// Returns another source for the same call.
    pub(super) fn with<T>(&self, inner: T) -> Cancellable<'a, T> {
        Cancellable::new(inner, self.cancel)
    }

    fn check(&mut self) -> io::Result<()> {
        if self.reads.is_multiple_of(READS_BETWEEN_LOOKS) {
            self.cancelled |= self.cancel.is_cancelled();
        }
        self.reads = self.reads.wrapping_add(1);
        if self.cancelled { Err(io::Error::other("the call was taken back")) } else { Ok(()) }
    }
}

impl<R: Read> Read for Cancellable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.inner.read(buffer)
    }
}

impl<R: BufRead> BufRead for Cancellable<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}

impl<R: Seek> Seek for Cancellable<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }

    fn seek_relative(&mut self, offset: i64) -> io::Result<()> {
        self.inner.seek_relative(offset)
    }
}
