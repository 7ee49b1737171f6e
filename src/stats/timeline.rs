//! Counts over time in bounded memory.

use std::collections::BTreeMap;

use super::{Counts, Record};

/// Maximum number of time spans.
const MAX_SPANS: usize = 4096;
/// The lengths of a time span in seconds, up to one day. Longer ones are doubled. Each length divides the next one, so
/// merging spans is exact.
const LENGTHS_SECS: [u64; 14] =
    [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800];

/// Collects records in any order. Returns counts for time spans of equal length.
#[derive(Debug, Clone)]
pub struct Timeline {
    length_ms: u64,
    /// Counts by the start of the span divided by its length. Only spans with calls exist.
    spans: BTreeMap<u64, Counts>,
}

/// A time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Start in milliseconds since 1970, a multiple of the length.
    pub start_ms: u64,
    /// The counts of its calls.
    pub counts: Counts,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { length_ms: 1000, spans: BTreeMap::new() }
    }
}

impl Timeline {
    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        self.spans.entry(record.time_ms / self.length_ms).or_default().add(record);
        while self.spans.len() > MAX_SPANS {
            self.lengthen();
        }
    }

    /// Returns the counts in at most `max_columns` columns (at least 2) and the length of a column in milliseconds.
    /// Columns without calls are included.
    pub fn columns(mut self, max_columns: usize) -> (u64, Vec<Column>) {
        let most = max_columns.max(2) as u64;
        let ends = |spans: &BTreeMap<u64, Counts>| Some((*spans.keys().next()?, *spans.keys().next_back()?));
        while ends(&self.spans).is_some_and(|(first, last)| last - first >= most) {
            self.lengthen();
        }
        let column = |span: u64| Column {
            start_ms: span * self.length_ms,
            counts: self.spans.get(&span).copied().unwrap_or_default(),
        };
        let spans = ends(&self.spans).into_iter().flat_map(|(first, last)| first..=last);
        (self.length_ms, spans.map(column).collect())
    }

    fn lengthen(&mut self) {
        let longer = longer_than(self.length_ms);
        let times = longer / self.length_ms;
        self.length_ms = longer;
        for (span, counts) in std::mem::take(&mut self.spans) {
            *self.spans.entry(span / times).or_default() += counts;
        }
    }
}

fn longer_than(length_ms: u64) -> u64 {
    let known = LENGTHS_SECS.iter().map(|secs| secs * 1000).find(|longer| *longer > length_ms);
    known.unwrap_or(length_ms * 2)
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::error_at;
    use super::*;

    #[test]
    fn each_length_divides_the_next() {
        for (shorter, longer) in LENGTHS_SECS.iter().zip(LENGTHS_SECS.iter().skip(1)) {
            assert_eq!(longer % shorter, 0, "{shorter} {longer}");
        }
        assert_eq!(longer_than(172_800_000), 345_600_000);
    }

    #[test]
    fn few_columns_hold_all_records() {
        let starts = [0, 999, 1000, 61_000, 7_200_000, 7_199_999, 86_400_000 * 30];
        let mut timeline = Timeline::default();
        for time in starts {
            timeline.add(&error_at(time));
        }
        for max in [0, 1, 2, 10, 70, 5000] {
            let (length, columns) = timeline.clone().columns(max);
            assert!(columns.len() <= max.max(2), "{max}");
            for column in &columns {
                assert_eq!(column.start_ms % length, 0);
                let end = column.start_ms + length;
                let expected = starts.iter().filter(|time| (column.start_ms..end).contains(time)).count();
                assert_eq!(column.counts.errors.0, expected as u64, "{max}: {}", column.start_ms);
            }
            assert_eq!(columns.iter().map(|column| column.counts.calls.0).sum::<u64>(), 7);
        }
        assert_eq!(Timeline::default().columns(10).1, []);
    }

    #[test]
    fn timeline_stays_small() {
        let mut timeline = Timeline::default();
        (0..200_000).for_each(|n| timeline.add(&error_at(n * 1000)));
        assert!(timeline.spans.len() <= MAX_SPANS);
        // A record from a wrong clock.
        timeline.add(&error_at(u64::MAX));
        let (_, columns) = timeline.columns(70);
        assert_eq!(columns.iter().map(|column| column.counts.calls.0).sum::<u64>(), 200_001);
        assert!(columns.len() <= 70);
    }
}
