//! The way to a cloud: TCP, or TLS over it.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_util::either::Either;

/// Where a cloud listens for devices. Cheap to clone.
#[derive(Clone)]
pub struct Link {
    host: Arc<str>,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

/// Whose certificates are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// The ones that browsers believe (webpki-roots).
    Public,
    /// The ones in this PEM file, and no others.
    File(PathBuf),
}

/// Why there is no way to a cloud.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("{0:?} is no name that a certificate could be for")]
    Host(String),
    #[error("cannot read certificates from {}: {reason}", path.display())]
    Roots { path: PathBuf, reason: String },
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// A connection. The TLS one is boxed: it is large, and most fleets have none.
pub(crate) type Stream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

impl Link {
    /// MQTT over TCP.
    pub fn plain(host: &str, port: u16) -> Self {
        Self { host: host.into(), port, tls: None }
    }

    /// MQTT over TLS 1.2 or 1.3; the certificate must be good for `host`.
    ///
    /// # Errors
    /// When `host` is neither a DNS name nor an address, or `roots` hold no certificate that can be read.
    pub fn tls(host: &str, port: u16, roots: &Roots) -> Result<Self, LinkError> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| LinkError::Host(host.to_owned()))?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots.read()?)
            .with_no_client_auth();
        Ok(Self { host: host.into(), port, tls: Some((TlsConnector::from(Arc::new(config)), name)) })
    }

    pub(crate) async fn dial(self) -> io::Result<Stream> {
        let stream = TcpStream::connect((&*self.host, self.port)).await?;
        stream.set_nodelay(true)?;
        match self.tls {
            None => Ok(Either::Left(stream)),
            Some((connector, name)) => Ok(Either::Right(Box::new(connector.connect(name, stream).await?))),
        }
    }
}

impl From<SocketAddr> for Link {
    fn from(address: SocketAddr) -> Self {
        Self::plain(&address.ip().to_string(), address.port())
    }
}

impl Roots {
    fn read(&self) -> Result<RootCertStore, LinkError> {
        match self {
            Self::Public => Ok(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect()),
            Self::File(path) => {
                let bad = |reason: String| LinkError::Roots { path: path.clone(), reason };
                let mut roots = RootCertStore::empty();
                for certificate in CertificateDer::pem_file_iter(path).map_err(|error| bad(error.to_string()))? {
                    let certificate = certificate.map_err(|error| bad(error.to_string()))?;
                    roots.add(certificate).map_err(|error| bad(error.to_string()))?;
                }
                if roots.is_empty() {
                    return Err(bad("there are none in it".to_owned()));
                }
                Ok(roots)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use rcgen::CertifiedKey;
    use tempfile::TempDir;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    use super::*;

    /// A listener that speaks TLS as `localhost`, and the file of its certificate.
    async fn cloud() -> (u16, TempDir, PathBuf) {
        let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::from_pem_slice(signing_key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let _ = stream.read(&mut [0]).await;
                }
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cloud.pem");
        fs::write(&file, cert.pem()).unwrap();
        (port, folder, file)
    }

    #[tokio::test]
    async fn only_trusted_certificates_for_the_host_are_accepted() {
        let (port, _folder, file) = cloud().await;
        let known = Roots::File(file);
        for (host, roots, believed) in
            [("localhost", &known, true), ("localhost", &Roots::Public, false), ("127.0.0.1", &known, false)]
        {
            let dialled = Link::tls(host, port, roots).unwrap().dial().await;
            assert_eq!(dialled.is_ok(), believed, "{host} {roots:?}");
        }
    }

    #[test]
    fn invalid_certificate_file_is_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let files = [
            write("empty.pem", ""),
            write("text.pem", "a certificate, believe me"),
            write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            Path::new("/nowhere/ca.pem").to_owned(),
        ];
        for file in files {
            let error = Link::tls("localhost", 8883, &Roots::File(file.clone())).err().unwrap().to_string();
            assert!(error.starts_with(&format!("cannot read certificates from {}: ", file.display())), "{error}");
        }
        assert!(matches!(Link::tls("not a name", 8883, &Roots::Public), Err(LinkError::Host(_))));
    }
}
