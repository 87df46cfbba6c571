//! Time-based one-time passwords (RFC 6238) in the form that all authenticator apps know: SHA-1, six digits, 30 seconds.

use jiff::Timestamp;
use totp_rs::{Algorithm, Builder, Secret, TotpError};

/// 160 bits, as RFC 4226 recommends.
pub(super) const SECRET_BYTES: usize = 20;
/// Steps before and after the present one whose codes are accepted, because clocks differ.
const SKEW: u16 = 1;
/// Apps show this name.
const ISSUER: &str = "Sillage";

/// The generator of a person's codes.
pub(super) struct Totp(totp_rs::Totp);

impl Totp {
    /// `account` is shown in the app.
    ///
    /// # Errors
    /// If the secret is too short.
    pub(super) fn new(secret: &[u8], account: &str) -> Result<Self, TotpError> {
        let builder = Builder::new().with_algorithm(Algorithm::SHA1).with_skew(SKEW).with_issuer(Some(ISSUER));
        // A colon separates issuer and account.
        let account = account.replace(':', "");
        builder.with_secret(Secret::from(secret.to_vec())).with_account_name(account).build().map(Self)
    }

    /// The time step of this code; `None` if it is not accepted at `now`.
    pub(super) fn step_of(&self, code: &str, now: Timestamp) -> Option<i64> {
        let step = self.0.check(code, u64::try_from(now.as_second()).ok()?)?;
        i64::try_from(step).ok()
    }

    /// The address for apps: `otpauth://…`.
    ///
    /// # Errors
    /// If the account has no name.
    pub(super) fn address(&self) -> Result<String, TotpError> {
        self.0.to_url()
    }
}

/// The secret in base 32, to type into an app.
pub(super) fn written(secret: &[u8]) -> String {
    Secret::from(secret.to_vec()).to_base32()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last six digits of the test vectors of RFC 6238.
    #[test]
    fn codes_are_those_of_the_standard_with_one_step_of_tolerance() {
        let totp = Totp::new(b"12345678901234567890", "tess@example.com").unwrap();
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        for (second, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            let step = second / 30;
            for (seconds_later, expected) in
                [(-60, None), (-30, Some(step)), (0, Some(step)), (30, Some(step)), (60, None)]
            {
                assert_eq!(totp.step_of(code, at(second + seconds_later)), expected, "{code} {seconds_later} s later");
            }
        }
        assert_eq!(written(b"12345678901234567890"), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    }
}
