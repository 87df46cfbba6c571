//! Codes as people type them.

use super::recovery_codes;

/// The error of a text that is no code.
pub(crate) const INVALID_CODE: &str = "Must be the six digits of your app, or a recovery code";
/// Longer than any code with spaces between its characters.
const MAX_LENGTH: usize = 64;
/// Number of digits of an app's code.
const TOTP_DIGITS: usize = 6;

/// A code in a valid format.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Code {
    /// The six digits of an authenticator app.
    Totp(String),
    /// The hash of a recovery code.
    Recovery(String),
}

impl Code {
    /// Reads what a person typed, with or without spaces and hyphens. `None` if it cannot be a code.
    pub(crate) fn read(typed: &str) -> Option<Self> {
        if typed.len() > MAX_LENGTH {
            return None;
        }
        let text: String = typed.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        if text.len() == TOTP_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::Totp(text));
        }
        recovery_codes::hash(&text).map(Self::Recovery)
    }
}
