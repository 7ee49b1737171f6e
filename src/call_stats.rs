//! The statistics of one process: totals, a file of call records, and log messages.

mod file;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use file::StatsFile;

use crate::stats::{Answered, NEAR_LIMIT_PERCENT, Record, Stats, summary};

/// The totals, and the file of call records.
#[derive(Debug)]
pub(crate) struct CallStats {
    stats: Mutex<Stats>,
    file: Option<Mutex<StatsFile>>,
}

impl CallStats {
    /// Creates empty totals. Each call is also written to `file`.
    pub(crate) fn new(file: Option<StatsFile>) -> Self {
        Self { stats: Mutex::default(), file: file.map(Mutex::new) }
    }

    /// Counts a call, and writes its record on the calling thread. In a server, a slow disk delays all calls.
    pub(crate) fn add(&self, record: &Record) {
        self.stats().add(record);
        if let Some(file) = &self.file {
            file.lock().unwrap_or_else(PoisonError::into_inner).append(record);
        }
    }

    /// Returns the totals.
    pub(crate) fn stats(&self) -> MutexGuard<'_, Stats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns one line for each called tool if there are several, and one line for all of them.
    pub(crate) fn summary(&self) -> Vec<String> {
        summary(&self.stats())
    }
}

/// Logs that a result of `tool` was truncated from `total` bytes, or is close to the `limit`. Returns the message, or
/// `None` if neither is the case.
pub(crate) fn tell(tool: &str, answered: &Answered, total: u64, limit: u64) -> Option<&'static str> {
    let shown = answered.output_bytes;
    if answered.truncated_by.is_some() {
        tracing::warn!(tool, shown, total, "result truncated");
        Some("result truncated")
    } else if answered.limit_percent > NEAR_LIMIT_PERCENT {
        tracing::info!(tool, shown, limit, "result near the limit");
        Some("result near the limit")
    } else {
        None
    }
}
