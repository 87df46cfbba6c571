//! Connects to a cloud over TCP or TLS.

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

/// The address of a cloud's device link. Cheap to clone.
#[derive(Clone)]
pub struct Link {
    host: Arc<str>,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

/// The trusted certificate authorities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// Those that browsers trust (webpki-roots).
    Public,
    /// Only the certificates in this PEM file.
    File(PathBuf),
}

/// Why a [`Link`] cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("{0:?} is not a valid host name for a certificate")]
    Host(String),
    #[error("cannot read certificates from {}: {reason}", path.display())]
    Roots { path: PathBuf, reason: String },
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// A connection. TLS streams are boxed because they are large and most fleets use none.
pub(crate) type Stream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

impl Link {
    /// MQTT over TCP.
    pub fn plain(host: &str, port: u16) -> Self {
        Self { host: host.into(), port, tls: None }
    }

    /// MQTT over TLS 1.2 or 1.3. The certificate must be valid for `host`.
    ///
    /// # Errors
    /// Fails if `host` is neither a DNS name nor an address, or if `roots` contain no readable certificate.
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
                let invalid = |reason: String| LinkError::Roots { path: path.clone(), reason };
                let mut roots = RootCertStore::empty();
                for certificate in CertificateDer::pem_file_iter(path).map_err(|error| invalid(error.to_string()))? {
                    let certificate = certificate.map_err(|error| invalid(error.to_string()))?;
                    roots.add(certificate).map_err(|error| invalid(error.to_string()))?;
                }
                if roots.is_empty() {
                    return Err(invalid("it contains none".to_owned()));
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

    /// Starts a TLS listener for `localhost` and returns its port and certificate file.
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
        for (host, roots, accepted) in
            [("localhost", &known, true), ("localhost", &Roots::Public, false), ("127.0.0.1", &known, false)]
        {
            let dialled = Link::tls(host, port, roots).unwrap().dial().await;
            assert_eq!(dialled.is_ok(), accepted, "{host} {roots:?}");
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
            write("text.pem", "not a certificate"),
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
