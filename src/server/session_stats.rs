//! Counts the calls of a session, logs them, and returns the counts as JSON.

use std::time::Duration;

use cutline_core::truncate::BytesAs;
use serde_json::{Value, json};

use crate::call_stats::{CallStats, StatsFile, tell};
use crate::clock::now_ms;
use crate::limits::Limits;
use crate::stats::{Outcome, Record, Tool, rfc3339};
use crate::tools::{Output, ToolError, ToolName};

use super::legacy_log::{INFO, Level, WARNING};

/// The counts since the server started.
#[derive(Debug)]
pub(super) struct SessionStats {
    /// Start time of the server, in milliseconds since 1970.
    since_ms: u64,
    pub(super) calls: CallStats,
}

impl SessionStats {
    /// Creates empty counts. Each call is also written to `file`.
    pub(super) fn new(since_ms: u64, file: Option<StatsFile>) -> Self {
        Self { since_ms, calls: CallStats::new(file) }
    }

    /// Counts a call. Logs results that were truncated or are close to a limit, and returns the log notification for
    /// them: the level and the data.
    pub(super) fn record(
        &self,
        tool: ToolName,
        duration: Duration,
        outcome: &Result<Output, ToolError>,
        limits: &Limits,
    ) -> Option<(Level, Value)> {
        let counted = Outcome::of(tool, outcome, limits);
        self.calls.add(&Record::new(now_ms(), Tool::Own(tool), duration, counted));
        let (Outcome::Ok(result), Ok(output)) = (counted, outcome) else { return None };
        let (tool, shown) = (tool.as_str(), result.output_bytes);
        let total = output.details.truncation.as_ref().map_or(shown, |cut| cut.total_bytes);
        let message = tell(tool, &result, total, limits.max_bytes)?;
        let level = if result.truncated_by.is_some() { WARNING } else { INFO };
        Some((level, json!({ "message": message, "tool": tool, "shown": shown, "total": total })))
    }

    /// Returns the statistics as JSON, with the current limits and the id of the client profile that set them.
    pub(super) fn to_value(&self, limits: &Limits, fit: Option<&str>) -> Value {
        let mut facts = self.calls.stats().to_object();
        facts.insert("since".to_owned(), json!(rfc3339::format(self.since_ms)));
        let named = [
            ("maxLines", Some(json!(limits.max_lines))),
            ("maxBytes", Some(json!(limits.max_bytes))),
            ("bytesAs", (limits.bytes_as == BytesAs::Json).then(|| json!("json"))),
            ("maxTokens", limits.max_tokens.map(|tokens| json!(tokens))),
            ("images", Some(json!(limits.images.is_some()))),
            ("answerWithinSeconds", limits.answer_within.map(|within| json!(within.as_secs()))),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        facts.insert("limits".to_owned(), Value::Object(named.collect()));
        facts.extend(fit.map(|id| ("fit".to_owned(), id.into())));
        Value::Object(facts)
    }
}
