//! Certificates and credentials of mail servers.

use platform::mail::MailCredentials;
use platform::testing::TestMailServer;
use tempfile::TempDir;

pub(crate) const USER: &str = "sillage";
pub(crate) const PASSWORD: &str = "hush";

/// A certificate and key for a mail server on loopback.
pub(crate) struct Certificate {
    folder: TempDir,
    pub(crate) pem: Vec<u8>,
}

impl Certificate {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        std::fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Self { folder, pem: made.cert.pem().into() }
    }

    /// A server with TLS and this certificate.
    pub(crate) fn server(&self, tls: &str, more: &[&str]) -> TestMailServer {
        let file = |name: &str| self.folder.path().join(name).display().to_string();
        let (cert, key) = (file("cert.pem"), file("key.pem"));
        TestMailServer::start(&[&["--tls", tls, "--cert", &cert, "--key", &key], more].concat())
    }
}

pub(crate) fn credentials(password: &str) -> Option<MailCredentials> {
    Some(MailCredentials { user: USER.to_owned(), password: password.into() })
}
