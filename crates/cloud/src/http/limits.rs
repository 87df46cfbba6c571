//! Requests beyond a rate limit are answered with 429 and Retry-After.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use jiff::SignedDuration;
use platform::rate_limit::LimitReached;

use super::error::Error;
use crate::app::App;

/// An extractor for requests that need no session: they are limited by address.
pub(super) struct LimitedByAddress;

impl FromRequestParts<App> for LimitedByAddress {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        check_address(app, parts).map(|()| Self)
    }
}

/// Counts a request without a valid session.
///
/// # Errors
/// 429.
pub(super) fn check_address(app: &App, parts: &Parts) -> Result<(), Error> {
    match parts.extensions.get::<ConnectInfo<SocketAddr>>() {
        Some(ConnectInfo(peer)) => Ok(app.limits.address(peer.ip())?),
        None => Ok(()),
    }
}

impl From<LimitReached> for Error {
    fn from(LimitReached { wait }: LimitReached) -> Self {
        // Rounded up: the header has whole seconds.
        let wait = wait.max(Duration::from_millis(1));
        let retry_after = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        Self::TooManyRequests { text: "Too many requests; try again later", retry_after }
    }
}
