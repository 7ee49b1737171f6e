//! The end of a pipe that is read from, by one thread that others can stop.

#![expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "elsewhere the system is asked")]

use std::io::{self, PipeReader, Read as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// The reading end of a pipe.
pub(crate) struct OutputPipe {
    pipe: PipeReader,
    stopped: AtomicBool,
    /// True while the thread reads, and may wait for something to read.
    idle: AtomicBool,
}

impl OutputPipe {
    /// Takes the pipe over.
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Self> {
        Ok(Self { pipe, stopped: AtomicBool::new(false), idle: AtomicBool::new(false) })
    }

    /// Reads available bytes, and waits if there are none. Returns 0 at the pipe's end, or once it is stopped.
    /// After that, it drops further bytes: the thread stays until the last writer has ended.
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

    /// Bytes that wait in it: none while the reader waits, and not known while it does not.
    pub(crate) fn waiting(&self) -> u64 {
        0
    }

    /// True if the reader waits for more, having taken all there was.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Acquire)
    }

    /// Returns 0: processes are not looked for by the pipe here.
    pub(crate) fn id(&self) -> u64 {
        0
    }
}
