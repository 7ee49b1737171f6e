//! What calls come to: told as it happens, counted, and summed up.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::limits::Limits;
use crate::stats::{Answered, Call, Outcome, Record, Stats, Sums, rfc3339};
use crate::tools::{Output, ToolError};
use cutline_core::notice::Count;
use cutline_core::text::Size;

use super::legacy_log::{Level, LogLevel};
use super::stats_file::StatsFile;

/// Percent of the limit above which an answer is worth a word.
const NEAR_LIMIT_PERCENT: u64 = 70;

/// The sums over the server's life, and where each call is told of.
#[derive(Debug)]
pub(super) struct CallStats {
    /// When the server started, in milliseconds since 1970.
    since_ms: u64,
    stats: Mutex<Stats>,
    file: Option<StatsFile>,
    /// What a legacy client wants to hear of.
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
        request: &RequestContext<RoleServer>,
    ) {
        let record = Record::new(call, outcome, limits);
        self.stats().add(&record);
        if let Some(file) = &self.file {
            file.append(&record);
        }
        let (Outcome::Ok(answered), Ok(output)) = (record.outcome, outcome) else { return };
        let Answered { output_bytes: shown, limit_percent, .. } = answered;
        let cut = output.details.truncation.as_ref();
        let total = cut.map_or(shown, |cut| cut.total_bytes);
        let tool = call.tool.as_str();
        let (level, message) = if cut.is_some() {
            tracing::warn!(tool, shown, total, "answer truncated");
            (Level::Warning, "answer truncated")
        } else if limit_percent > NEAR_LIMIT_PERCENT {
            tracing::info!(tool, shown, limit = limits.max_bytes, "answer near the limit");
            (Level::Info, "answer near the limit")
        } else {
            return;
        };
        let data = json!({ "message": message, "tool": tool, "shown": shown, "total": total });
        self.log_level.notify(level, data, request).await;
    }

    /// The sums as JSON, with what they are measured against.
    pub(super) fn to_value(&self, limits: &Limits) -> Value {
        let mut facts = self.stats().to_object();
        facts.insert("since".to_owned(), json!(rfc3339::words(self.since_ms)));
        let limits = json!({ "maxLines": limits.max_lines, "maxBytes": limits.max_bytes });
        facts.insert("limits".to_owned(), limits);
        Value::Object(facts)
    }

    /// For the end: a line for each tool that was called, where there is more than one, and one for all.
    pub(super) fn summary(&self) -> Vec<String> {
        let stats = self.stats();
        let tools: Vec<_> = stats.tools().map(|(tool, sums)| line(tool.as_str(), sums)).collect();
        let all = match tools.as_slice() {
            [_] => return tools,
            _ => line("all", stats.total()),
        };
        tools.into_iter().chain([all]).collect()
    }

    fn stats(&self) -> MutexGuard<'_, Stats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(name: &str, sums: &Sums) -> String {
    let counts = &sums.counts;
    if counts.calls == 0 {
        return "0 calls".to_owned();
    }
    let mut parts = vec![
        Count(counts.calls, "call", "calls").to_string(),
        Count(counts.errors, "error", "errors").to_string(),
    ];
    if counts.cancelled > 0 {
        parts.push(format!("{} cancelled", counts.cancelled));
    }
    parts.push(match counts.truncated() {
        0 => "0 truncated".to_owned(),
        cut => format!("{cut} truncated ({} by lines, {} by bytes)", counts.by_lines, counts.by_bytes),
    });
    let more = if counts.left_out_open > 0 { "+" } else { "" };
    let (given, left_out) = (Size(counts.given.bytes), Size(counts.left_out.bytes));
    parts.push(format!("{given} given and {left_out}{more} left out"));
    let tokens = (counts.tokens_given, counts.tokens_left_out);
    parts.push(format!("about {} and {}{more} tokens", tokens.0, tokens.1));
    parts.extend(counts.limit_percent().map(|used| format!("{used:.0}% of the limit used on average")));
    let quantiles = (sums.durations.quantile(50), sums.durations.quantile(95));
    if let (Some(median), Some(most)) = quantiles {
        parts.push(format!("median {median:.1?}, 95% within {most:.1?}"));
    }
    format!("{name}: {}", parts.join(", "))
}
