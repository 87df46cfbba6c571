//! Signed URLs of a file's bytes. Anyone who has one can use it for an hour without a token. The
//! signature uses the file's own secret, so every node can verify it.

use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use sha2::Sha256;

use crate::store::files::FileRow;

const LIFETIME: SignedDuration = SignedDuration::from_hours(1);

/// What a URL allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UrlUse {
    /// PUT of the bytes, once.
    Upload,
    /// GET of the bytes.
    Download,
}

/// A signed URL.
#[derive(Clone, Debug)]
pub(crate) struct SignedUrl<'a> {
    id: &'a str,
    /// Seconds since 1970.
    expires: i64,
    signature: String,
}

impl<'a> SignedUrl<'a> {
    /// A URL that is valid from now on.
    pub(crate) fn new(file: &'a FileRow, used: UrlUse, now: Timestamp) -> Self {
        let expires = (now + LIFETIME).as_second();
        Self { id: &file.id, expires, signature: hex::encode(mac(file, used, expires).finalize().into_bytes()) }
    }

    /// As text.
    pub(crate) fn to_url(&self, public_url: &str) -> String {
        format!("{public_url}/files/{}?expires={}&signature={}", self.id, self.expires, self.signature)
    }
}

/// Whether the time of a URL is over. The signature is not checked.
pub(super) fn has_expired(expires: i64, now: Timestamp) -> bool {
    expires < now.as_second()
}

/// Whether the signature matches and the URL has not expired.
pub(crate) fn verify(file: &FileRow, used: UrlUse, expires: i64, signature: &str, now: Timestamp) -> bool {
    let signature = hex::decode(signature).unwrap_or_default();
    !has_expired(expires, now) && mac(file, used, expires).verify_slice(&signature).is_ok()
}

fn mac(file: &FileRow, used: UrlUse, expires: i64) -> Hmac<Sha256> {
    let used = match used {
        UrlUse::Upload => "PUT",
        UrlUse::Download => "GET",
    };
    let mac = Hmac::<Sha256>::new_from_slice(file.secret.as_bytes()).expect("a key of any length will do");
    mac.chain_update(format!("{used} {} {expires}", file.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(id: &str, secret: &str) -> FileRow {
        FileRow {
            id: id.into(),
            property_id: 1,
            user_uuid: String::new(),
            metadata: None,
            secret: secret.into(),
            size: None,
            created_at: 0,
            closed_at: None,
            fetched_at: None,
        }
    }

    #[test]
    fn signed_url_is_valid_for_one_file_one_method_and_one_hour() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let ours = file("a", "secret");
        let SignedUrl { expires, signature, .. } = SignedUrl::new(&ours, UrlUse::Upload, now);
        let good = |file: &FileRow, used, expires, signature: &str, now| verify(file, used, expires, signature, now);
        assert!(good(&ours, UrlUse::Upload, expires, &signature, now));
        assert!(good(&ours, UrlUse::Upload, expires, &signature, now + LIFETIME));
        let later = now + LIFETIME + SignedDuration::from_secs(1);
        assert!(!good(&ours, UrlUse::Upload, expires, &signature, later));
        assert!(!good(&ours, UrlUse::Upload, expires + 3600, &signature, later));
        assert!(!good(&ours, UrlUse::Download, expires, &signature, now));
        assert!(!good(&file("b", "secret"), UrlUse::Upload, expires, &signature, now));
        assert!(!good(&file("a", "other"), UrlUse::Upload, expires, &signature, now));
        for forged in ["", "00", "no hex", &signature[2..]] {
            assert!(!good(&ours, UrlUse::Upload, expires, forged, now), "{forged}");
        }
    }
}
