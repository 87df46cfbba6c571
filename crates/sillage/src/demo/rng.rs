//! The demo's random number generator. Equal seeds and subjects give equal numbers on every machine and in every version, so
//! that a restart rebuilds the fleet of the first start.

use std::ops::RangeInclusive;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

pub(super) struct SeededRng(Xoshiro256PlusPlus);

impl SeededRng {
    pub(super) fn new(seed: u64, subject: &str) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(fnv1a(seed, subject)))
    }

    pub(super) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.random_index(choices)].clone()
    }

    pub(super) fn random_index<T>(&mut self, choices: &[T]) -> usize {
        self.0.random_range(0..choices.len())
    }

    /// Picks a choice with a probability proportional to its weight.
    pub(super) fn weighted<'a, T>(&mut self, choices: &'a [(u32, T)]) -> &'a T {
        let mut drawn = self.0.random_range(0..choices.iter().map(|(weight, _)| weight).sum());
        for (weight, choice) in choices {
            if drawn < *weight {
                return choice;
            }
            drawn -= weight;
        }
        unreachable!("the drawn number is below the sum of the weights")
    }

    /// Returns the start of the range if it is empty.
    pub(super) fn in_range(&mut self, range: RangeInclusive<i64>) -> i64 {
        if range.is_empty() { *range.start() } else { self.0.random_range(range) }
    }

    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.0.random_ratio(percent, 100)
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        items.shuffle(&mut self.0);
    }
}

/// The standard library's hashes may change between versions, so the FNV-1a hash is implemented here.
fn fnv1a(seed: u64, text: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_depend_only_on_seed_and_subject() {
        let values = |seed, subject| {
            let mut rng = SeededRng::new(seed, subject);
            (0..50).map(|_| rng.in_range(0..=1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(values(1, "a"), values(1, "a"));
        assert_ne!(values(1, "a"), values(2, "a"));
        assert_ne!(values(1, "a"), values(1, "b"));
    }

    #[test]
    fn weighted_choices_follow_their_weights() {
        let mut rng = SeededRng::new(1, "weights");
        let heavy = (0..1000).filter(|_| *rng.weighted(&[(3, true), (1, false), (0, false)])).count();
        assert!((650..850).contains(&heavy), "{heavy}");
    }
}
