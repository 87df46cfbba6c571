//! The stored form of a session's tokens.

use devicecloud::Authorization;

use super::SessionHash;
use crate::cipher::{Cipher, Undecryptable};

/// Encrypts the tokens of a session. Another session cannot decrypt them.
pub(super) fn seal(cipher: &Cipher, session: &SessionHash, tokens: &Authorization) -> Vec<u8> {
    let plain = serde_json::to_vec(tokens).expect("texts and numbers are always JSON");
    cipher.seal(session.as_str().as_bytes(), &plain)
}

/// Decrypts the output of [`seal`].
pub(super) fn open(cipher: &Cipher, session: &SessionHash, sealed: &[u8]) -> Result<Authorization, Undecryptable> {
    let plain = cipher.open(session.as_str().as_bytes(), sealed)?;
    serde_json::from_slice(&plain).map_err(|_| Undecryptable)
}
