//! The certificate of the link: loaded at start and again when its files change.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};

use crate::config::LinkTls;

/// Interval between checks of the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

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
}

/// A certificate that is reloaded when its files change.
pub(crate) struct Certificate {
    files: LinkTls,
    pem: Pem,
    current: watch::Sender<Acceptor>,
}

/// Accepts TLS 1.2 and 1.3 with the current certificate.
#[derive(Clone)]
pub(super) struct Acceptor(pub(super) TlsAcceptor);

impl Certificate {
    /// Loads the files.
    ///
    /// # Errors
    /// [`TlsError`].
    pub(crate) async fn load(files: &LinkTls) -> Result<Self, TlsError> {
        let pem = Pem::read(files).await?;
        let current = watch::Sender::new(pem.acceptor(files)?);
        Ok(Self { files: files.clone(), pem, current })
    }

    /// The acceptor for new connections, updated on every reload.
    pub(super) fn acceptor(&self) -> watch::Receiver<Acceptor> {
        self.current.subscribe()
    }

    /// Reloads changed files until cancelled. Unusable files leave the certificate unchanged.
    pub(super) async fn follow(mut self) {
        let mut reported = None;
        loop {
            sleep(CHECK_INTERVAL).await;
            match self.look().await {
                Ok(renewed) => {
                    if renewed {
                        tracing::info!("the device link's certificate was renewed");
                    }
                    reported = None;
                }
                Err(error) => {
                    let error = error.to_string();
                    if reported.as_ref() != Some(&error) {
                        tracing::warn!(error, "the device link keeps its old certificate");
                    }
                    reported = Some(error);
                }
            }
        }
    }

    async fn look(&mut self) -> Result<bool, TlsError> {
        let pem = Pem::read(&self.files).await?;
        if pem == self.pem {
            return Ok(false);
        }
        self.current.send_replace(pem.acceptor(&self.files)?);
        self.pem = pem;
        Ok(true)
    }
}

impl LinkTls {
    /// Loads certificate and key as a node does. Returns the certificates of the chain in DER.
    ///
    /// # Errors
    /// [`TlsError`].
    pub async fn load(&self) -> Result<Vec<Vec<u8>>, TlsError> {
        let pem = Pem::read(self).await?;
        pem.acceptor(self)?;
        Ok(pem.chain(self)?.iter().map(|certificate| certificate.to_vec()).collect())
    }
}

/// The content of the two files.
#[derive(PartialEq, Eq)]
struct Pem {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Pem {
    async fn read(files: &LinkTls) -> Result<Self, TlsError> {
        Ok(Self { certificate: read(&files.certificate).await?, key: read(&files.key).await? })
    }

    fn chain(&self, files: &LinkTls) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        let no_certificate = || TlsError::NoCertificate { path: files.certificate.clone() };
        // The parser's error may quote the file.
        let chain = CertificateDer::pem_slice_iter(&self.certificate).collect::<Result<Vec<_>, _>>();
        chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(no_certificate)
    }

    fn acceptor(&self, files: &LinkTls) -> Result<Acceptor, TlsError> {
        let no_certificate = || TlsError::NoCertificate { path: files.certificate.clone() };
        let no_key = || TlsError::NoKey { path: files.key.clone() };
        let chain = self.chain(files)?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|_| no_key())?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring knows TLS 1.2 and 1.3")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| match error {
                Error::InvalidCertificate(_) => no_certificate(),
                Error::InconsistentKeys(_) => {
                    TlsError::Mismatch { key: files.key.clone(), certificate: files.certificate.clone() }
                }
                _ => no_key(),
            })?;
        Ok(Acceptor(TlsAcceptor::from(Arc::new(config))))
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    tokio::fs::read(path).await.map_err(|source| TlsError::Read { path: path.to_owned(), source })
}
