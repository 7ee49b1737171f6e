//! The statistics of the calls of a wrapped server: sums, a record of each, and a word on stderr.

use std::sync::Mutex;

use cutline_core::truncate::Bounds;

use super::calls::{Asks, Call};
use super::locked;
use super::result::Judged;
use crate::clock::now_ms;
use crate::stats::{NEAR_LIMIT_PERCENT, Outcome, Record, Stats, Tool, summary};

/// Takes the record of each call.
pub type TakeRecord = Box<dyn Fn(Record) + Send>;

/// The sums, and where each call is told of.
pub(super) struct Tally(Mutex<(Stats, Option<TakeRecord>)>);

impl Tally {
    /// Nothing counted yet; the record of each call is given to `take` too.
    pub(super) fn new(take: Option<TakeRecord>) -> Self {
        Self(Mutex::new((Stats::default(), take)))
    }

    /// Counts the answer to a call of `tool`, and tells where it was cut or nearly so.
    pub(super) fn answered(&self, tool: &str, call: &Call, judged: &Judged, bounds: Bounds) {
        let answered = judged.answered;
        let (shown, total) = (answered.output_bytes, answered.total_bytes);
        if answered.truncated_by.is_some() {
            tracing::warn!(tool, shown, total, "answer truncated");
        } else if answered.limit_percent > NEAR_LIMIT_PERCENT {
            tracing::info!(tool, shown, limit = bounds.bytes, "answer near the limit");
        }
        self.add(call, if judged.is_error { Outcome::Error } else { Outcome::Ok(answered) });
    }

    /// Counts a call of a tool. One that was taken back is counted when it is, and not once more.
    pub(super) fn add(&self, call: &Call, outcome: Outcome) {
        let Asks::Tool(tool) = &call.asks else { return };
        let Some(tool) = Tool::named(tool) else { return };
        if call.is_cancelled && outcome != Outcome::Cancelled {
            return;
        }
        let record = Record::of(now_ms(), tool, call.since.elapsed(), outcome);
        let mut state = locked(&self.0);
        state.0.add(&record);
        if let Some(take) = &state.1 {
            take(record);
        }
    }

    /// The sums in words.
    pub(super) fn summary(&self) -> Vec<String> {
        summary(&locked(&self.0).0)
    }
}
