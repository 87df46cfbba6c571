//! The parameters of a path.

use axum::extract::FromRequestParts;

use super::error::Error;

/// [`axum::extract::Path`] that fails in our form.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Error))]
pub(super) struct Path<T>(pub(super) T);

/// A key or id of a path; `not_found` for a text that can be none.
///
/// # Errors
/// `not_found`.
pub(super) fn key(text: &str, not_found: Error) -> Result<i64, Error> {
    text.parse().map_err(|_| not_found)
}
