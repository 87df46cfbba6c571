//! Command line flags of the device link over TLS.

use std::net::SocketAddr;
use std::path::PathBuf;

use cloud::{CertificateFiles, LinkTls, TlsError};

use super::{listen, tls};

#[derive(clap::Args)]
pub(crate) struct Mqtts {
    /// Address on which the cloud listens for devices over TLS; needs --mqtts-cert and --mqtts-key
    #[arg(long, value_name = "HOST:PORT", value_parser = listen::address, requires_all = ["mqtts_cert", "mqtts_key"])]
    mqtts_listen: Option<SocketAddr>,
    /// The certificate chain, PEM; reloaded when the file changes
    #[arg(long, value_name = "FILE", requires_all = ["mqtts_listen", "mqtts_key"])]
    mqtts_cert: Option<PathBuf>,
    /// The certificate's private key, PEM
    #[arg(long, value_name = "FILE", requires_all = ["mqtts_listen", "mqtts_cert"])]
    mqtts_key: Option<PathBuf>,
}

impl Mqtts {
    /// The TLS settings; `clap` ensures that all three flags are set or none.
    pub(crate) fn tls(&self) -> Option<LinkTls> {
        let files = CertificateFiles { certificate: self.mqtts_cert.clone()?, key: self.mqtts_key.clone()? };
        Some(LinkTls { listen: self.mqtts_listen?, files })
    }

    /// The option that caused the error.
    pub(crate) fn option_of(&self, error: &TlsError) -> &'static str {
        tls::option_of(error, self.mqtts_cert.as_ref(), ["--mqtts-cert", "--mqtts-key"])
    }
}
