//! Counts of the calls: logged as they happen, and summed up.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cutline_core::truncate::BytesAs;
use serde_json::{Value, json};

use crate::limits::{Images, Limits};
use crate::stats::{Answered, Call, NEAR_LIMIT_PERCENT, Outcome, Record, Stats, rfc3339, summary};
use crate::tools::{Output, ToolError};

use super::Request;
use super::legacy_log::{INFO, LogLevel, WARNING};
use super::stats_file::StatsFile;

/// The sums over the server's life, and where each call is told of.
#[derive(Debug)]
pub(super) struct CallStats {
    /// When the server started, in milliseconds since 1970.
    since_ms: u64,
    stats: Mutex<Stats>,
    file: Option<StatsFile>,
    /// The level of log notifications that a client of the handshake era has set.
    pub(super) log_level: LogLevel,
}

impl CallStats {
    /// Nothing counted yet; each call is written to `file` too.
    pub(super) fn new(since_ms: u64, file: Option<StatsFile>) -> Self {
        Self { since_ms, stats: Mutex::default(), file, log_level: LogLevel::default() }
    }

    /// Counts a call, and tells of its answer where that was cut or nearly so.
    pub(super) async fn record(
        &self,
        call: &Call,
        outcome: &Result<Output, ToolError>,
        limits: &Limits,
        request: &Request,
    ) {
        let record = Record::new(call, outcome, limits);
        self.stats().add(&record);
        if let Some(file) = &self.file {
            file.append(record.clone());
        }
        let (Outcome::Ok(answered), Ok(output)) = (record.outcome, outcome) else { return };
        let Answered { output_bytes: shown, limit_percent, .. } = answered;
        let cut = output.details.truncation.as_ref();
        let total = cut.map_or(shown, |cut| cut.total_bytes);
        let tool = call.tool.as_str();
        let (level, message) = if cut.is_some() {
            tracing::warn!(tool, shown, total, "answer truncated");
            (WARNING, "answer truncated")
        } else if limit_percent > NEAR_LIMIT_PERCENT {
            tracing::info!(tool, shown, limit = limits.max_bytes, "answer near the limit");
            (INFO, "answer near the limit")
        } else {
            return;
        };
        let data = json!({ "message": message, "tool": tool, "shown": shown, "total": total });
        self.log_level.notify(level, data, request).await;
    }

    /// The sums as JSON, with the limits that they are measured against, and the row of the fit that set those.
    pub(super) fn to_value(&self, limits: &Limits, fit: Option<&str>) -> Value {
        let mut facts = self.stats().to_object();
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

    /// Waits until all records are written. Returns a line for each tool that was called, where there is
    /// more than one, and one for all.
    pub(super) async fn finish(&self) -> Vec<String> {
        if let Some(file) = &self.file {
            file.finish().await;
        }
        summary(&self.stats())
    }

    fn stats(&self) -> MutexGuard<'_, Stats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
