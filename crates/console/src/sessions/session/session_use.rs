//! Whether a request counts as use of its session.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;

use super::ClientOrigin;

/// An idle page sets this header on requests that no person caused.
const BACKGROUND: &str = "sillage-background";
/// Browsers reopen the event stream by themselves and cannot set a header on it.
const EVENTS: &str = "/api/events";

/// Whether a person made the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionUse {
    /// A person, from this origin; the request extends the session.
    Person(ClientOrigin),
    /// The page, without a person.
    Background,
}

impl<S: Send + Sync> FromRequestParts<S> for SessionUse {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let is_stream = parts.extensions.get::<MatchedPath>().is_some_and(|path| path.as_str() == EVENTS);
        if is_stream || parts.headers.contains_key(BACKGROUND) {
            return Ok(Self::Background);
        }
        ClientOrigin::from_request_parts(parts, state).await.map(Self::Person)
    }
}
