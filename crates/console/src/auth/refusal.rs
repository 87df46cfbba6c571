//! Errors of the cloud for forms without a session.

use crate::http::error::{ApiError, FieldErrors};

/// Validation errors by field. `unnamed` converts a refusal without fields; temporary errors are unchanged. Never 401,
/// because there is no session that could have ended.
pub(super) fn refused(error: devicecloud::Error, unnamed: impl FnOnce(String) -> FieldErrors) -> ApiError {
    match error.status() {
        Some(status @ 400..=499) if !matches!(status, 408 | 429) => {
            let named: FieldErrors = error.fields().iter().cloned().collect();
            ApiError::Invalid(if named.is_empty() { unnamed(error.message().to_owned()) } else { named })
        }
        _ => error.into(),
    }
}
