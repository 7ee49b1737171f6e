//! The record of a call.

#![expect(clippy::string_slice, reason = "a body is the start of the text of its result")]

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Tool;
use crate::limits::Limits;
use crate::tools::{Output, ToolError, ToolName, Totals};
use cutline_core::details::TruncationDetails;
use cutline_core::text::Extent;
use cutline_core::text::tokens::{estimate, extrapolate};
use cutline_core::truncate::{Bounds, BytesAs, TruncatedBy};

/// Percentage of the limit above which the server logs the call.
pub const NEAR_LIMIT_PERCENT: u64 = 70;

/// The record of a call: a line of JSON in a file of records.
///
/// ```
/// use cutline::stats::{Outcome, Record};
/// let line = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"read","durationMs":0.25,"outcome":"error"}"#;
/// let record: Record = serde_json::from_str(line).unwrap();
/// assert_eq!((record.time_ms, record.outcome), (1_795_168_800_000, Outcome::Error));
/// assert!(serde_json::from_str::<Record>(&line.replace("read", "")).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// End of the call in milliseconds since 1970 (UTC). In JSON, the format is RFC 3339.
    #[serde(rename = "time", with = "super::wire::rfc3339")]
    pub time_ms: u64,
    /// The tool.
    pub tool: Tool,
    /// Time from the request to the result. In JSON, it is in milliseconds, to the microsecond.
    #[serde(rename = "durationMs", with = "super::wire::milliseconds")]
    pub duration: Duration,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    /// The call returned a result.
    Ok(Answered),
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
pub struct Answered {
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
    /// The largest used percentage of the line, byte and token limits, rounded down.
    pub limit_percent: u64,
    /// Estimated tokens of the body ([`estimate`]).
    pub tokens_given: u64,
    /// Estimated omitted tokens, at the tokens per byte of the body. A lower bound if the total is one.
    pub tokens_left_out: Option<u64>,
}

impl Record {
    /// Creates the record of a call that ended at `time_ms`.
    pub fn new(time_ms: u64, tool: Tool, duration: Duration, outcome: Outcome) -> Self {
        // Rounded as in the file, so that totals of a file and totals in memory are equal.
        let duration = Duration::from_micros(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
        Self { time_ms, tool, duration, outcome }
    }
}

impl Outcome {
    /// Returns the outcome of a call of an own tool with these limits.
    pub fn of(tool: ToolName, outcome: &Result<Output, ToolError>, limits: &Limits) -> Self {
        match outcome {
            Ok(output) => Self::Ok(Answered::new(tool, output, limits)),
            Err(ToolError::Cancelled) => Self::Cancelled,
            Err(_) => Self::Error,
        }
    }
}

impl Answered {
    /// Returns the size of a result within the limits, where `given` is the returned part of `total`.
    pub(crate) fn of_text(given: &str, total: Extent, bounds: Bounds) -> Self {
        let (extent, tokens) = (Extent::of(given), estimate(given));
        let counted = Extent { bytes: bounds.bytes_of(given), ..extent };
        Self::of(extent, tokens, total, None, limit_percent(counted, tokens, bounds))
    }

    fn of(
        given: Extent,
        tokens: u64,
        total: Extent,
        truncated_by: Option<TruncatedBy>,
        limit_percent: u64,
    ) -> Self {
        Self {
            truncated_by,
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

    /// Returns the size of a truncated result.
    pub(crate) fn of_cut(cut: &TruncationDetails, bounds: Bounds) -> Self {
        let given = Extent { lines: cut.output_lines, bytes: cut.output_bytes };
        let total = Extent { lines: cut.total_lines, bytes: cut.total_bytes };
        let limit_percent = match bounds.bytes_as {
            BytesAs::Text => limit_percent(given, cut.estimated_tokens, bounds),
            // The text of the result differs from the counted bytes. A truncated text uses the full limit.
            BytesAs::Json => 100,
        };
        Self::of(given, cut.estimated_tokens, total, Some(cut.truncated_by), limit_percent)
    }

    fn new(tool: ToolName, output: &Output, limits: &Limits) -> Self {
        let details = &output.details;
        let cut = details.truncation.as_ref();
        let of_all = if let Some(cut) = cut {
            Self::of_cut(cut, Bounds { lines: cut.max_lines, ..limits.bounds() })
        } else {
            let body = &output.text[..output.body_bytes];
            Self::of_text(body, Extent::of(body), bounds(tool, limits))
        };
        let known = |total: Option<u64>| total.filter(|_| output.totals != Totals::Unknown);
        Self {
            count_limit_reached: cut.is_none() && details.next_offset.is_some(),
            total_lines: known(of_all.total_lines),
            total_bytes: known(of_all.total_bytes),
            total_is_lower_bound: output.totals == Totals::LowerBound,
            tokens_left_out: known(of_all.tokens_left_out),
            ..of_all
        }
    }

    /// Returns the omitted lines and bytes, if they are known.
    pub fn left_out(&self) -> Extent {
        let rest = |total: Option<u64>, given| total.map_or(0, |total| total.saturating_sub(given));
        Extent {
            lines: rest(self.total_lines, self.output_lines),
            bytes: rest(self.total_bytes, self.output_bytes),
        }
    }
}

/// Returns the limits of a body that was not truncated.
fn bounds(tool: ToolName, limits: &Limits) -> Bounds {
    let all = limits.bounds();
    match (tool, limits.bash_tail) {
        (ToolName::Bash, Some(tail)) => Bounds { lines: limits.bash_head.saturating_add(tail), ..all },
        _ => all,
    }
}

/// Returns the largest used percentage of the limits.
fn limit_percent(given: Extent, tokens: u64, bounds: Bounds) -> u64 {
    let of_tokens = bounds.tokens.map_or(0, |limit| percent(tokens, limit));
    percent(given.lines, bounds.lines).max(percent(given.bytes, bounds.bytes)).max(of_tokens)
}

fn percent(used: u64, limit: u64) -> u64 {
    (used.saturating_mul(100) / limit.max(1)).min(100)
}

#[cfg(test)]
pub(super) mod tests;
