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
