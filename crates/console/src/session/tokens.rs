//! Encrypts stored tokens with XChaCha20-Poly1305. The key is not in the database.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use devicecloud::Authorization;
use platform::random::Random;
use sha2::{Digest, Sha256};

use super::SessionHash;

const KEY_ID: usize = 4;
const NONCE: usize = 24;

/// Encrypts with the current key; decrypts with the current or an earlier key.
#[derive(Clone)]
pub(crate) struct TokenCipher {
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
#[derive(Debug, thiserror::Error)]
#[error("stored tokens cannot be read")]
pub(crate) struct UnreadableTokens;

impl TokenCipher {
    /// `earlier` are former keys, which are used for decryption only.
    pub(crate) fn new(present: &[u8; 32], earlier: &[[u8; 32]], random: Random) -> Self {
        let keys = std::iter::once(present).chain(earlier).map(Key::new).collect();
        Self { keys, random }
    }

    /// Returns key id, nonce and ciphertext, which [`open`](Self::open) accepts for the same session only.
    pub(crate) fn seal(&self, session: &SessionHash, tokens: &Authorization) -> Vec<u8> {
        let plain = serde_json::to_vec(tokens).expect("texts and numbers are always JSON");
        let nonce: [u8; NONCE] = self.random.bytes();
        let key = &self.keys[0];
        let payload = Payload { msg: &plain, aad: session.as_str().as_bytes() };
        let sealed =
            key.cipher.encrypt(&XNonce::from(nonce), payload).expect("tokens are shorter than the limit of the cipher");
        [key.id.as_slice(), &nonce, &sealed].concat()
    }

    /// Decrypts the output of [`seal`](Self::seal).
    pub(crate) fn open(&self, session: &SessionHash, sealed: &[u8]) -> Result<Authorization, UnreadableTokens> {
        let (id, rest) = sealed.split_first_chunk::<KEY_ID>().ok_or(UnreadableTokens)?;
        let (nonce, text) = rest.split_first_chunk::<NONCE>().ok_or(UnreadableTokens)?;
        let key = self.keys.iter().find(|key| key.id == *id).ok_or(UnreadableTokens)?;
        let payload = Payload { msg: text, aad: session.as_str().as_bytes() };
        let plain = key.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| UnreadableTokens)?;
        serde_json::from_slice(&plain).map_err(|_| UnreadableTokens)
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

    const ALICE: [u8; 32] = [1; 32];

    fn tokens() -> Authorization {
        Authorization {
            access_token: "access-1".into(),
            refresh_token: "refresh-1".into(),
            expires_in_secs: 86_400,
            role: None,
            created_at: "2026-11-20T12:00:00Z".parse().unwrap(),
        }
    }

    fn cipher(present: u8, earlier: &[u8]) -> TokenCipher {
        let earlier: Vec<[u8; 32]> = earlier.iter().map(|byte| [*byte; 32]).collect();
        TokenCipher::new(&[present; 32], &earlier, Random::seeded(1))
    }

    #[test]
    fn sealed_tokens_open_only_for_the_same_session() {
        let cipher = cipher(1, &[]);
        let sealed = cipher.seal(&SessionHash::of(&ALICE), &tokens());
        let opened = cipher.open(&SessionHash::of(&ALICE), &sealed).unwrap();
        assert_eq!(serde_json::to_value(opened).unwrap(), serde_json::to_value(tokens()).unwrap());
        assert!(cipher.open(&SessionHash::of(&[2; 32]), &sealed).is_err(), "a row copied to another session");
    }

    #[test]
    fn sealed_tokens_are_unreadable_and_never_equal() {
        let cipher = cipher(1, &[]);
        let (one, two) =
            (cipher.seal(&SessionHash::of(&ALICE), &tokens()), cipher.seal(&SessionHash::of(&ALICE), &tokens()));
        assert_ne!(one, two);
        assert!(!one.windows(8).any(|window| window == b"access-1" || window == b"refresh-"));
    }

    #[test]
    fn altered_or_truncated_seal_does_not_open() {
        let cipher = cipher(1, &[]);
        let session = SessionHash::of(&ALICE);
        let sealed = cipher.seal(&session, &tokens());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(cipher.open(&session, &changed).is_err(), "byte {at}");
            assert!(cipher.open(&session, &sealed[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn rotated_key_opens_its_seals_until_it_is_removed() {
        let session = SessionHash::of(&ALICE);
        let sealed = cipher(1, &[]).seal(&session, &tokens());
        assert!(cipher(2, &[1]).open(&session, &sealed).is_ok());
        assert!(cipher(2, &[]).open(&session, &sealed).is_err());
    }
}
