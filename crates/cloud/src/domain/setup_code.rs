//! Setup codes, which are printed on devices. A template can require them for registrations by partners.

use std::fmt;

use platform::run::random::Random;
use secrecy::{ExposeSecret, SecretString};

use super::secret::{digest, matches};

/// Digits and upper-case letters without I, L, O and U (Crockford's Base32), so that codes can be read aloud and typed.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// 60 random bits.
const LENGTH: usize = 12;
/// Characters between two hyphens.
const GROUP: usize = 4;

/// A setup code, such as `7K2M-9QWX-T04B`. Its `Debug` output does not contain it.
#[derive(Clone)]
pub struct SetupCode(SecretString);

impl SetupCode {
    /// A new code.
    #[must_use]
    pub fn random(random: &Random) -> Self {
        Self::of(random.bytes::<LENGTH>().map(|byte| ALPHABET[usize::from(byte) % ALPHABET.len()]))
    }

    /// Reads a code as people type it: in any case, with or without hyphens and spaces, with O for 0, and I or L for 1.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let typed = text.chars().filter(|character| !matches!(character, '-' | ' '));
        let read = typed.map(|character| match character.to_ascii_uppercase() {
            'O' => Some(b'0'),
            'I' | 'L' => Some(b'1'),
            character => u8::try_from(character).ok().filter(|byte| ALPHABET.contains(byte)),
        });
        let characters: Vec<u8> = read.collect::<Option<_>>()?;
        characters.try_into().ok().map(Self::of)
    }

    fn of(characters: [u8; LENGTH]) -> Self {
        let groups: Vec<String> = characters.map(char::from).chunks(GROUP).map(String::from_iter).collect();
        Self(groups.join("-").into())
    }

    /// The code as it is printed.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The digest to store. It contains the serial number, so that one guess cannot be compared with all devices.
    pub(crate) fn digest(&self, dsn: &str) -> String {
        digest(&self.salted(dsn))
    }

    /// Whether the stored digest is that of this code.
    pub(crate) fn matches(&self, dsn: &str, stored: &str) -> bool {
        matches(&self.salted(dsn), stored)
    }

    fn salted(&self, dsn: &str) -> String {
        format!("{dsn} {}", self.expose())
    }
}

impl fmt::Debug for SetupCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetupCode")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_code_has_three_groups_and_is_read_back() {
        let random = Random::seeded(1);
        let codes = [SetupCode::random(&random), SetupCode::random(&random)];
        assert_ne!(codes[0].expose(), codes[1].expose());
        for code in &codes {
            let groups: Vec<&str> = code.expose().split('-').collect();
            assert!(groups.len() == 3 && groups.iter().all(|group| group.len() == 4), "{}", code.expose());
            assert_eq!(SetupCode::parse(code.expose()).unwrap().expose(), code.expose());
            assert_eq!(format!("{code:?}"), "SetupCode");
        }
    }

    #[test]
    fn typed_code_is_read_in_any_spelling() {
        for text in ["70K1-19QW-XT0B", "70k119qwxt0b", " 7oki l9qw xtob ", "7-0-K-1-1-9-Q-W-X-T-0-B"] {
            assert_eq!(SetupCode::parse(text).unwrap().expose(), "70K1-19QW-XT0B", "{text}");
        }
        for text in ["", "70K1-19QW-XT0", "70K1-19QW-XT0BB", "70K1-19QW-XT0U", "70K1_19QW_XT0B", "７0K1-19QW-XT0B"] {
            assert!(SetupCode::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn stored_digest_matches_only_this_device_and_code() {
        let random = Random::seeded(1);
        let (code, other) = (SetupCode::random(&random), SetupCode::random(&random));
        let stored = code.digest("SL0001");
        assert!(code.matches("SL0001", &stored));
        assert!(!code.matches("SL0002", &stored));
        assert!(!other.matches("SL0001", &stored));
    }
}
