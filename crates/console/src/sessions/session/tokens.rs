//! The stored form of a session's tokens.

use devicecloud::Authorization;

use super::SessionHash;
use crate::secrets::cipher::{Cipher, Undecryptable};
use crate::secrets::sealed_column::{SealedColumn, sealed_column};

/// The tokens of sessions.
pub(crate) const TOKENS: SealedColumn =
    sealed_column!("sessions and access tokens", "sessions", "id_hash", "tokens", context, is_discardable: true);
/// The tokens of sign-ins that await their second factor.
pub(crate) const PENDING_TOKENS: SealedColumn =
    sealed_column!("sign-ins under way", "pending_sign_ins", "id_hash", "tokens", context, is_discardable: true);

/// Encrypts the tokens of a session. Another session cannot decrypt them.
pub(super) fn seal(cipher: &Cipher, session: &SessionHash, tokens: &Authorization) -> Vec<u8> {
    let plain = serde_json::to_vec(tokens).expect("texts and numbers are always JSON");
    cipher.seal(&context(session.as_str()), &plain)
}

/// Decrypts the output of [`seal`].
pub(super) fn open(cipher: &Cipher, session: &SessionHash, sealed: &[u8]) -> Result<Authorization, Undecryptable> {
    let plain = cipher.open(&context(session.as_str()), sealed)?;
    serde_json::from_slice(&plain).map_err(|_| Undecryptable)
}

/// Binds tokens to their session.
fn context(hash: &str) -> Vec<u8> {
    hash.as_bytes().to_vec()
}
