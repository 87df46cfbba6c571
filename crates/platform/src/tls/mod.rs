//! The certificate of a listener: loaded at start, and again when its files change.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};
use tokio_rustls::server::TlsStream;

/// Interval between checks of the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

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
}

/// A certificate that is reloaded when its files change.
pub struct Certificate {
    files: CertificateFiles,
    protocols: Protocols,
    pem: Pem,
    current: watch::Sender<TlsAcceptor>,
}

/// Accepts TLS 1.2 and 1.3 with the current certificate.
#[derive(Clone)]
pub struct Acceptor(watch::Receiver<TlsAcceptor>);

impl Certificate {
    /// Loads the files.
    ///
    /// # Errors
    /// [`TlsError`].
    pub async fn load(files: &CertificateFiles, protocols: Protocols) -> Result<Self, TlsError> {
        let pem = Pem::read(files).await?;
        let current = watch::Sender::new(pem.acceptor(files, protocols)?);
        Ok(Self { files: files.clone(), protocols, pem, current })
    }

    /// The acceptor for new connections.
    #[must_use]
    pub fn acceptor(&self) -> Acceptor {
        Acceptor(self.current.subscribe())
    }

    /// Reloads changed files until cancelled. Unusable files leave the certificate unchanged. `listener` names the listener in the log.
    pub async fn follow(mut self, listener: &'static str) {
        // A renewal writes two files, and a check between the two finds a mismatch. Only what the next check still finds is reported.
        let (mut found, mut reported) = (None, None);
        loop {
            sleep(CHECK_INTERVAL).await;
            match self.reload_if_changed().await {
                Ok(is_renewed) => {
                    if is_renewed {
                        tracing::info!(listener, "the certificate was renewed");
                    }
                    (found, reported) = (None, None);
                }
                Err(error) => {
                    let error = Some(error.to_string());
                    if error == found && error != reported {
                        tracing::warn!(
                            listener,
                            error,
                            "the renewed certificate cannot be used: the listener keeps its old certificate"
                        );
                        reported.clone_from(&error);
                    }
                    found = error;
                }
            }
        }
    }

    async fn reload_if_changed(&mut self) -> Result<bool, TlsError> {
        let pem = Pem::read(&self.files).await?;
        if pem == self.pem {
            return Ok(false);
        }
        self.current.send_replace(pem.acceptor(&self.files, self.protocols)?);
        self.pem = pem;
        Ok(true)
    }
}

impl CertificateFiles {
    /// Loads certificate and key as a listener does. Returns the certificates of the chain in DER.
    ///
    /// # Errors
    /// [`TlsError`].
    pub async fn load(&self) -> Result<Vec<Vec<u8>>, TlsError> {
        let pem = Pem::read(self).await?;
        pem.acceptor(self, Protocols::Single)?;
        Ok(pem.chain(self)?.iter().map(|certificate| certificate.to_vec()).collect())
    }
}

impl Acceptor {
    /// Performs the handshake of a new connection.
    ///
    /// # Errors
    /// Of the connection, or of the handshake.
    pub async fn accept<Io: AsyncRead + AsyncWrite + Unpin>(&self, io: Io) -> io::Result<TlsStream<Io>> {
        let acceptor = self.0.borrow().clone();
        acceptor.accept(io).await
    }
}

/// The content of the two files.
#[derive(PartialEq, Eq)]
struct Pem {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Pem {
    async fn read(files: &CertificateFiles) -> Result<Self, TlsError> {
        Ok(Self { certificate: read(&files.certificate).await?, key: read(&files.key).await? })
    }

    fn chain(&self, files: &CertificateFiles) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        let no_certificate = || TlsError::NoCertificate { path: files.certificate.clone() };
        // The parser's error may quote the file.
        let chain = CertificateDer::pem_slice_iter(&self.certificate).collect::<Result<Vec<_>, _>>();
        chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(no_certificate)
    }

    fn acceptor(&self, files: &CertificateFiles, protocols: Protocols) -> Result<TlsAcceptor, TlsError> {
        let no_certificate = || TlsError::NoCertificate { path: files.certificate.clone() };
        let no_key = || TlsError::NoKey { path: files.key.clone() };
        let chain = self.chain(files)?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|_| no_key())?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
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
        if protocols == Protocols::Http {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    tokio::fs::read(path).await.map_err(|source| TlsError::Read { path: path.to_owned(), source })
}
