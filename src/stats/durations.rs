//! Durations of calls: quantiles from a histogram of fixed size.

#![expect(clippy::indexing_slicing, reason = "there is a bin for each duration")]

use std::time::Duration;

use cutline_core::text::as_index;

/// Bins for each doubling. A quantile is accurate to 1/16, up to twelve days.
const STEPS: u64 = 8;
/// The last bin: durations of 40 doublings of a microsecond (twelve days) or more.
const LAST: usize = 320;

/// A histogram of durations.
///
/// ```
/// use std::time::Duration;
/// let mut durations = cutline::stats::Durations::default();
/// (1..=100).for_each(|ms| durations.add(Duration::from_millis(ms)));
/// let median = durations.quantile(50).unwrap();
/// assert!(median >= Duration::from_millis(47) && median <= Duration::from_millis(54), "{median:?}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durations {
    counts: Vec<u64>,
    total: u64,
    least_us: u64,
    most_us: u64,
}

impl Default for Durations {
    fn default() -> Self {
        let counts = vec![0; LAST + 1];
        Self { counts, total: 0, least_us: u64::MAX, most_us: 0 }
    }
}

impl Durations {
    /// Adds a duration.
    pub fn add(&mut self, duration: Duration) {
        let us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.counts[bin(us)] += 1;
        self.total += 1;
        self.least_us = self.least_us.min(us);
        self.most_us = self.most_us.max(us);
    }

    /// Returns the approximate duration that `percent` of the calls do not exceed, or `None` if there are no calls.
    pub fn quantile(&self, percent: u64) -> Option<Duration> {
        let rank = self.total.saturating_mul(percent).div_ceil(100).max(1);
        let mut passed = 0;
        let bin = self.counts.iter().position(|count| {
            passed += count;
            passed >= rank
        })?;
        let us = middle(bin).clamp(self.least_us, self.most_us);
        Some(Duration::from_micros(us))
    }

    /// Returns the longest duration, or `None` if there are no calls.
    pub fn longest(&self) -> Option<Duration> {
        (self.total > 0).then(|| Duration::from_micros(self.most_us))
    }
}

/// Returns the bin of a duration: one bin for each microsecond below [`STEPS`] microseconds, then [`STEPS`] bins for
/// each doubling.
fn bin(us: u64) -> usize {
    let shift = (us / STEPS).checked_ilog2().unwrap_or(0);
    as_index(u64::from(shift) * STEPS + (us >> shift)).min(LAST)
}

/// Returns the duration in the middle of a bin.
fn middle(bin: usize) -> u64 {
    let bin = bin as u64;
    let shift = (bin / STEPS).saturating_sub(1);
    let start = (bin - shift * STEPS) << shift;
    start + ((1 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bin_contains_durations_near_its_middle() {
        let mut last = 0;
        for us in (0..5000).chain((13..40).map(|log| (1 << log) + 7)) {
            let bin = bin(us);
            assert!(bin >= last, "{us}");
            last = bin;
            let middle = middle(bin);
            assert!(middle.abs_diff(us) <= us / 16, "{us} is in the bin of {middle}");
        }
    }

    #[test]
    fn one_duration_is_exact() {
        let mut durations = Durations::default();
        assert_eq!((durations.quantile(50), durations.longest()), (None, None));
        let one = Duration::from_micros(1_234_567);
        durations.add(one);
        for percent in [0, 50, 95, 100] {
            assert_eq!(durations.quantile(percent), Some(one));
        }
        durations.add(Duration::MAX);
        assert_eq!(durations.quantile(50).unwrap().as_millis() / 100, 12);
        assert_eq!(durations.longest(), Some(Duration::from_micros(u64::MAX)));
    }

    #[test]
    fn quantiles_are_near_those_of_all_durations() {
        let mut durations = Durations::default();
        let all: Vec<u64> = (0..10_000_u64).map(|n| n * n % 7919 * 131).collect();
        for us in &all {
            durations.add(Duration::from_micros(*us));
        }
        let mut sorted = all;
        sorted.sort_unstable();
        for percent in [1, 10, 50, 90, 95, 99] {
            let rank = usize::try_from(percent * 10_000 / 100 - 1).unwrap();
            let found = u64::try_from(durations.quantile(percent).unwrap().as_micros()).unwrap();
            assert!(found.abs_diff(sorted[rank]) <= sorted[rank] / 16 + 1, "{percent}: {found}");
        }
    }
}
