//! Checks the certificate of a listener.

use jiff::{SignedDuration, Timestamp};
use platform::tls::{CertificateFiles, TlsError};
use x509_parser::parse_x509_certificate;

use super::Fault;

/// A certificate that is not renewed by then was forgotten.
const RENEWED_BEFORE: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Checks that the key belongs to the certificate, and the dates of the whole chain. The options name the two files.
pub(super) async fn check(
    files: &CertificateFiles,
    [certificate_option, key_option]: [&str; 2],
    now: Timestamp,
) -> Result<String, Fault> {
    let chain = files.load().await.map_err(|error| {
        let advice = match &error {
            TlsError::Mismatch { .. } => format!("Renew {certificate_option} and {key_option} together"),
            _ => format!("Check {certificate_option} and {key_option}"),
        };
        Fault::new(error, advice)
    })?;
    let mut last_day = Timestamp::MAX;
    for certificate in &chain {
        let (begin, end) = validity(certificate).ok_or_else(|| {
            Fault::new("the dates of the certificate are not readable", format!("Check {certificate_option}"))
        })?;
        if now < begin {
            return Err(Fault::new(
                format!("the certificate is valid from {begin} only"),
                "Check the clock of this machine",
            ));
        }
        last_day = last_day.min(end);
    }
    let file = files.certificate.display();
    if last_day <= now {
        return Err(Fault::new(
            format!("the certificate in {file} expired at {last_day}"),
            "Renew it; nodes reload it",
        ));
    }
    if last_day.duration_since(now) < RENEWED_BEFORE {
        return Err(Fault::new(
            format!("the certificate in {file} expires at {last_day}"),
            "Renew it; nodes reload it",
        ));
    }
    Ok(format!("valid until {last_day}"))
}

/// The first and the last time at which a certificate is valid.
fn validity(certificate: &[u8]) -> Option<(Timestamp, Timestamp)> {
    let (_, certificate) = parse_x509_certificate(certificate).ok()?;
    let time = |time: x509_parser::time::ASN1Time| Timestamp::from_second(time.timestamp()).ok();
    let validity = certificate.validity();
    Some((time(validity.not_before)?, time(validity.not_after)?))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    #[tokio::test]
    async fn certificate_must_be_renewed_two_weeks_before_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, content: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        };
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2026, 11, 1);
        params.not_after = date_time_ymd(2026, 12, 1);
        let files = CertificateFiles {
            certificate: file("cert.pem", params.self_signed(&key).unwrap().pem()),
            key: file("key.pem", key.serialize_pem()),
        };
        for (now, expected) in [
            ("2026-10-31T23:59:59Z", Some("is valid from 2026-11-01T00:00:00Z only")),
            ("2026-11-01T00:00:00Z", None),
            ("2026-11-17T00:00:00Z", None),
            ("2026-11-17T00:00:01Z", Some("expires at 2026-12-01")),
            ("2026-12-01T00:00:00Z", Some("expired at 2026-12-01")),
        ] {
            let fault =
                check(&files, ["--tls-cert", "--tls-key"], now.parse().unwrap()).await.err().map(|fault| fault.result);
            assert_eq!(fault.is_some(), expected.is_some(), "{now}: {fault:?}");
            assert!(fault.unwrap_or_default().contains(expected.unwrap_or_default()), "{now}");
        }
    }
}
