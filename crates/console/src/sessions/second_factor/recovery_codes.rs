//! Recovery codes: 120 random bits each, so that a plain hash in the database protects them.

use platform::run::random::Random;
use sha2::{Digest, Sha256};

/// How many codes a person gets.
const COUNT: usize = 10;
/// Number of characters of a code, without hyphens.
const LENGTH: usize = 24;
/// Number of characters between two hyphens.
const GROUP: usize = 4;
/// The digits and letters of a code, without those that look like another one.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// New codes, as shown to people: `0123-4567-89ab-cdef-ghjk-mnpq`.
pub(super) fn generate(random: &Random) -> Vec<String> {
    (0..COUNT).map(|_| written(random.bytes())).collect()
}

fn written(random: [u8; LENGTH]) -> String {
    let text = random.map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
    text.chunks(GROUP).map(String::from_iter).collect::<Vec<_>>().join("-")
}

/// The stored form of a code, which has no spaces and hyphens any more. `None` if it cannot be a code.
pub(super) fn hash(code: &str) -> Option<String> {
    let plain = code.chars().map(plain).collect::<Option<String>>()?;
    (plain.len() == LENGTH).then(|| hex::encode(Sha256::digest(plain)))
}

fn plain(typed: char) -> Option<char> {
    let read = match typed.to_ascii_lowercase() {
        'o' => '0',
        'i' | 'l' => '1',
        other => other,
    };
    u8::try_from(read).is_ok_and(|byte| ALPHABET.contains(&byte)).then_some(read)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn generated_codes_are_distinct_and_can_be_read_back() {
        let codes = generate(&Random::seeded(1));
        let hashes: HashSet<_> = codes.iter().map(|code| hash(&code.replace('-', "")).unwrap()).collect();
        assert_eq!((codes.len(), hashes.len()), (COUNT, COUNT));
        for code in codes {
            assert_eq!(code.split('-').map(str::len).collect::<Vec<_>>(), [GROUP; LENGTH / GROUP], "{code}");
        }
    }
}
