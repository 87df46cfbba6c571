//! The actor of a request. There is no other way to one.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::session::Whence;
use crate::state::AppState;

impl FromRequestParts<AppState> for Actor {
    type Rejection = ApiError;

    /// # Errors
    /// 401 without a session; 502 or 504 when the role is too old and the cloud cannot be asked.
    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let id = state.cookie.read(&parts.headers).ok_or(ApiError::NotSignedIn)?;
        let Ok(whence) = Whence::from_request_parts(parts, state).await;
        let session = state.sessions.find_and_touch(&id, &whence).await?.ok_or(ApiError::NotSignedIn)?;
        Ok(state.sessions.with_fresh_access(session).await?.actor())
    }
}
