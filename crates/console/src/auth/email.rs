//! The address that somebody types.

use crate::error::{ApiError, ApiResult};

/// Longest e-mail address (RFC 5321).
pub(super) const LONGEST: usize = 254;

/// The address, trimmed: one '@' with text on both sides, and no blanks.
///
/// # Errors
/// 422 for what is none.
pub(super) fn checked(text: &str) -> ApiResult<&str> {
    let email = text.trim();
    let refuse = |why| Err(ApiError::invalid("email", why));
    match email.split_once('@') {
        _ if email.is_empty() => refuse("Required"),
        _ if email.len() > LONGEST => refuse("Must be at most 254 characters"),
        Some((name, host)) if !name.is_empty() && !host.is_empty() && !host.contains('@') && !has_blanks(email) => {
            Ok(email)
        }
        _ => refuse("Must be an email address"),
    }
}

fn has_blanks(text: &str) -> bool {
    text.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_at_with_text_on_both_sides() {
        for text in ["jo@example.com", "  jo@example.com\n", "jo+x@büro.example", "a@b"] {
            assert_eq!(checked(text).ok(), Some(text.trim()), "{text:?}");
        }
        let long = format!("{}@example.com", "x".repeat(243));
        for text in ["", "  ", "jo", "@", "jo@", "@example.com", "a@b@c", "a b@c", "a@b\tc", "a@b\0", &long] {
            assert!(matches!(checked(text), Err(ApiError::Invalid(_))), "{text:?}");
        }
    }
}
