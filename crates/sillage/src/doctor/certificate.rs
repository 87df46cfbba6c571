//! Checks the certificate of a listener.

use jiff::Timestamp;
use platform::http::tls::{CertificateFiles, RENEWED_BEFORE, TlsError};

use super::Fault;

const RENEW: &str = "Renew it; nodes reload it";

/// Checks that the key belongs to the certificate, and the dates of the whole chain. The options name the two files.
pub(super) async fn check(
    files: &CertificateFiles,
    [certificate_option, key_option]: [&str; 2],
    now: Timestamp,
) -> Result<String, Fault> {
    let fault = |error: TlsError| {
        let advice = match &error {
            TlsError::Mismatch { .. } => format!("Renew {certificate_option} and {key_option} together"),
            TlsError::NotYetValid { .. } => "Check the clock of this machine".to_owned(),
            TlsError::Expired { .. } => RENEW.to_owned(),
            _ => format!("Check {certificate_option} and {key_option}"),
        };
        Fault::new(error, advice)
    };
    let validity = files.load().await.map_err(fault)?;
    validity.check(files, now).map_err(fault)?;
    let end = validity.end;
    if end.duration_since(now) < RENEWED_BEFORE {
        return Err(Fault::new(format!("the certificate in {} expires at {end}", files.certificate.display()), RENEW));
    }
    Ok(format!("valid until {end}"))
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
