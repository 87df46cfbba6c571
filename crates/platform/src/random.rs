//! The servers' only source of chance.

use std::fmt;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use uuid::Uuid;

use crate::clock::to_micros;

/// A source of random values: the operating system's, or a seeded one that repeats itself. Cheap to clone; clones share
/// one sequence.
#[derive(Clone)]
pub struct Random(Arc<Mutex<Source>>);

struct Source {
    rng: StdRng,
    /// The last UUID of an instant: its instant and its chance.
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
    #[expect(clippy::disallowed_methods, reason = "this is the seam")]
    pub fn system() -> Self {
        Self::from(rand::make_rng::<StdRng>())
    }

    /// The same sequence for the same seed. For tests and demo data, never for secrets.
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

    /// `n` random bytes as `2 n` lower-case hex digits: 16 make a token of the device cloud.
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

    /// A time-ordered (version 7) UUID of the instant `at`, to the microsecond: its first 48 bits count milliseconds since
    /// 1970, the twelve after the version the microseconds within. Rows whose key it is are appended, not scattered.
    /// One after the other of the same instant sorts after it. [`instant_of`] reads the instant again. Instants before 1970
    /// count as 1970.
    #[must_use]
    pub fn uuid_at(&self, at: Timestamp) -> Uuid {
        let micros = micros(at);
        let chance = self.with(|Source { rng, last }| {
            // Steps of chance: nobody who knows one guesses the next. Half of the range is left to step into.
            let chance = match *last {
                (instant, chance) if instant == micros => chance + u64::from(rng.next_u32()) + 1,
                _ => rng.next_u64() >> 3,
            };
            *last = (micros, chance);
            chance
        });
        with_instant(micros, chance)
    }

    /// A number from 0 up to, but not including, `bound`; 0 when `bound` is 0.
    #[must_use]
    pub fn below(&self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.with(|source| source.rng.random_range(0..bound)) }
    }

    fn with<T>(&self, draw: impl FnOnce(&mut Source) -> T) -> T {
        draw(&mut self.0.lock().expect("no holder of this lock can panic"))
    }
}

/// The least UUID that [`Random::uuid_at`] can give for this instant: every earlier one is smaller, also as text.
#[must_use]
pub fn first_uuid_at(at: Timestamp) -> Uuid {
    with_instant(micros(at), 0)
}

/// The instant of a UUID that [`Random::uuid_at`] made; `None` when the text is no such UUID.
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

/// `chance` has 62 bits.
fn with_instant(micros: u64, chance: u64) -> Uuid {
    let high = (micros / 1000) << 16 | 0x7000 | (micros % 1000);
    Uuid::from_u64_pair(high, chance | 1 << 63)
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
    fn a_uuid_of_an_instant_tells_it_and_sorts_by_it() {
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
    fn uuids_of_one_instant_sort_in_the_order_in_which_they_were_made() {
        let (random, at) = (Random::seeded(5), "2026-11-21T08:00:00.000001Z".parse().unwrap());
        let uuids: Vec<String> = (0..1000).map(|_| random.uuid_at(at).to_string()).collect();
        assert!(uuids.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(uuids.iter().all(|uuid| instant_of(uuid) == Some(at)));
    }

    #[test]
    fn below_stays_below() {
        let random = Random::seeded(1);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_eq!(random.below(0), 0);
    }
}
