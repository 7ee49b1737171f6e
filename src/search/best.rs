//! Keeps the best of many results, in memory proportional to the kept ones.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Keeps the results with the greatest keys. Of results with equal keys, keeps the earlier ones.
#[derive(Debug)]
pub struct Best<K, T> {
    /// The results by their keys and numbers.
    kept: BTreeMap<(Reverse<K>, u64), T>,
    max: usize,
    /// Number of pushed results, which is also the number of the last one.
    seen: u64,
}

impl<K: Ord, T> Best<K, T> {
    /// Creates a collection of at most `max` results.
    pub fn new(max: usize) -> Self {
        Self { kept: BTreeMap::new(), max, seen: 0 }
    }

    /// Returns the least kept key if the collection is full. A result needs a greater key to be kept.
    pub fn least(&self) -> Option<&K> {
        let is_full = self.kept.len() >= self.max;
        self.kept.last_key_value().filter(|_| is_full).map(|((Reverse(key), _), _)| key)
    }

    /// Adds a result if it is among the best.
    pub fn push(&mut self, key: K, result: T) {
        self.seen += 1;
        self.kept.insert((Reverse(key), self.seen), result);
        if self.kept.len() > self.max {
            self.kept.pop_last();
        }
    }

    /// Returns the results with their keys, the greatest key first.
    pub fn into_sorted(self) -> impl Iterator<Item = (K, T)> {
        self.kept.into_iter().map(|((Reverse(key), _), result)| (key, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn best_are_the_first_of_a_stable_sort(keys in prop::collection::vec(0_u8..6, 0..40), max in 0_usize..12) {
            let mut best = Best::new(max);
            for (n, key) in keys.iter().enumerate() {
                let is_taken = best.least().is_none_or(|least| key > least) && max > 0;
                best.push(*key, n);
                prop_assert_eq!(best.kept.values().any(|one| *one == n), is_taken);
            }
            let mut sorted: Vec<_> = keys.into_iter().enumerate().map(|(n, key)| (key, n)).collect();
            sorted.sort_by_key(|one| Reverse(one.0));
            sorted.truncate(max);
            prop_assert_eq!(best.into_sorted().collect::<Vec<_>>(), sorted);
        }
    }
}
