//! The slowest calls.

use super::{Outcome, Record};

/// Maximum number of calls.
const MOST: usize = 10;

/// The slowest calls, without cancelled ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slowest(Vec<Record>);

impl Slowest {
    /// Adds a record.
    pub fn add(&mut self, record: &Record) {
        if record.outcome == Outcome::Cancelled {
            return;
        }
        let at = self.0.partition_point(|kept| kept.duration >= record.duration);
        if at < MOST {
            self.0.insert(at, record.clone());
            self.0.truncate(MOST);
        }
    }

    /// Returns the calls, the slowest first. Of equally slow ones, the earliest comes first.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::record::tests::error_at;
    use super::*;

    #[test]
    fn slowest_calls_are_sorted() {
        let mut slowest = Slowest::default();
        for n in 0..1000_u64 {
            let duration = Duration::from_millis(n * 7919 % 500);
            slowest.add(&Record { duration, ..error_at(n) });
        }
        slowest.add(&Record { duration: Duration::MAX, outcome: Outcome::Cancelled, ..error_at(0) });
        let kept: Vec<_> = slowest.iter().map(|record| record.duration.as_millis()).collect();
        assert_eq!(kept, [499, 499, 498, 498, 497, 497, 496, 496, 495, 495]);
        let times: Vec<_> = slowest.iter().map(|record| record.time_ms).collect();
        assert!(times.chunks(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    }
}
