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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_hyphens_and_case_of_a_code_do_not_matter() {
        assert!(matches!(Code::read(" 123 456 "), Some(Code::Totp(digits)) if digits == "123456"));
        let recovery = Code::read("0123-4567-89ab-cdef-ghjk-mnpq");
        assert!(matches!(recovery, Some(Code::Recovery(_))));
        let alike = ["o123", "0I23", "0l23"].map(|start| format!("{start}-4567-89ab-cdef-ghjk-mnpq"));
        let spaced = ["0123456789abcdefghjkmnpq", " 0123 4567 89AB CDEF GHJK MNPQ"].map(str::to_owned);
        for same in spaced.into_iter().chain(alike) {
            assert!(Code::read(&same) == recovery, "{same}");
        }
    }

    #[test]
    fn text_that_is_no_code_is_not_read() {
        let long = "1".repeat(1_000_000);
        for typed in ["", "12345", "1234567", "12345a", "１２３４５６", "0123-4567-89ab-cdef", &"u".repeat(24), &long]
        {
            assert!(Code::read(typed).is_none(), "{typed:.20}");
        }
    }
}
