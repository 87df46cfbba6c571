//! TLS of listeners.

mod certificate;
mod pem;
mod reporter;
mod validity;

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;

pub use self::certificate::{Acceptor, Certificate};
use self::pem::Pem;
pub use self::reporter::RENEWED_BEFORE;
pub use self::validity::Validity;

/// The files of a certificate. Both are reloaded when they change; no restart is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// Certificate chain, leaf first; PEM.
    pub certificate: PathBuf,
    /// The certificate's private key; PEM (PKCS#8, PKCS#1 or SEC1).
    pub key: PathBuf,
}

/// The protocols that a listener offers in the handshake (ALPN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocols {
    /// HTTP/2 and HTTP/1.1.
    Http,
    /// None: the listener has a single protocol.
    Single,
}

/// Why a certificate and its key cannot be used. Names the file, never its content.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file contains no valid certificate.
    #[error("{} contains no usable certificate in PEM", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The file contains no private key of a supported kind.
    #[error("{} contains no usable private key in PEM", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The key does not belong to the certificate.
    #[error("the private key in {} does not belong to the certificate in {}", key.display(), certificate.display())]
    Mismatch {
        /// The file of the key.
        key: PathBuf,
        /// The file of the certificate.
        certificate: PathBuf,
    },
    /// A certificate of the chain has expired.
    #[error("the certificate in {} expired at {end}", path.display())]
    Expired {
        /// The file.
        path: PathBuf,
        /// The end of its validity.
        end: Timestamp,
    },
    /// A certificate of the chain is not valid yet.
    #[error("the certificate in {} is valid from {begin} only", path.display())]
    NotYetValid {
        /// The file.
        path: PathBuf,
        /// The beginning of its validity.
        begin: Timestamp,
    },
}

impl CertificateFiles {
    /// Loads certificate and key as a listener does. Does not check whether the certificate is valid now.
    ///
    /// # Errors
    /// [`TlsError`].
    pub async fn load(&self) -> Result<Validity, TlsError> {
        Ok(Pem::read(self).await?.load(self, Protocols::Single)?.1)
    }
}
