//! Opaque ids for records whose own id must not be disclosed.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Length of an id; long enough that collisions are infeasible.
const BYTES: usize = 16;

/// Derives ids with a key: equal on every node, and meaningless without the key.
#[derive(Clone)]
pub(crate) struct OpaqueIds(Hmac<Sha256>);

impl OpaqueIds {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length"))
    }

    /// The id of the record that these parts identify.
    pub(crate) fn of(&self, parts: &[&str]) -> String {
        let mut digest = self.0.clone();
        for part in parts {
            // The length separates the parts unambiguously.
            digest.update(&part.len().to_be_bytes());
            digest.update(part.as_bytes());
        }
        hex::encode(&digest.finalize().into_bytes()[..BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_is_stable_for_the_same_object_and_key() {
        let (ids, others) = (OpaqueIds::new(&[7; 32]), OpaqueIds::new(&[8; 32]));
        let id = ids.of(&["notification", "SC1", "jo@example.com"]);
        assert_eq!(id, ids.of(&["notification", "SC1", "jo@example.com"]));
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        for other in
            [ids.of(&["notification", "SC1j", "o@example.com"]), others.of(&["notification", "SC1", "jo@example.com"])]
        {
            assert_ne!(id, other);
        }
    }
}
