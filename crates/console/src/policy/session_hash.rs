//! The hash that identifies a session in the database and on the bus.

use std::fmt;

use sha2::{Digest, Sha256};

/// The SHA-256 of a session id in hex. The database and the bus hold only this hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SessionHash(String);

impl SessionHash {
    pub(crate) fn of(id: &[u8; 32]) -> Self {
        Self(hex::encode(Sha256::digest(id)))
    }

    /// From a database column.
    pub(crate) fn from_stored(text: String) -> Self {
        Self(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The session's id in the account API. It does not reveal the stored hash.
    pub(crate) fn public_id(&self) -> String {
        hex::encode(&Sha256::digest(self.0.as_bytes())[..16])
    }
}

impl fmt::Display for SessionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
