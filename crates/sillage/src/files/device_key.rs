//! Keys of simulated diffusers for the device link.
//!
//! A real diffuser gets a random key in the factory, and the cloud stores only its hash. The demo derives the keys of its
//! diffusers from one secret in its data folder, so that it needs no key list.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Derives the key of `dsn`: 64 lower-case hexadecimal digits.
pub(crate) fn derive(fleet_secret: &[u8; 32], dsn: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(fleet_secret).expect("HMAC takes keys of any length");
    mac.update(dsn.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_depend_on_the_device_and_the_fleet_secret() {
        let key = derive(&[1; 32], "AC000W000000001");
        assert_eq!(key.len(), 64);
        assert_eq!(key, derive(&[1; 32], "AC000W000000001"));
        assert_ne!(key, derive(&[1; 32], "AC000W000000002"));
        assert_ne!(key, derive(&[2; 32], "AC000W000000001"));
    }
}
