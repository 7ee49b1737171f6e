//! The reader of a command's output, one thread for each command. It reads until the end of the pipe or until it is
//! stopped, possibly long after the result was returned. It never waits for the client.

#![expect(clippy::indexing_slicing, reason = "a read returns at most the length of the block")]

use std::io::{self, PipeReader};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::capture::Capture;
use crate::sys::OutputPipe;

/// Maximum number of bytes of one read.
pub(super) const BLOCK_BYTES: usize = 128 * 1024;
/// Stack size of the reader thread in bytes.
const STACK_BYTES: usize = 256 * 1024;

/// A pipe with the thread that reads it, and the capture of what was read.
pub(super) struct Drain {
    /// The pipe. [`OutputPipe::stop`] stops the reader.
    pub(super) pipe: OutputPipe,
    capture: Mutex<Capture>,
    /// Number of captured bytes. Readable without the lock of `capture`.
    bytes: AtomicU64,
    /// Cancelled when the pipe has ended or the reader was stopped.
    pub(super) ended: CancellationToken,
}

/// The progress of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DrainProgress {
    /// Number of bytes that were captured.
    pub(super) captured: u64,
    /// Maximum number of bytes that were written so far: a block that was read may not be captured yet, and the number
    /// of unread bytes is not known.
    pub(super) written_at_most: u64,
    /// True if everything that was written so far was captured.
    pub(super) is_drained: bool,
}

impl Drain {
    /// Starts a thread that reads `pipe` into `capture` until the pipe ends or the reader is stopped.
    pub(super) fn start(pipe: PipeReader, capture: Capture) -> io::Result<Arc<Self>> {
        let (pipe, capture) = (OutputPipe::new(pipe)?, Mutex::new(capture));
        let ended = CancellationToken::new();
        let drain = Arc::new(Self { pipe, capture, bytes: AtomicU64::new(0), ended });
        let reader = Arc::clone(&drain);
        std::thread::Builder::new().name("drain".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            let _ended_when_dropped = reader.ended.clone().drop_guard();
            let mut block = vec![0; BLOCK_BYTES];
            while let Ok(len @ 1..) = reader.pipe.read(&mut block) {
                let bytes = &block[..len];
                reader.with(|capture| capture.push(bytes));
                reader.bytes.fetch_add(bytes.len() as u64, Ordering::AcqRel);
            }
        })?;
        Ok(drain)
    }

    /// Returns the current progress.
    pub(super) fn progress(&self) -> DrainProgress {
        let (captured, waiting) = (self.bytes(), self.pipe.waiting());
        let written_at_most = captured + waiting + BLOCK_BYTES as u64;
        DrainProgress { captured, written_at_most, is_drained: self.pipe.is_idle() && waiting == 0 }
    }

    /// Returns the number of bytes that were captured so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }

    /// Calls `use_it` with the captured output. Waits while the reader thread uses it, which can take long on a slow
    /// disk.
    pub(super) fn with<T>(&self, use_it: impl FnOnce(&mut Capture) -> T) -> T {
        use_it(&mut self.capture.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `use_it` like [`Self::with`], but without waiting. Returns `None` while the reader thread uses the output,
    /// or after the reader thread panicked.
    pub(super) fn try_with<T>(&self, use_it: impl FnOnce(&mut Capture) -> T) -> Option<T> {
        self.capture.try_lock().ok().map(|mut capture| use_it(&mut capture))
    }
}
