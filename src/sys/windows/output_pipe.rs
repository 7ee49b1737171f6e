//! The read end of a pipe. One thread reads it, and other threads can stop that thread.

#![expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "other systems need it")]

use std::io::{self, PipeReader, Read as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// The read end of a pipe.
pub(crate) struct OutputPipe {
    pipe: PipeReader,
    stopped: AtomicBool,
    /// True while the thread reads and may wait for bytes.
    idle: AtomicBool,
}

impl OutputPipe {
    /// Takes ownership of the pipe.
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Self> {
        Ok(Self { pipe, stopped: AtomicBool::new(false), idle: AtomicBool::new(false) })
    }

    /// Reads available bytes, and waits if there are none. Returns 0 at the end of the pipe, or if the reader was
    /// stopped. After a stop, the thread keeps reading and drops the bytes until the last writer has ended.
    pub(crate) fn read(&self, block: &mut [u8]) -> io::Result<usize> {
        self.idle.store(true, Ordering::Release);
        let read = (&self.pipe).read(block);
        self.idle.store(false, Ordering::Release);
        if self.stopped.load(Ordering::Acquire) { Ok(0) } else { read }
    }

    /// Stops returning bytes.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Returns the number of unread bytes, which is always 0: none are left while the reader waits, and otherwise the
    /// number is unknown.
    pub(crate) fn waiting(&self) -> u64 {
        0
    }

    /// Returns true if the reader waits because the pipe is empty.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Acquire)
    }

    /// Returns 0, because processes are not found by their pipe on Windows.
    pub(crate) fn id(&self) -> u64 {
        0
    }
}
