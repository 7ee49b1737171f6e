//! Statistics of calls: a record of each call, and totals of records, for each tool and for all tools.
//!
//! A record has the size of a result, the omitted size and the duration. It contains no arguments, paths or text. All
//! totals are computed from records, both in a running server and for a file of records. This module reads no clock,
//! file or network.

#![expect(clippy::string_slice, reason = "a body is the start of the text of its result")]

use std::collections::BTreeMap;
use std::num::Saturating;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::limits::Limits;
use crate::tools::{Output, ToolError, ToolName, Totals};
use cutline_core::details::TruncationDetails;
use cutline_core::notice::Count;
use cutline_core::text::tokens::{estimate, extrapolate};
use cutline_core::text::{Extent, Size, show};
use cutline_core::truncate::{Bounds, TruncatedBy};

/// Maximum characters of a tool's name. A longer name is shortened in the middle.
const NAME_CHARS: usize = 128;

/// The record of a call: a line of JSON in a file of records.
///
/// ```
/// use cutline::stats::{Outcome, Record};
/// let line = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"read","durationMs":0.25,"outcome":"error"}"#;
/// let record: Record = serde_json::from_str(line).unwrap();
/// assert_eq!((record.duration_ms, record.outcome), (0.25, Outcome::Error));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// End of the call, as RFC 3339 in UTC.
    pub time: String,
    /// The tool.
    pub tool: Tool,
    /// Time from the request to the result in milliseconds, to the microsecond.
    pub duration_ms: f64,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// A tool of this server or of a wrapped server. The server's own tools come first, in their usual order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Tool {
    /// A tool of this server.
    Own(ToolName),
    /// Another tool, with a name that is safe to print.
    Other(String),
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    /// The call returned a result.
    Ok(ResultSize),
    /// The call returned an error.
    Error,
    /// The client cancelled the call.
    Cancelled,
}

/// The size of a result, and of the full result before truncation.
///
/// Counts only the body, without notices, status and images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultSize {
    /// The line, byte or token limit that truncated the result.
    pub truncated_by: Option<TruncatedBy>,
    /// True if the result stopped at a maximum number of matches, results, entries or lines. This is the limit of the
    /// call or the default of the tool.
    pub count_limit_reached: bool,
    /// Lines in the body.
    pub output_lines: u64,
    /// Bytes in the body.
    pub output_bytes: u64,
    /// Lines of the full result, or `None` if unknown.
    pub total_lines: Option<u64>,
    /// Bytes of the full result, or `None` if unknown.
    pub total_bytes: Option<u64>,
    /// True if the totals are lower bounds.
    pub total_is_lower_bound: bool,
    /// The largest used percentage of the line, byte and token limits, rounded down; 100 if the result was truncated.
    pub limit_percent: u64,
    /// Estimated tokens of the body ([`estimate`]).
    pub tokens_given: u64,
    /// Estimated omitted tokens, at the tokens per byte of the body. A lower bound if the total is one.
    pub tokens_left_out: Option<u64>,
}

impl Record {
    /// Creates the record of a call that ended at `time`, as RFC 3339 in UTC.
    pub fn new(time: String, tool: Tool, duration: Duration, outcome: Outcome) -> Self {
        let duration_ms = (duration.as_secs_f64() * 1e6).round() / 1e3;
        Self { time, tool, duration_ms, outcome }
    }
}

impl Tool {
    /// Returns the tool with this name, or `None` if the name is empty.
    pub fn named(name: &str) -> Option<Self> {
        (!name.is_empty()).then(|| Self::from(name.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(tool) => tool.as_str(),
            Self::Other(name) => name,
        }
    }
}

impl From<String> for Tool {
    fn from(name: String) -> Self {
        let shown = show::name(name.as_bytes());
        let other = || Self::Other(show::middle_out(&shown, NAME_CHARS).into_owned());
        ToolName::of(&name).map_or_else(other, Self::Own)
    }
}

impl From<Tool> for String {
    fn from(tool: Tool) -> Self {
        tool.as_str().to_owned()
    }
}

impl Outcome {
    /// Returns the outcome of a call with these limits.
    pub fn of(outcome: &Result<Output, ToolError>, limits: &Limits) -> Self {
        match outcome {
            Ok(output) => Self::Ok(ResultSize::new(output, limits)),
            Err(ToolError::Cancelled) => Self::Cancelled,
            Err(_) => Self::Error,
        }
    }
}

impl ResultSize {
    fn new(output: &Output, limits: &Limits) -> Self {
        let cut = output.details.truncation.as_ref();
        let body = &output.text[..output.body_bytes];
        let of_all = cut.map_or_else(|| Self::of_text(body, Extent::of(body), limits.bounds()), Self::of_cut);
        let known = |total: Option<u64>| total.filter(|_| output.totals != Totals::Unknown);
        Self {
            count_limit_reached: cut.is_none() && output.details.next_offset.is_some(),
            total_lines: known(of_all.total_lines),
            total_bytes: known(of_all.total_bytes),
            total_is_lower_bound: output.totals == Totals::LowerBound,
            tokens_left_out: known(of_all.tokens_left_out),
            ..of_all
        }
    }

    /// Returns the size of a result within the limits, where `given` is the returned part of `total`.
    pub(crate) fn of_text(given: &str, total: Extent, bounds: Bounds) -> Self {
        let (extent, tokens) = (Extent::of(given), estimate(given));
        let percent = |used: u64, limit: u64| (used.saturating_mul(100) / limit.max(1)).min(100);
        let of_text = percent(extent.lines, bounds.lines).max(percent(bounds.bytes_of(given), bounds.bytes));
        let of_tokens = bounds.tokens.map_or(0, |limit| percent(tokens, limit));
        Self::of(extent, tokens, total, None, of_text.max(of_tokens))
    }

    /// Returns the size of a truncated result.
    pub(crate) fn of_cut(cut: &TruncationDetails) -> Self {
        let given = Extent { lines: cut.output_lines, bytes: cut.output_bytes };
        let total = Extent { lines: cut.total_lines, bytes: cut.total_bytes };
        Self::of(given, cut.estimated_tokens, total, Some(cut.truncated_by), 100)
    }

    fn of(given: Extent, tokens: u64, total: Extent, by: Option<TruncatedBy>, limit_percent: u64) -> Self {
        Self {
            truncated_by: by,
            count_limit_reached: false,
            output_lines: given.lines,
            output_bytes: given.bytes,
            total_lines: Some(total.lines),
            total_bytes: Some(total.bytes),
            total_is_lower_bound: false,
            limit_percent,
            tokens_given: tokens,
            tokens_left_out: Some(extrapolate(total.bytes.saturating_sub(given.bytes), given.bytes, tokens)),
        }
    }

    /// Returns the omitted lines and bytes, as far as they are known.
    pub fn left_out(&self) -> Extent {
        Extent {
            lines: self.total_lines.unwrap_or(0).saturating_sub(self.output_lines),
            bytes: self.total_bytes.unwrap_or(0).saturating_sub(self.output_bytes),
        }
    }
}

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
            Outcome::Ok(size) => self.add_result(size),
            Outcome::Error => self.errors += 1,
            Outcome::Cancelled => self.cancelled += 1,
        }
        if record.outcome != Outcome::Cancelled {
            self.durations_ms.push(record.duration_ms);
        }
    }

    fn add_result(&mut self, size: &ResultSize) {
        match size.truncated_by {
            Some(TruncatedBy::Lines) => self.by_lines += 1,
            Some(TruncatedBy::Bytes) => self.by_bytes += 1,
            Some(TruncatedBy::Tokens) => self.by_tokens += 1,
            None => {}
        }
        self.answers += 1;
        self.count_limits += u64::from(size.count_limit_reached);
        let left_out = size.left_out();
        let given = [size.output_lines, size.output_bytes, size.tokens_given];
        let left_out = [left_out.lines, left_out.bytes, size.tokens_left_out.unwrap_or(0)];
        self.given.iter_mut().zip(given).for_each(|(sum, given)| *sum += given);
        self.left_out.iter_mut().zip(left_out).for_each(|(sum, left_out)| *sum += left_out);
        self.left_out_is_open |= size.total_is_lower_bound || size.tokens_left_out.is_none();
        self.limit_percents += size.limit_percent.min(100);
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

#[cfg(test)]
mod tests;
