//! The totals of records, for each tool and for all tools, also as JSON.

#![expect(clippy::indexing_slicing, reason = "a range index is below ten")]

use std::collections::BTreeMap;

use cutline_core::text::as_index;
use serde_json::{Value, json};

use crate::tools::arguments::Object;

use super::wire::{milliseconds, rfc3339};
use super::{Counts, Durations, Outcome, Record, Tool};

/// Maximum number of tools with totals of their own.
const MOST_TOOLS: usize = 1000;

/// Number of ranges of limit use, 10 % each. The last one includes 100 %.
const RANGES: usize = 10;

/// The totals of several calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sums {
    /// The counts that are plain sums.
    pub counts: Counts,
    /// Results by used percentage of the limit: below 10 %, below 20 %, and so on.
    pub limit_use: [u64; RANGES],
    /// The durations of the calls, without cancelled ones.
    pub durations: Durations,
}

impl Sums {
    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        self.counts.add(record);
        if let Outcome::Ok(answered) = &record.outcome {
            self.limit_use[as_index(answered.limit_percent / 10).min(RANGES - 1)] += 1;
        }
        if record.outcome != Outcome::Cancelled {
            self.durations.add(record.duration);
        }
    }

    /// Returns the totals as JSON. Missing values are null.
    pub fn to_value(&self) -> Value {
        let counts = &self.counts;
        let quantile = |percent| self.durations.quantile(percent).map(milliseconds::of);
        json!({
            "calls": counts.calls,
            "errors": counts.errors,
            "cancelled": counts.cancelled,
            "answers": counts.answers(),
            "truncated": {
                "answers": counts.truncated(),
                "percent": rounded(counts.truncated_percent()),
                "byLines": counts.by_lines,
                "byBytes": counts.by_bytes,
                "byTokens": counts.by_tokens,
            },
            "countLimitReached": counts.count_limits,
            "given": {
                "lines": counts.lines_given,
                "bytes": counts.bytes_given,
                "estimatedTokens": counts.tokens_given,
            },
            "leftOut": {
                "lines": counts.lines_left_out,
                "bytes": counts.bytes_left_out,
                "estimatedTokens": counts.tokens_left_out,
                "isLowerBound": counts.left_out_open.0 > 0,
            },
            "limitUse": {
                "meanPercent": rounded(counts.limit_percent()),
                "answersByTenth": self.limit_use,
            },
            "durationMs": {
                "median": quantile(50),
                "p95": quantile(95),
                "longest": self.durations.longest().map(milliseconds::of),
            },
        })
    }
}

/// Rounds a percentage to one decimal.
pub fn rounded(percent: Option<f64>) -> Option<f64> {
    percent.map(|percent| (percent * 10.0).round() / 10.0)
}

/// The totals of all added records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// The totals of all tools.
    pub total: Sums,
    /// The totals of each called tool, in the order of the tools.
    pub tools: BTreeMap<Tool, Sums>,
    /// The times of the first and the last record in milliseconds since 1970, or `None` if there are no records.
    pub span_ms: Option<(u64, u64)>,
}

impl Stats {
    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        self.total.add(record);
        if self.tools.len() < MOST_TOOLS || self.tools.contains_key(&record.tool) {
            self.tools.entry(record.tool.clone()).or_default().add(record);
        }
        let (first, last) = self.span_ms.unwrap_or((u64::MAX, 0));
        self.span_ms = Some((first.min(record.time_ms), last.max(record.time_ms)));
    }

    /// Returns the totals as JSON.
    pub fn to_object(&self) -> Object {
        let tools = self.tools.iter().map(|(tool, sums)| (tool.as_str().to_owned(), sums.to_value()));
        let facts = [
            ("firstCall", json!(self.span_ms.map(|(first, _)| rfc3339::format(first)))),
            ("lastCall", json!(self.span_ms.map(|(_, last)| rfc3339::format(last)))),
            ("total", self.total.to_value()),
            ("tools", tools.collect()),
        ];
        facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect()
    }
}
