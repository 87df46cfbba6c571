//! The parameters of a path.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

use super::error::Error;
use crate::store::devices::DeviceRef;

/// [`axum::extract::Path`] that fails with our error format.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Error))]
pub(super) struct Path<T>(pub(super) T);

/// A key or id of a path.
///
/// # Errors
/// `not_found` if the text is not a number.
pub(super) fn key(text: &str, not_found: Error) -> Result<i64, Error> {
    text.parse().map_err(|_| not_found)
}

/// The device that a path names, by `{key}` or by `{dsn}`.
pub(super) enum OfDevice {
    Key(i64),
    Dsn(String),
}

impl OfDevice {
    pub(super) fn reference(&self) -> DeviceRef<'_> {
        match self {
            Self::Key(key) => DeviceRef::Key(*key),
            Self::Dsn(dsn) => DeviceRef::Dsn(dsn),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for OfDevice {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Error::MALFORMED)?;
        let named = |name| params.iter().find_map(|(known, value)| (known == name).then_some(value));
        match (named("dsn"), named("key")) {
            (Some(dsn), _) => Ok(Self::Dsn(dsn.to_owned())),
            (None, Some(text)) => Ok(Self::Key(key(text, Error::DEVICE_NOT_FOUND)?)),
            (None, None) => Err(Error::DEVICE_NOT_FOUND),
        }
    }
}
