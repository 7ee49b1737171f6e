//! Totals of records that are plain sums.

use std::num::Saturating;

use cutline_core::truncate::TruncatedBy;
use derive_more::AddAssign;

use super::record::{Answered, Outcome, Record};

/// Totals of records. They saturate, because a file may contain any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, AddAssign)]
pub struct Counts {
    /// Calls of any outcome.
    pub calls: Saturating<u64>,
    /// Calls that returned an error.
    pub errors: Saturating<u64>,
    /// Cancelled calls.
    pub cancelled: Saturating<u64>,
    /// Results that were truncated by the line limit.
    pub by_lines: Saturating<u64>,
    /// Results that were truncated by the byte limit.
    pub by_bytes: Saturating<u64>,
    /// Results that were truncated by the token limit.
    pub by_tokens: Saturating<u64>,
    /// Results that stopped at a maximum number of matches, results, entries or lines.
    pub count_limits: Saturating<u64>,
    /// Lines in the bodies.
    pub lines_given: Saturating<u64>,
    /// Bytes in the bodies.
    pub bytes_given: Saturating<u64>,
    /// Estimated tokens in the bodies.
    pub tokens_given: Saturating<u64>,
    /// Omitted lines, as far as known.
    pub lines_left_out: Saturating<u64>,
    /// Omitted bytes, as far as known.
    pub bytes_left_out: Saturating<u64>,
    /// Estimated omitted tokens.
    pub tokens_left_out: Saturating<u64>,
    /// Results that omitted more than is counted.
    pub left_out_open: Saturating<u64>,
    /// Sum of the percentages of the limit that the results used.
    pub limit_percents: Saturating<u64>,
}

impl Counts {
    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        self.calls += 1;
        match &record.outcome {
            Outcome::Ok(answered) => self.add_answer(answered),
            Outcome::Error => self.errors += 1,
            Outcome::Cancelled => self.cancelled += 1,
        }
    }

    fn add_answer(&mut self, answered: &Answered) {
        match answered.truncated_by {
            Some(TruncatedBy::Lines) => self.by_lines += 1,
            Some(TruncatedBy::Bytes) => self.by_bytes += 1,
            Some(TruncatedBy::Tokens) => self.by_tokens += 1,
            None => {}
        }
        self.count_limits += u64::from(answered.count_limit_reached);
        self.lines_given += answered.output_lines;
        self.bytes_given += answered.output_bytes;
        self.tokens_given += answered.tokens_given;
        let left_out = answered.left_out();
        self.lines_left_out += left_out.lines;
        self.bytes_left_out += left_out.bytes;
        self.tokens_left_out += answered.tokens_left_out.unwrap_or(0);
        let is_open = answered.total_is_lower_bound || answered.tokens_left_out.is_none();
        self.left_out_open += u64::from(is_open);
        self.limit_percents += answered.limit_percent.min(100);
    }

    /// Returns the number of results, without errors.
    pub fn answers(&self) -> u64 {
        (self.calls - self.errors - self.cancelled).0
    }

    /// Returns the number of results that a line, byte or token limit truncated.
    pub fn truncated(&self) -> u64 {
        (self.by_lines + self.by_bytes + self.by_tokens).0
    }

    /// Returns the percentage of truncated results, or `None` if there are no results.
    pub fn truncated_percent(&self) -> Option<f64> {
        self.mean(self.truncated().saturating_mul(100))
    }

    /// Returns the average percentage of the limit that results used, or `None` if there are no results.
    pub fn limit_percent(&self) -> Option<f64> {
        self.mean(self.limit_percents.0)
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean, to be read")]
    fn mean(&self, sum: u64) -> Option<f64> {
        (self.answers() > 0).then(|| sum as f64 / self.answers() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day() -> Vec<Record> {
        let lines = include_str!("../../fixtures/stats/day.jsonl").lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn counted(records: &[Record]) -> Counts {
        let mut counts = Counts::default();
        for record in records {
            counts.add(record);
        }
        counts
    }

    #[test]
    fn counts_put_together_are_those_of_all_records() {
        let day = day();
        for at in [0, 1, 100, day.len()] {
            let (before, after) = day.split_at(at);
            let mut both = counted(before);
            both += counted(after);
            assert_eq!(both, counted(&day), "{at}");
        }
        let counts = counted(&day);
        assert!(
            counts.truncated() > 0 && counts.count_limits.0 > 0 && counts.left_out_open.0 > 0,
            "{counts:?}"
        );
    }

    #[test]
    fn sums_stop_at_the_largest_number() {
        let line = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":1e300,"outcome":"error"}"#;
        assert!(serde_json::from_str::<Record>(line).is_err(), "not a duration");
        let largest = day().iter().find_map(|record| match record.outcome {
            Outcome::Ok(answered) => Some(Answered {
                output_bytes: u64::MAX,
                total_bytes: Some(0),
                limit_percent: u64::MAX,
                tokens_left_out: Some(u64::MAX),
                ..answered
            }),
            _ => None,
        });
        let record = Record { outcome: Outcome::Ok(largest.unwrap()), ..day()[0].clone() };
        let counts = counted(&[record.clone(), record]);
        assert_eq!((counts.bytes_given.0, counts.bytes_left_out.0), (u64::MAX, 0));
        assert_eq!((counts.tokens_left_out.0, counts.limit_percent()), (u64::MAX, Some(100.0)));
    }
}
