//! The counts of a session's calls: told as they happen, and given as JSON.

use cutline_core::truncate::BytesAs;
use serde_json::{Value, json};

use crate::call_stats::{CallStats, StatsFile, tell};
use crate::limits::{Images, Limits};
use crate::stats::{Outcome, Record, TimedCall, rfc3339};
use crate::tools::{Output, ToolError};

use super::Request;
use super::legacy_log::{INFO, LogLevel, WARNING};

/// The counts over the server's life, and the way to tell the client of a call.
#[derive(Debug)]
pub(super) struct SessionStats {
    /// When the server started, in milliseconds since 1970.
    since_ms: u64,
    pub(super) calls: CallStats,
    /// The level of log notifications that a client of the handshake era has set.
    pub(super) log_level: LogLevel,
}

impl SessionStats {
    /// Nothing counted yet; each call is written to `file` too.
    pub(super) fn new(since_ms: u64, file: Option<StatsFile>) -> Self {
        Self { since_ms, calls: CallStats::new(file), log_level: LogLevel::default() }
    }

    /// Counts a call. Logs a result that was cut or is close to a limit.
    pub(super) async fn record(
        &self,
        call: &TimedCall,
        outcome: &Result<Output, ToolError>,
        limits: &Limits,
        request: &Request,
    ) {
        let record = Record::new(call, outcome, limits);
        let counted = record.outcome;
        self.calls.add(&record);
        let (Outcome::Ok(answered), Ok(output)) = (counted, outcome) else { return };
        let (tool, shown) = (call.tool.as_str(), answered.output_bytes);
        let total = output.details.truncation.as_ref().map_or(shown, |cut| cut.total_bytes);
        let Some(message) = tell(tool, &answered, total, limits.max_bytes) else { return };
        let level = if answered.truncated_by.is_some() { WARNING } else { INFO };
        let data = json!({ "message": message, "tool": tool, "shown": shown, "total": total });
        self.log_level.notify(level, data, request).await;
    }

    /// The sums as JSON, with the limits that they are measured against, and the row of the fit that set those.
    pub(super) fn to_value(&self, limits: &Limits, fit: Option<&str>) -> Value {
        let mut facts = self.calls.stats().to_object();
        facts.insert("since".to_owned(), json!(rfc3339::words(self.since_ms)));
        let named = [
            ("maxLines", Some(json!(limits.max_lines))),
            ("maxBytes", Some(json!(limits.max_bytes))),
            ("bytesAs", (limits.bytes_as == BytesAs::Json).then(|| json!("json"))),
            ("maxTokens", limits.max_tokens.map(|tokens| json!(tokens))),
            ("images", Some(json!(limits.images != Images::Off))),
            ("answerWithinSeconds", limits.answer_within.map(|within| json!(within.as_secs()))),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        facts.insert("limits".to_owned(), Value::Object(named.collect()));
        facts.extend(fit.map(|id| ("fit".to_owned(), id.into())));
        Value::Object(facts)
    }
}
