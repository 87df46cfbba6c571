//! The simulator's only source of randomness.

use std::ops::Range;
use std::time::Duration;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// The random numbers of one device. Equal seeds and dsns give equal numbers on every machine and in every version.
#[derive(Debug)]
pub(crate) struct DeviceRng(Xoshiro256PlusPlus);

impl DeviceRng {
    pub(crate) fn new(seed: u64, dsn: &str) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(fnv1a(seed, dsn)))
    }

    /// A random duration of whole milliseconds in `range`, or its start if the range is empty.
    pub(crate) fn pick(&mut self, range: Range<Duration>) -> Duration {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (start, end) = (millis(range.start), millis(range.end));
        if start < end { Duration::from_millis(self.0.random_range(start..end)) } else { range.start }
    }

    /// True with a probability of 1 in `times`.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.0.random_range(0..times) == 0
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

    const ACK: Range<Duration> = Duration::from_millis(100)..Duration::from_millis(800);

    fn picks(seed: u64, dsn: &str) -> Vec<Duration> {
        let mut rng = DeviceRng::new(seed, dsn);
        (0..50).map(|_| rng.pick(ACK)).collect()
    }

    #[test]
    fn values_depend_only_on_seed_and_dsn() {
        assert_eq!(picks(1, "SL0001"), picks(1, "SL0001"));
        assert_ne!(picks(1, "SL0001"), picks(2, "SL0001"));
        assert_ne!(picks(1, "SL0001"), picks(1, "SL0002"));
    }

    #[test]
    fn picks_stay_in_their_range() {
        assert!(picks(7, "SL0001").iter().all(|pick| ACK.contains(pick)));
        assert_eq!(DeviceRng::new(7, "SL0001").pick(Duration::ZERO..Duration::ZERO), Duration::ZERO);
    }
}
