//! Entry points for fuzzing, by fuzz/ and the tests below.

pub use crate::link::fuzz::{packets, payload};

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

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
        seeds("payload").iter().for_each(|seed| payload(seed));
        seeds("packets").iter().for_each(|seed| packets(seed));
    }

    proptest! {
        #[test]
        fn arbitrary_payloads_cause_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            payload(&bytes);
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
            for (target, read) in [("payload", payload as fn(&[u8])), ("packets", packets)] {
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
