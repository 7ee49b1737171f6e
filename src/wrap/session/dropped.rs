//! Counts dropped messages of the server. Warnings become rarer with their number; the end of the session logs the
//! total.

use std::sync::atomic::{AtomicU64, Ordering};

use cutline_core::notice::Count;
use cutline_core::text::show;

/// Maximum bytes of a dropped message in a warning.
const SHOWN_BYTES: usize = 200;
/// The reason to drop a response to a request that is not open. The warning shows its id.
pub(super) const UNKNOWN_ID: &str = "no request with its id is open";

/// The number of dropped messages.
#[derive(Debug, Default)]
pub(in crate::wrap) struct Dropped(AtomicU64);

impl Dropped {
    /// Counts a message, unless it is empty. Logs it if the number is a power of two, so that a malicious server cannot
    /// fill stderr.
    pub(super) fn add(&self, message: &str, why: &str) {
        let message = message.trim_ascii();
        if message.is_empty() {
            return;
        }
        let count = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_power_of_two() {
            let start = message.floor_char_boundary(SHOWN_BYTES);
            let start = show::name(message.split_at(start).0.as_bytes());
            let start = show::middle_out(&start, SHOWN_BYTES / 2);
            tracing::warn!(count, "a message of the server was dropped, because {why}: {start}");
        }
    }

    /// Returns the total, if anything was dropped.
    pub(in crate::wrap) fn summary(&self) -> Option<String> {
        let count = self.0.load(Ordering::Relaxed);
        (count > 0).then(|| format!("dropped of the server: {}", Count(count, "message", "messages")))
    }
}
