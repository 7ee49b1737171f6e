//! The plain sums of records: what can be added up.

use cutline_core::text::Extent;
use cutline_core::truncate::TruncatedBy;

use super::record::{Outcome, Record};

/// Sums of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Calls of any outcome.
    pub calls: u64,
    /// Those that were answered with an error.
    pub errors: u64,
    /// Those that were taken back.
    pub cancelled: u64,
    /// Answers that the limit of lines cut.
    pub by_lines: u64,
    /// Answers that the limit of bytes cut.
    pub by_bytes: u64,
    /// Answers that the limit of tokens cut.
    pub by_tokens: u64,
    /// Answers that ended at a number of matches, results, entries or lines.
    pub count_limits: u64,
    /// Lines and bytes of the bodies.
    pub given: Extent,
    /// Tokens of the bodies, about.
    pub tokens_given: u64,
    /// The size of all that answers left out, as far as it is known.
    pub left_out: Extent,
    /// The same in tokens, about.
    pub tokens_left_out: u64,
    /// Answers that left out more than was counted, or left out what is not known.
    pub left_out_open: u64,
    /// The used percents of the limit, added up.
    pub limit_percents: u64,
}

impl Counts {
    /// Returns the counts of one record.
    fn of(record: &Record) -> Self {
        let answered = match &record.outcome {
            Outcome::Ok(answered) => answered,
            Outcome::Error => return Self { calls: 1, errors: 1, ..Self::default() },
            Outcome::Cancelled => return Self { calls: 1, cancelled: 1, ..Self::default() },
        };
        let is_cut_by = |limit| u64::from(answered.truncated_by == Some(limit));
        let open = answered.total_is_lower_bound || answered.tokens_left_out.is_none();
        Self {
            calls: 1,
            by_lines: is_cut_by(TruncatedBy::Lines),
            by_bytes: is_cut_by(TruncatedBy::Bytes),
            by_tokens: is_cut_by(TruncatedBy::Tokens),
            count_limits: u64::from(answered.count_limit_reached),
            given: Extent { lines: answered.output_lines, bytes: answered.output_bytes },
            tokens_given: answered.tokens_given,
            left_out: answered.left_out(),
            tokens_left_out: answered.tokens_left_out.unwrap_or(0),
            left_out_open: u64::from(open),
            limit_percents: answered.limit_percent.min(100),
            ..Self::default()
        }
    }

    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        self.merge(&Self::of(record));
    }

    /// Adds what another holds. What a file says may be any number: sums stop at the largest.
    pub fn merge(&mut self, other: &Self) {
        let sums = [
            (&mut self.calls, other.calls),
            (&mut self.errors, other.errors),
            (&mut self.cancelled, other.cancelled),
            (&mut self.by_lines, other.by_lines),
            (&mut self.by_bytes, other.by_bytes),
            (&mut self.by_tokens, other.by_tokens),
            (&mut self.count_limits, other.count_limits),
            (&mut self.given.lines, other.given.lines),
            (&mut self.given.bytes, other.given.bytes),
            (&mut self.tokens_given, other.tokens_given),
            (&mut self.left_out.lines, other.left_out.lines),
            (&mut self.left_out.bytes, other.left_out.bytes),
            (&mut self.tokens_left_out, other.tokens_left_out),
            (&mut self.left_out_open, other.left_out_open),
            (&mut self.limit_percents, other.limit_percents),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
    }

    /// Calls that were answered, errors not counted.
    pub fn answers(&self) -> u64 {
        self.calls - self.errors - self.cancelled
    }

    /// Answers that a limit of lines, bytes or tokens cut.
    pub fn truncated(&self) -> u64 {
        self.by_lines + self.by_bytes + self.by_tokens
    }

    /// Of a hundred answers, how many were cut; `None` where there was no answer.
    pub fn truncated_percent(&self) -> Option<f64> {
        self.mean(self.truncated().saturating_mul(100))
    }

    /// Returns the percentage of the limit that an answer used on average; `None` where there was no answer.
    pub fn limit_percent(&self) -> Option<f64> {
        self.mean(self.limit_percents)
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean, to be read")]
    fn mean(&self, sum: u64) -> Option<f64> {
        (self.answers() > 0).then(|| sum as f64 / self.answers() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Answered;
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
            both.merge(&counted(after));
            assert_eq!(both, counted(&day), "{at}");
        }
        let counts = counted(&day);
        assert!(counts.truncated() > 0 && counts.count_limits > 0 && counts.left_out_open > 0, "{counts:?}");
    }

    #[test]
    fn sums_stop_at_the_largest_number() {
        let line = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":1e300,"outcome":"error"}"#;
        assert!(serde_json::from_str::<Record>(line).is_err(), "a duration that is none");
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
        assert_eq!((counts.given.bytes, counts.left_out.bytes), (u64::MAX, 0));
        assert_eq!((counts.tokens_left_out, counts.limit_percent()), (u64::MAX, Some(100.0)));
    }
}
