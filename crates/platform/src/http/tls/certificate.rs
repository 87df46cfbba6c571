//! The certificate of a listener: loaded at start, and again when its files change.

use std::io;
use std::time::Duration;

use jiff::Timestamp;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::pem::Pem;
use super::reporter::Reporter;
use super::{CertificateFiles, Protocols, TlsError, Validity};
use crate::run::clock::Clock;

/// Interval between checks of the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// A certificate that is reloaded when its files change.
pub struct Certificate {
    files: CertificateFiles,
    protocols: Protocols,
    pem: Pem,
    validity: Validity,
    current: watch::Sender<TlsAcceptor>,
}

/// Accepts TLS 1.2 and 1.3 with the current certificate.
#[derive(Clone)]
pub struct Acceptor(watch::Receiver<TlsAcceptor>);

impl Certificate {
    /// Loads the files. A certificate that is not valid now is loaded too: a node that does not start would be worse.
    ///
    /// # Errors
    /// [`TlsError`].
    pub async fn load(files: &CertificateFiles, protocols: Protocols) -> Result<Self, TlsError> {
        let pem = Pem::read(files).await?;
        let (acceptor, validity) = pem.load(files, protocols)?;
        Ok(Self { files: files.clone(), protocols, pem, validity, current: watch::Sender::new(acceptor) })
    }

    /// The acceptor for new connections.
    #[must_use]
    pub fn acceptor(&self) -> Acceptor {
        Acceptor(self.current.subscribe())
    }

    /// Reloads changed files until cancelled, and reports files that cannot be used and a certificate that ends soon. Unusable files,
    /// and a certificate that is not valid now, leave the certificate unchanged. `listener` names the listener in log and metrics.
    pub async fn follow(mut self, listener: &'static str, clock: Clock) {
        let mut reporter = Reporter::default();
        loop {
            let now = clock.now();
            let checked = self.reload_if_changed(now).await;
            let end = self.validity.end;
            metrics::gauge!("sillage_certificate_end_timestamp_seconds", "listener" => listener)
                .set(end.as_second() as f64);
            if checked.as_ref().is_ok_and(|is_renewed| *is_renewed) {
                tracing::info!(listener, %end, "the certificate was renewed");
            }
            if let Some(error) = reporter.fault(checked.as_ref().err(), now) {
                tracing::error!(
                    listener,
                    error,
                    kept.end = %end,
                    "the certificate in the files cannot be used: the listener keeps its old certificate"
                );
            }
            if reporter.ends_soon(end, now) {
                tracing::warn!(listener, %end, "the certificate expires soon and was not renewed");
            }
            sleep(CHECK_INTERVAL).await;
        }
    }

    /// Returns whether there was a new certificate.
    async fn reload_if_changed(&mut self, now: Timestamp) -> Result<bool, TlsError> {
        let pem = Pem::read(&self.files).await?;
        if pem == self.pem {
            return self.validity.check(&self.files, now).map(|()| false);
        }
        let (acceptor, validity) = pem.load(&self.files, self.protocols)?;
        validity.check(&self.files, now)?;
        self.current.send_replace(acceptor);
        (self.pem, self.validity) = (pem, validity);
        Ok(true)
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
