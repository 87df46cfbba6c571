//! When a certificate is valid.

use jiff::Timestamp;
use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_parser::parse_x509_certificate;
use x509_parser::time::ASN1Time;

use super::{CertificateFiles, TlsError};

/// When all certificates of a chain are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first second.
    pub begin: Timestamp,
    /// The last second.
    pub end: Timestamp,
}

impl Validity {
    /// `None` if a certificate has no readable dates.
    pub(super) fn of(chain: &[CertificateDer<'_>]) -> Option<Self> {
        let time = |time: ASN1Time| Timestamp::from_second(time.timestamp()).ok();
        chain.iter().try_fold(Self { begin: Timestamp::MIN, end: Timestamp::MAX }, |all, certificate| {
            let (_, certificate) = parse_x509_certificate(certificate).ok()?;
            let own = certificate.validity();
            Some(Self { begin: all.begin.max(time(own.not_before)?), end: all.end.min(time(own.not_after)?) })
        })
    }

    /// Checks that the certificate in these files is valid.
    ///
    /// # Errors
    /// [`TlsError::Expired`] or [`TlsError::NotYetValid`].
    pub fn check(self, files: &CertificateFiles, now: Timestamp) -> Result<(), TlsError> {
        let path = files.certificate.clone();
        if now < self.begin {
            Err(TlsError::NotYetValid { path, begin: self.begin })
        } else if self.end <= now {
            Err(TlsError::Expired { path, end: self.end })
        } else {
            Ok(())
        }
    }
}
