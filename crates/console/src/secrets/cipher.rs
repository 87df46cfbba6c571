//! Encrypts secrets for the database with XChaCha20-Poly1305. The key is not in the database.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use platform::run::random::Random;
use sha2::{Digest, Sha256};

const KEY_ID: usize = 4;
const NONCE: usize = 24;

/// Encrypts with the current key; decrypts with the current or an earlier key.
#[derive(Clone)]
pub(crate) struct Cipher {
    /// The current key first.
    keys: Vec<Key>,
    random: Random,
}

#[derive(Clone)]
struct Key {
    /// Prefix of everything that the key encrypted.
    id: [u8; KEY_ID],
    cipher: XChaCha20Poly1305,
}

/// Encrypted with an unknown key, or altered.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a stored secret cannot be decrypted: is a token key missing (--token-key-file, --earlier-token-key-file)?")]
pub(crate) struct Undecryptable;

impl Cipher {
    /// `earlier` are former keys, which are used for decryption only.
    pub(crate) fn new(present: &[u8; 32], earlier: &[[u8; 32]], random: Random) -> Self {
        let keys = std::iter::once(present).chain(earlier).map(Key::new).collect();
        Self { keys, random }
    }

    /// The id of the current key.
    pub(crate) fn key_id(&self) -> &[u8] {
        &self.keys[0].id
    }

    /// Returns key id, nonce and ciphertext, which [`open`](Self::open) accepts only with the same context.
    pub(crate) fn seal(&self, context: &[u8], plain: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE] = self.random.bytes();
        let key = &self.keys[0];
        let payload = Payload { msg: plain, aad: context };
        let sealed = key
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .expect("stored secrets are shorter than the limit of the cipher");
        [key.id.as_slice(), &nonce, &sealed].concat()
    }

    /// Decrypts the output of [`seal`](Self::seal).
    pub(crate) fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Undecryptable> {
        let (id, rest) = sealed.split_first_chunk::<KEY_ID>().ok_or(Undecryptable)?;
        let (nonce, text) = rest.split_first_chunk::<NONCE>().ok_or(Undecryptable)?;
        let key = self.keys.iter().find(|key| key.id == *id).ok_or(Undecryptable)?;
        let payload = Payload { msg: text, aad: context };
        key.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| Undecryptable)
    }
}

impl Key {
    fn new(key: &[u8; 32]) -> Self {
        let digest = Sha256::digest(key);
        let mut id = [0; KEY_ID];
        id.copy_from_slice(&digest[..KEY_ID]);
        Self { id, cipher: XChaCha20Poly1305::new(key.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &[u8] = b"access-1, refresh-1";

    fn cipher(present: u8, earlier: &[u8]) -> Cipher {
        let earlier: Vec<[u8; 32]> = earlier.iter().map(|byte| [*byte; 32]).collect();
        Cipher::new(&[present; 32], &earlier, Random::seeded(1))
    }

    #[test]
    fn sealed_secret_opens_only_in_the_same_context() {
        let cipher = cipher(1, &[]);
        let sealed = cipher.seal(b"alice", PLAIN);
        assert_eq!(cipher.open(b"alice", &sealed).unwrap(), PLAIN);
        assert!(cipher.open(b"bob", &sealed).is_err(), "copied to another row");
    }

    #[test]
    fn sealed_secrets_are_unreadable_and_never_equal() {
        let cipher = cipher(1, &[]);
        let (one, two) = (cipher.seal(b"alice", PLAIN), cipher.seal(b"alice", PLAIN));
        assert_ne!(one, two);
        assert!(!one.windows(8).any(|window| window == b"access-1" || window == b"refresh-"));
    }

    #[test]
    fn altered_or_truncated_seal_does_not_open() {
        let cipher = cipher(1, &[]);
        let sealed = cipher.seal(b"alice", PLAIN);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(cipher.open(b"alice", &changed).is_err(), "byte {at}");
            assert!(cipher.open(b"alice", &sealed[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn rotated_key_opens_its_seals_until_it_is_removed() {
        let sealed = cipher(1, &[]).seal(b"alice", PLAIN);
        assert!(cipher(2, &[1]).open(b"alice", &sealed).is_ok());
        assert!(cipher(2, &[]).open(b"alice", &sealed).is_err());
    }
}
