//! How often answers are cut, and how much of the limit they use: told as it happens, and summed up.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use crate::limits::Limits;
use crate::tools::{Output, ToolError, ToolName};

use super::legacy_log::{Level, LogLevel};

/// Percent of the limit above which an answer is worth a word.
const NEAR_LIMIT_PERCENT: u64 = 70;

/// Counts over the server's life.
#[derive(Debug, Default)]
pub(super) struct Tally {
    calls: AtomicU64,
    errors: AtomicU64,
    truncations: AtomicU64,
    used_percent: AtomicU64,
    /// What a legacy client wants to hear of.
    pub(super) log_level: LogLevel,
}

impl Tally {
    /// Counts a call, and tells of its answer where that was cut or nearly so.
    pub(super) async fn record(
        &self,
        tool: ToolName,
        outcome: &Result<Output, ToolError>,
        limits: &Limits,
        request: &RequestContext<RoleServer>,
    ) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let Ok(output) = outcome else {
            self.errors.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let cut = output.details.truncation.as_ref();
        let shown = cut.map_or(output.text.len() as u64, |cut| cut.output_bytes);
        let total = cut.map_or(shown, |cut| cut.total_bytes);
        let used = (shown.saturating_mul(100) / limits.max_bytes.max(1)).min(100);
        self.used_percent.fetch_add(used, Ordering::Relaxed);
        let tool = tool.as_str();
        let (level, message) = if cut.is_some() {
            self.truncations.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(tool, shown, total, "answer truncated");
            (Level::Warning, "answer truncated")
        } else if used > NEAR_LIMIT_PERCENT {
            tracing::info!(tool, shown, limit = limits.max_bytes, "answer near the limit");
            (Level::Info, "answer near the limit")
        } else {
            return;
        };
        let data = json!({ "message": message, "tool": tool, "shown": shown, "total": total });
        self.log_level.notify(level, data, request).await;
    }

    /// One line for the end.
    pub(super) fn summary(&self) -> String {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (calls, errors) = (count(&self.calls), count(&self.errors));
        let mean = count(&self.used_percent) / calls.saturating_sub(errors).max(1);
        let cut = count(&self.truncations);
        format!("{calls} calls, {errors} errors, {cut} truncated, {mean}% of the limit used on average")
    }
}
