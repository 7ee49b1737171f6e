//! The one reader of a command's output: at the pipe's own speed, until its end or until it is told
//! to stop, also long after the answer.

use std::fmt;
use std::io::{self, PipeReader};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use tokio::sync::watch;

use super::capture::Capture;
use crate::sys::OutputPipe;

/// Bytes of one read.
const BLOCK_BYTES: usize = 128 * 1024;
/// The reader's stack: it calls nothing deep.
const STACK_BYTES: usize = 256 * 1024;

/// The reader of one pipe, which has a thread to itself.
pub(super) struct Drain {
    shared: Arc<Shared>,
    ended: watch::Receiver<bool>,
}

impl fmt::Debug for Drain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Shared {
    tap: OutputPipe,
    capture: Mutex<Capture>,
    /// Bytes that were captured: known also while the capture is at work.
    bytes: AtomicU64,
}

/// How far a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DrainProgress {
    /// Bytes that were captured.
    pub(super) taken: u64,
    /// Bytes that wait in the pipe. Beside these, one block may be on its way.
    pub(super) waiting: u64,
    /// Whether the reader waits for more.
    pub(super) idle: bool,
}

impl DrainProgress {
    /// Whether everything that was written so far was taken.
    pub(super) fn is_drained(self) -> bool {
        self.idle && self.waiting == 0
    }

    /// Bytes that were written so far, or a block more.
    pub(super) fn written(self) -> u64 {
        self.taken + self.waiting + BLOCK_BYTES as u64
    }
}

impl Drain {
    /// Begins to read `pipe` into `capture`.
    pub(super) fn start(pipe: PipeReader, capture: Capture) -> io::Result<Self> {
        let tap = OutputPipe::new(pipe)?;
        let shared = Arc::new(Shared { tap, capture: Mutex::new(capture), bytes: AtomicU64::new(0) });
        let (end, ended) = watch::channel(false);
        let reader = Arc::clone(&shared);
        std::thread::Builder::new().name("drain".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            reader.read();
            end.send_replace(true);
        })?;
        Ok(Self { shared, ended })
    }

    /// The pipe's number, by which the processes that hold it are found.
    pub(super) fn pipe(&self) -> u64 {
        self.shared.tap.id()
    }

    /// Done when all was read that will ever come, or the reader was stopped.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut ended = self.ended.clone();
        async move {
            let _or_gone = ended.wait_for(|ended| *ended).await;
        }
    }

    /// Whether all was read that will ever come, or the reader was stopped.
    pub(super) fn has_ended(&self) -> bool {
        *self.ended.borrow() || self.ended.has_changed().is_err()
    }

    /// How far it is.
    pub(super) fn level(&self) -> DrainProgress {
        let tap = &self.shared.tap;
        DrainProgress { taken: self.bytes(), waiting: tap.waiting(), idle: tap.is_idle() }
    }

    /// How many bytes were captured so far.
    pub(super) fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Acquire)
    }

    /// Does something with what was captured. While the reader is at work on it, which a slow disk
    /// may make long, this waits.
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Capture) -> T) -> T {
        look(&mut self.shared.capture.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same where it need not wait.
    pub(super) fn try_with<T>(&self, look: impl FnOnce(&mut Capture) -> T) -> Option<T> {
        match self.shared.capture.try_lock() {
            Ok(mut capture) => Some(look(&mut capture)),
            Err(TryLockError::Poisoned(poisoned)) => Some(look(&mut poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Reads no more.
    pub(super) fn stop(&self) {
        self.shared.tap.stop();
    }
}

impl Shared {
    fn read(&self) {
        let mut block = vec![0; BLOCK_BYTES];
        while let Ok(len @ 1..) = self.tap.read(&mut block) {
            let bytes = block.get(..len).unwrap_or_default();
            self.capture.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
            self.bytes.fetch_add(bytes.len() as u64, Ordering::AcqRel);
        }
    }
}
