//! Requests beyond a rate limit are answered with 429 and Retry-After.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use jiff::SignedDuration;
use platform::rate_limit::LimitReached;

use super::error::Error;
use crate::app::App;
use crate::domain::principal::Principal;
use crate::request_limits::RequestSlot;

/// The slot of a request, kept by [`hold_slot`] until the request is handled.
#[derive(Clone, Default)]
struct HeldSlot(Arc<Mutex<Option<RequestSlot>>>);

/// Middleware that keeps the slot that an extractor takes.
pub(super) async fn hold_slot(mut request: Request, next: Next) -> Response {
    let held = HeldSlot::default();
    request.extensions_mut().insert(held.clone());
    let response = next.run(request).await;
    drop(held);
    response
}

/// An extractor for requests that need no session: they are limited by address.
pub(super) struct LimitedByAddress;

impl FromRequestParts<App> for LimitedByAddress {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        if let Some(address) = address(parts) {
            keep(parts, app.limits.enter_address(address).await?);
        }
        Ok(Self)
    }
}

/// Waits for the turn of a request of a signed-in user, and counts it unless `is_counted`.
///
/// # Errors
/// 429.
pub(super) async fn enter(
    app: &App,
    user: &Principal,
    token: &str,
    is_counted: bool,
    parts: &Parts,
) -> Result<(), Error> {
    keep(parts, Some(app.limits.enter_user(user, token, is_counted).await?));
    Ok(())
}

/// Counts a request without a valid session.
///
/// # Errors
/// 429.
pub(super) fn count_address(app: &App, parts: &Parts) -> Result<(), Error> {
    address(parts).map_or(Ok(()), |address| Ok(app.limits.count_address(address)?))
}

fn keep(parts: &Parts, slot: Option<RequestSlot>) {
    if let Some(HeldSlot(held)) = parts.extensions.get() {
        *held.lock().expect("no holder of this lock can panic") = slot;
    }
}

fn address(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get().map(|ConnectInfo::<SocketAddr>(peer)| peer.ip())
}

impl From<LimitReached> for Error {
    fn from(LimitReached { wait }: LimitReached) -> Self {
        // Rounded up: the header has whole seconds.
        let wait = wait.max(Duration::from_millis(1));
        let retry_after = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        Self::TooManyRequests { text: "Too many requests; try again later", retry_after }
    }
}
