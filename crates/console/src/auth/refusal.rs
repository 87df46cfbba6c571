//! What the cloud holds against a form of somebody who is not signed in.

use crate::error::{ApiError, FieldErrors};

/// Its texts by field when it names fields; a refusal in other words becomes what `unnamed` makes of them. What may
/// go away by itself stays what it is. Never 401: nobody's session has ended.
pub(super) fn refused(error: devicecloud::Error, unnamed: impl FnOnce(String) -> FieldErrors) -> ApiError {
    match error.status() {
        Some(400..=499) if !error.is_retryable() => {
            let named: FieldErrors = error.fields().iter().cloned().collect();
            ApiError::Invalid(if named.is_empty() { unnamed(error.message().to_owned()) } else { named })
        }
        _ => error.into(),
    }
}
