//! The totals of records, for each tool and for all tools, as JSON and as text.

use std::collections::BTreeMap;
use std::num::Saturating;

use serde_json::{Value, json};

use cutline_core::notice::Count;
use cutline_core::text::Size;
use cutline_core::truncate::TruncatedBy;

use super::{Answered, Outcome, Record, Tool};

/// The totals of all added records. They need 16 bytes for each call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stats {
    /// The totals of all tools.
    pub total: Sums,
    /// The totals of each called tool, in the order of the tools.
    pub tools: BTreeMap<Tool, Sums>,
}

/// The totals of several calls. They saturate, because a file may contain any number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sums {
    /// Calls that returned an error.
    pub errors: u64,
    /// Cancelled calls.
    pub cancelled: u64,
    /// Results.
    pub answers: u64,
    /// Results that the line limit truncated.
    by_lines: u64,
    /// Results that the byte limit truncated.
    by_bytes: u64,
    /// Results that the token limit truncated.
    by_tokens: u64,
    /// Results that stopped at a maximum number of matches, results, entries or lines.
    count_limits: u64,
    /// Lines, bytes and estimated tokens in the bodies.
    given: [Saturating<u64>; 3],
    /// Omitted lines, bytes and estimated tokens, as far as known.
    left_out: [Saturating<u64>; 3],
    /// True if more was omitted than is counted.
    pub left_out_is_open: bool,
    /// Sum of the percentages of the limit that the results used.
    limit_percents: u64,
    /// The durations of the calls in milliseconds, without cancelled ones.
    durations_ms: Vec<f64>,
}

impl Stats {
    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        self.total.add(record);
        self.tools.entry(record.tool.clone()).or_default().add(record);
    }

    /// Returns one line for each called tool if there are several, and one for all tools.
    pub fn summary(&self) -> Vec<String> {
        let tools: Vec<_> = self.tools.iter().map(|(tool, sums)| sums.summary(tool.as_str())).collect();
        let all = (tools.len() != 1).then(|| self.total.summary("all"));
        tools.into_iter().chain(all).collect()
    }
}

impl Sums {
    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        match &record.outcome {
            Outcome::Ok(answered) => self.add_answer(answered),
            Outcome::Error => self.errors += 1,
            Outcome::Cancelled => self.cancelled += 1,
        }
        if record.outcome != Outcome::Cancelled {
            self.durations_ms.push(record.duration_ms);
        }
    }

    fn add_answer(&mut self, answered: &Answered) {
        match answered.truncated_by {
            Some(TruncatedBy::Lines) => self.by_lines += 1,
            Some(TruncatedBy::Bytes) => self.by_bytes += 1,
            Some(TruncatedBy::Tokens) => self.by_tokens += 1,
            None => {}
        }
        self.answers += 1;
        self.count_limits += u64::from(answered.count_limit_reached);
        let left_out = answered.left_out();
        let given = [answered.output_lines, answered.output_bytes, answered.tokens_given];
        let left_out = [left_out.lines, left_out.bytes, answered.tokens_left_out.unwrap_or(0)];
        self.given.iter_mut().zip(given).for_each(|(sum, given)| *sum += given);
        self.left_out.iter_mut().zip(left_out).for_each(|(sum, left_out)| *sum += left_out);
        self.left_out_is_open |= answered.total_is_lower_bound || answered.tokens_left_out.is_none();
        self.limit_percents += answered.limit_percent.min(100);
    }

    /// Returns the number of calls.
    pub fn calls(&self) -> u64 {
        self.answers + self.errors + self.cancelled
    }

    /// Returns the number of results that a line, byte or token limit truncated.
    pub fn truncated(&self) -> u64 {
        self.by_lines + self.by_bytes + self.by_tokens
    }

    /// Returns the percentage of truncated results, or `None` if there are no results.
    pub fn truncated_percent(&self) -> Option<f64> {
        self.mean(self.truncated() * 100)
    }

    /// Returns the average percentage of the limit that results used, or `None` if there are no results.
    pub fn limit_percent(&self) -> Option<f64> {
        self.mean(self.limit_percents)
    }

    /// Returns the bytes in the bodies, and the omitted bytes.
    pub fn bytes(&self) -> (u64, u64) {
        (self.given[1].0, self.left_out[1].0)
    }

    /// Returns the mean of the results, to one decimal.
    #[expect(clippy::cast_precision_loss, reason = "a mean, to be read")]
    fn mean(&self, sum: u64) -> Option<f64> {
        (self.answers > 0).then(|| (sum as f64 * 10.0 / self.answers as f64).round() / 10.0)
    }

    /// Returns the duration in milliseconds that `percent` of the calls do not exceed, or `None` if there are no calls.
    pub fn quantile_ms(&self, percent: usize) -> Option<f64> {
        let mut sorted = self.durations_ms.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied()
    }

    /// Returns the totals as JSON. Missing values are null.
    pub fn to_value(&self) -> Value {
        let ([lines, bytes, tokens], [more_lines, more_bytes, more_tokens]) = (self.given, self.left_out);
        json!({
            "calls": self.calls(),
            "errors": self.errors,
            "cancelled": self.cancelled,
            "answers": self.answers,
            "truncated": {
                "answers": self.truncated(),
                "percent": self.truncated_percent(),
                "byLines": self.by_lines,
                "byBytes": self.by_bytes,
                "byTokens": self.by_tokens,
            },
            "countLimitReached": self.count_limits,
            "given": { "lines": lines, "bytes": bytes, "estimatedTokens": tokens },
            "leftOut": {
                "lines": more_lines,
                "bytes": more_bytes,
                "estimatedTokens": more_tokens,
                "isLowerBound": self.left_out_is_open,
            },
            "limitUse": { "meanPercent": self.limit_percent() },
            "durationMs": {
                "median": self.quantile_ms(50),
                "p95": self.quantile_ms(95),
                "longest": self.quantile_ms(100),
            },
        })
    }

    fn summary(&self, name: &str) -> String {
        let (calls, errors) = (Count(self.calls(), "call", "calls"), Count(self.errors, "error", "errors"));
        let (given, left_out) = self.bytes();
        let more = if self.left_out_is_open { "+" } else { "" };
        let used = self.limit_percent().unwrap_or(0.0);
        format!(
            "{name}: {calls}, {errors}, {} truncated, {} returned and {}{more} omitted, {used:.0}% of the limit used \
             on average",
            self.truncated(),
            Size(given),
            Size(left_out),
        )
    }
}
