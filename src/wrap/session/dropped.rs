//! Counts dropped messages of the server. Warnings become rarer with their number; the end of the session logs the
//! totals.

use std::sync::atomic::{AtomicU64, Ordering};

use cutline_core::notice::Count;
use cutline_core::text::show;

/// Maximum bytes of a dropped message in a warning.
const SHOWN_BYTES: usize = 200;

/// The numbers of dropped messages.
#[derive(Debug, Default)]
pub(in crate::wrap) struct Dropped {
    invalid: AtomicU64,
    unknown: AtomicU64,
}

impl Dropped {
    /// Counts an invalid message that responds to no open request.
    pub(super) fn add_invalid(&self, message: &str, why: &str) {
        let message = message.trim_ascii();
        if message.is_empty() {
            return;
        }
        if let Some(count) = counted(&self.invalid) {
            let start = message.floor_char_boundary(SHOWN_BYTES);
            let start = show::name(message.split_at(start).0.as_bytes());
            let start = show::middle_out(&start, SHOWN_BYTES / 2);
            tracing::warn!(count, "a line of the server was dropped, because {why}: {start}");
        }
    }

    /// Counts a response to a request that is not open.
    pub(super) fn add_unknown(&self, raw_id: Option<&str>) {
        if let Some(count) = counted(&self.unknown) {
            let id = show::middle_out(&show::name(raw_id.unwrap_or("null").as_bytes()), SHOWN_BYTES / 2)
                .into_owned();
            tracing::warn!(
                count,
                "a response of the server was dropped, because no request with its id is open: {id}"
            );
        }
    }

    /// Returns the totals, if anything was dropped.
    pub(in crate::wrap) fn summary(&self) -> Option<String> {
        let kinds = [
            (&self.unknown, "response to an unknown id", "responses to unknown ids"),
            (&self.invalid, "invalid line", "invalid lines"),
        ];
        let totals = kinds.map(|(count, one, many)| (count.load(Ordering::Relaxed), one, many));
        let parts: Vec<_> = totals.into_iter().filter(|(count, ..)| *count > 0).collect();
        let parts: Vec<_> =
            parts.into_iter().map(|(count, one, many)| Count(count, one, many).to_string()).collect();
        (!parts.is_empty()).then(|| format!("dropped of the server: {}", parts.join(", ")))
    }
}

/// Adds one. Returns the number if it is a power of two, so that a malicious server cannot fill stderr.
fn counted(number: &AtomicU64) -> Option<u64> {
    Some(number.fetch_add(1, Ordering::Relaxed) + 1).filter(|count| count.is_power_of_two())
}
