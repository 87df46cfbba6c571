//! Random secrets (tokens, device keys, application secrets): the database keeps only their SHA-256.
//!
//! They hold at least 128 random bits, so one fast hash is enough; passwords go through [`super::password`].

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// SHA-256 of a secret in hex.
pub(crate) fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

/// Whether `secret` is the one whose digest is stored; takes the same time for every answer.
pub(crate) fn matches(secret: &str, stored: &str) -> bool {
    digest(secret).as_bytes().ct_eq(stored.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_secret_matches() {
        let stored = digest("secret");
        assert_eq!(stored.len(), 64);
        assert!(matches("secret", &stored));
        assert!(!matches("Secret", &stored));
        assert!(!matches("secret", "secret"));
        assert!(!matches("", ""));
    }
}
