//! Digests of random secrets (tokens, device keys, application secrets). The database stores only their SHA-256.
//!
//! The secrets contain at least 128 random bits, so one fast hash suffices. Passwords use [`super::password`].

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// SHA-256 of a secret in hex.
pub(crate) fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

/// Whether `secret` has the stored digest. Takes constant time.
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
