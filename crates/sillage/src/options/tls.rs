//! Command line flags of HTTP over TLS, and the option that an unusable certificate comes from.

use std::path::PathBuf;

use platform::http::tls::{CertificateFiles, TlsError};

#[derive(Clone, clap::Args)]
pub(crate) struct HttpTls {
    /// The certificate chain for https, PEM; reloaded when the file changes. Without it the listener serves plain http
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

impl HttpTls {
    /// The files; `clap` ensures that both flags are set or none.
    pub(crate) fn files(&self) -> Option<CertificateFiles> {
        Some(CertificateFiles { certificate: self.tls_cert.clone()?, key: self.tls_key.clone()? })
    }

    /// The option that caused the error.
    pub(crate) fn option_of(&self, error: &TlsError) -> &'static str {
        option_of(error, self.tls_cert.as_ref(), ["--tls-cert", "--tls-key"])
    }
}

/// Which of two options, for a certificate and for its key, caused the error.
pub(crate) fn option_of(
    error: &TlsError,
    certificate: Option<&PathBuf>,
    [certificate_option, key_option]: [&'static str; 2],
) -> &'static str {
    match error {
        TlsError::Read { path, .. } if certificate == Some(path) => certificate_option,
        TlsError::NoCertificate { .. } | TlsError::Expired { .. } | TlsError::NotYetValid { .. } => certificate_option,
        _ => key_option,
    }
}
