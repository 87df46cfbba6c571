//! The content of the files of a certificate.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};

use super::{CertificateFiles, Protocols, TlsError, Validity};

/// The content of the two files.
#[derive(PartialEq, Eq)]
pub(super) struct Pem {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Pem {
    pub(super) async fn read(files: &CertificateFiles) -> Result<Self, TlsError> {
        Ok(Self { certificate: read(&files.certificate).await?, key: read(&files.key).await? })
    }

    /// What a listener needs.
    pub(super) fn load(
        &self,
        files: &CertificateFiles,
        protocols: Protocols,
    ) -> Result<(TlsAcceptor, Validity), TlsError> {
        let no_certificate = || TlsError::NoCertificate { path: files.certificate.clone() };
        let no_key = || TlsError::NoKey { path: files.key.clone() };
        // The parser's error may quote the file.
        let chain = CertificateDer::pem_slice_iter(&self.certificate).collect::<Result<Vec<_>, _>>();
        let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(no_certificate)?;
        let validity = Validity::of(&chain).ok_or_else(no_certificate)?;
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
        Ok((TlsAcceptor::from(Arc::new(config)), validity))
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    tokio::fs::read(path).await.map_err(|source| TlsError::Read { path: path.to_owned(), source })
}
