//! The demo's only source of chance after its seed: the same throws for the same seed and subject, on every machine and in
//! every version, so that a restart finds the fleet that the first start made.

use std::ops::RangeInclusive;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

pub(super) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(super) fn of(seed: u64, subject: &str) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(fnv1a(seed, subject)))
    }

    pub(super) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.place_in(choices)].clone()
    }

    pub(super) fn place_in<T>(&mut self, choices: &[T]) -> usize {
        self.0.random_range(0..choices.len())
    }

    /// Choices that come as often as their weight says.
    pub(super) fn weighted<'a, T>(&mut self, choices: &'a [(u32, T)]) -> &'a T {
        let mut throw = self.0.random_range(0..choices.iter().map(|(weight, _)| weight).sum());
        for (weight, choice) in choices {
            if throw < *weight {
                return choice;
            }
            throw -= weight;
        }
        unreachable!("the throw is below the sum of the weights")
    }

    /// The start of the range if it is empty.
    pub(super) fn within(&mut self, range: RangeInclusive<i64>) -> i64 {
        if range.is_empty() { *range.start() } else { self.0.random_range(range) }
    }

    pub(super) fn happens(&mut self, percent: u32) -> bool {
        self.0.random_ratio(percent, 100)
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        items.shuffle(&mut self.0);
    }
}

/// The standard library's hashes may change between versions; this one does not.
fn fnv1a(seed: u64, text: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_depend_on_seed_and_subject_alone() {
        let throws = |seed, subject| {
            let mut dice = Dice::of(seed, subject);
            (0..50).map(|_| dice.within(0..=1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(throws(1, "a"), throws(1, "a"));
        assert_ne!(throws(1, "a"), throws(2, "a"));
        assert_ne!(throws(1, "a"), throws(1, "b"));
    }

    #[test]
    fn choices_come_as_often_as_they_weigh() {
        let mut dice = Dice::of(1, "weights");
        let heavy = (0..1000).filter(|_| *dice.weighted(&[(3, true), (1, false), (0, false)])).count();
        assert!((650..850).contains(&heavy), "{heavy}");
    }
}
