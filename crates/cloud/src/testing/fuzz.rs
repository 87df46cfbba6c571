//! Entry points for fuzzing, by fuzz/ and the tests below.

pub use crate::domain::rule::fuzz::rule;
pub use crate::http::fuzz::body;
pub use crate::mqtt::fuzz::{packets, payload};

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    type Target = (&'static str, fn(&[u8]));
    const TARGETS: [Target; 4] = [
        ("payload", payload),
        ("packets", packets),
        ("bodies", body),
        ("rules", |bytes| rule(&String::from_utf8_lossy(bytes))),
    ];

    /// The seed inputs of a fuzz target.
    fn seeds(target: &str) -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
        let files = fs::read_dir(folder).unwrap();
        let seeds: Vec<_> = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
        assert!(!seeds.is_empty(), "{target} has no seeds");
        seeds
    }

    #[test]
    fn seeds_cause_no_panic() {
        for (target, read) in TARGETS {
            seeds(target).iter().for_each(|seed| read(seed));
        }
    }

    proptest! {
        #[test]
        fn arbitrary_payloads_cause_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            payload(&bytes);
        }

        #[test]
        fn arbitrary_rules_cause_no_panic(text in any::<String>()) {
            rule(&text);
        }

        #[test]
        fn arbitrary_bodies_cause_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            body(&bytes);
        }

        // A panic in the codec would leave a device Online forever.
        #[test]
        fn arbitrary_packets_cause_no_panic(kind in 0u8..16, body in proptest::collection::vec(any::<u8>(), 0..120)) {
            packets(&body);
            let length = u8::try_from(body.len()).unwrap();
            for flags in 0..16 {
                packets(&[&[kind << 4 | flags, length], body.as_slice()].concat());
            }
        }

        #[test]
        fn mutated_seeds_cause_no_panic(changes in proptest::collection::vec(any::<(usize, u8)>(), 1..8)) {
            for (target, read) in TARGETS {
                for mut seed in seeds(target) {
                    for (at, byte) in &changes {
                        let at = at % seed.len();
                        seed[at] = *byte;
                    }
                    read(&seed);
                }
            }
        }
    }
}
