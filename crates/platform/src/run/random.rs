//! The servers' only source of randomness.

use std::fmt;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use uuid::Uuid;

use super::clock::to_micros;

/// A random number generator, seeded by the operating system or by a test. Cheap to clone; clones share one sequence.
#[derive(Clone)]
pub struct Random(Arc<Mutex<Source>>);

struct Source {
    rng: StdRng,
    /// The instant and the random bits of the last time-ordered UUID.
    last: (u64, u64),
}

impl From<StdRng> for Random {
    fn from(rng: StdRng) -> Self {
        Self(Arc::new(Mutex::new(Source { rng, last: (0, 0) })))
    }
}

impl Random {
    /// A cryptographically strong generator, seeded by the operating system.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the only use of the system's randomness")]
    pub fn system() -> Self {
        Self::from(rand::make_rng::<StdRng>())
    }

    /// A generator that gives equal sequences for equal seeds. For tests and demo data, never for secrets.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::from(StdRng::seed_from_u64(seed))
    }

    /// `N` random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.with(|source| source.rng.fill_bytes(&mut bytes));
        bytes
    }

    /// `n` random bytes as `2 n` lower-case hexadecimal digits. Tokens of the device cloud use 16 bytes.
    #[must_use]
    pub fn hex(&self, n: usize) -> String {
        let mut bytes = vec![0; n];
        self.with(|source| source.rng.fill_bytes(&mut bytes));
        hex::encode(bytes)
    }

    /// A random (version 4) UUID.
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.bytes()).into_uuid()
    }

    /// A time-ordered (version 7) UUID of the instant `at`, to the microsecond: the first 48 bits are milliseconds since 1970,
    /// the twelve bits after the version are the microseconds within. Rows with such keys are appended to an index. UUIDs of
    /// the same instant sort in the order of their creation. [`instant_of`] returns the instant. Instants before 1970 count as
    /// 1970.
    #[must_use]
    pub fn uuid_at(&self, at: Timestamp) -> Uuid {
        let micros = micros(at);
        let random = self.with(|Source { rng, last }| {
            // Random steps, so that the next UUID cannot be guessed. Half of the range is reserved for steps.
            let random = match *last {
                (instant, random) if instant == micros => random + u64::from(rng.next_u32()) + 1,
                _ => rng.next_u64() >> 3,
            };
            *last = (micros, random);
            random
        });
        with_instant(micros, random)
    }

    /// A number below `bound`, or 0 if `bound` is 0.
    #[must_use]
    pub fn below(&self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.with(|source| source.rng.random_range(0..bound)) }
    }

    fn with<T>(&self, draw: impl FnOnce(&mut Source) -> T) -> T {
        draw(&mut self.0.lock().expect("no holder of this lock can panic"))
    }
}

/// The smallest UUID of this instant. UUIDs of earlier instants are smaller, also when compared as text.
#[must_use]
pub fn first_uuid_at(at: Timestamp) -> Uuid {
    with_instant(micros(at), 0)
}

/// The instant of a UUID from [`Random::uuid_at`], or `None` for any other text.
#[must_use]
pub fn instant_of(uuid: &str) -> Option<Timestamp> {
    let uuid = Uuid::try_parse(uuid).ok().filter(|uuid| uuid.get_version_num() == 7)?;
    let (high, _) = uuid.as_u64_pair();
    let micros = (high >> 16) * 1000 + (high & 0xfff);
    Timestamp::from_microsecond(i64::try_from(micros).ok()?).ok()
}

fn micros(at: Timestamp) -> u64 {
    u64::try_from(to_micros(at)).unwrap_or_default()
}

/// `random` has 62 bits.
fn with_instant(micros: u64, random: u64) -> Uuid {
    let high = (micros / 1000) << 16 | 0x7000 | (micros % 1000);
    Uuid::from_u64_pair(high, random | 1 << 63)
}

impl fmt::Debug for Random {
    // The generator's state would reveal all future tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_the_same_sequence() {
        let (a, b) = (Random::seeded(7), Random::seeded(7));
        assert_eq!(a.hex(16), b.hex(16));
        assert_eq!(a.uuid(), b.uuid());
        assert_ne!(a.hex(16), Random::seeded(8).hex(16));
    }

    #[test]
    fn hex_has_two_digits_per_byte_and_uuids_are_version_4() {
        let random = Random::system();
        assert_eq!(random.hex(16).len(), 32);
        assert_eq!(random.uuid().get_version_num(), 4);
    }

    #[test]
    fn time_ordered_uuid_contains_its_instant_and_sorts_by_it() {
        let random = Random::seeded(3);
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let instants = [
            at("1970-01-01T00:00:00Z"),
            at("2026-11-21T08:00:00.000001Z"),
            at("2026-11-21T08:00:00.000999Z"),
            at("2026-11-21T08:00:00.001Z"),
            at("2126-01-01T00:00:00Z"),
        ];
        let mut last = String::new();
        for instant in instants {
            let (first, uuid) = (first_uuid_at(instant).to_string(), random.uuid_at(instant));
            assert_eq!((uuid.get_version_num(), uuid.get_variant()), (7, uuid::Variant::RFC4122));
            assert_eq!(instant_of(&uuid.to_string()), Some(instant));
            assert!(last < first && first <= uuid.to_string(), "{instant}");
            last = uuid.to_string();
        }
        assert_eq!(instant_of(&random.uuid().to_string()), None);
        assert_eq!(instant_of("no uuid"), None);
    }

    #[test]
    fn uuids_of_one_instant_sort_by_creation() {
        let (random, at) = (Random::seeded(5), "2026-11-21T08:00:00.000001Z".parse().unwrap());
        let uuids: Vec<String> = (0..1000).map(|_| random.uuid_at(at).to_string()).collect();
        assert!(uuids.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(uuids.iter().all(|uuid| instant_of(uuid) == Some(at)));
    }

    #[test]
    fn number_is_below_its_bound() {
        let random = Random::seeded(1);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_eq!(random.below(0), 0);
    }
}
