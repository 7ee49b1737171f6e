//! Ending a search early.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// Tells all threads that work on a search that it is over.
#[derive(Debug, Default)]
pub struct Stop {
    stopped: AtomicBool,
    cancel: CancellationToken,
}

impl Stop {
    /// One that also fires when the call is cancelled.
    pub fn new(cancel: CancellationToken) -> Self {
        Self { stopped: AtomicBool::new(false), cancel }
    }

    /// Ends the search.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True if the search is over.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }

    /// True if it is over because the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
