//! The servers' only source of chance.

use std::fmt;
use std::sync::{Arc, Mutex};

use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use uuid::Uuid;

/// A source of random values: the operating system's, or a seeded one that repeats itself. Cheap to clone; clones share
/// one sequence.
#[derive(Clone)]
pub struct Random(Arc<Mutex<StdRng>>);

impl Random {
    /// A cryptographically strong generator, seeded by the operating system.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the seam")]
    pub fn system() -> Self {
        Self(Arc::new(Mutex::new(rand::make_rng())))
    }

    /// The same sequence for the same seed. For tests and demo data, never for secrets.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// `N` random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.with(|rng| rng.fill_bytes(&mut bytes));
        bytes
    }

    /// `n` random bytes as `2 n` lower-case hex digits: 16 make a token of the device cloud.
    #[must_use]
    pub fn hex(&self, n: usize) -> String {
        let mut bytes = vec![0; n];
        self.with(|rng| rng.fill_bytes(&mut bytes));
        hex::encode(bytes)
    }

    /// A random (version 4) UUID.
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.bytes()).into_uuid()
    }

    /// A number from 0 up to, but not including, `bound`; 0 when `bound` is 0.
    #[must_use]
    pub fn below(&self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.with(|rng| rng.random_range(0..bound)) }
    }

    fn with<T>(&self, draw: impl FnOnce(&mut StdRng) -> T) -> T {
        draw(&mut self.0.lock().expect("no holder of this lock can panic"))
    }
}

impl fmt::Debug for Random {
    // The generator's state would tell every token that is still to come.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_sequence() {
        let (a, b) = (Random::seeded(7), Random::seeded(7));
        assert_eq!(a.hex(16), b.hex(16));
        assert_eq!(a.uuid(), b.uuid());
        assert_ne!(a.hex(16), Random::seeded(8).hex(16));
    }

    #[test]
    fn hex_has_two_digits_a_byte_and_uuids_are_version_4() {
        let random = Random::system();
        assert_eq!(random.hex(16).len(), 32);
        assert_eq!(random.uuid().get_version_num(), 4);
    }

    #[test]
    fn below_stays_below() {
        let random = Random::seeded(1);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_eq!(random.below(0), 0);
    }
}
