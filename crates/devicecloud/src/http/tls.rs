//! TLS for calls and streams. Nothing is installed for the process.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::error_chain;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};

/// The certificate authorities to trust.
pub(crate) struct Roots {
    added: Vec<CertificateDer<'static>>,
    /// Whether the platform's are not trusted.
    only_added: bool,
}

impl Roots {
    pub(crate) fn new(only_added: bool) -> Self {
        Self { added: Vec::new(), only_added }
    }

    /// Adds the certificates of a PEM file.
    pub(crate) fn add(&mut self, pem: &[u8]) -> Result<()> {
        let invalid = || Error::new(ErrorKind::InvalidArgument, messages::INVALID_ROOT_CERTIFICATES);
        let before = self.added.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            self.added.push(certificate.map_err(|error| invalid().with_source(error))?);
        }
        if self.added.len() == before { Err(invalid()) } else { Ok(()) }
    }
}

/// A configuration without ALPN protocols.
pub(crate) fn client_config(roots: Roots) -> Result<ClientConfig> {
    let failed = |error: rustls::Error| Error::new(ErrorKind::Internal, error_chain(&error)).with_source(error);
    let provider = provider()?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(failed)?;
    let builder = if roots.only_added {
        let mut store = RootCertStore::empty();
        for certificate in roots.added {
            store.add(certificate).map_err(failed)?;
        }
        builder.with_root_certificates(store)
    } else {
        let verifier = Verifier::new_with_extra_roots(roots.added, provider).map_err(failed)?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    };
    Ok(builder.with_no_client_auth())
}

#[cfg(feature = "rustls-ring")]
#[expect(clippy::unnecessary_wraps, reason = "the other providers may be missing")]
fn provider() -> Result<Arc<CryptoProvider>> {
    Ok(Arc::new(rustls::crypto::ring::default_provider()))
}

#[cfg(not(feature = "rustls-ring"))]
fn provider() -> Result<Arc<CryptoProvider>> {
    let installed = CryptoProvider::get_default().cloned();
    installed.ok_or_else(|| Error::new(ErrorKind::Precondition, messages::NO_TLS_PROVIDER))
}
