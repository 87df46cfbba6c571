//! Extracts the actor of a request. Handlers get an [`Actor`] in no other way.

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;

use super::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::session::SessionUse;

impl<S> FromRequestParts<S> for Actor
where
    S: Send + Sync,
    CoreState: FromRef<S>,
{
    type Rejection = ApiError;

    /// # Errors
    /// 401 without a session; 502 or 504 if the role must be read again and the cloud is unreachable.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let core = CoreState::from_ref(state);
        let id = core.cookie.read(&parts.headers).ok_or(ApiError::NotSignedIn)?;
        let Ok(session_use) = SessionUse::from_request_parts(parts, state).await;
        let session = core.sessions.find_for(&id, &session_use).await?.ok_or(ApiError::NotSignedIn)?;
        Ok(core.sessions.with_fresh_access(session).await?.actor())
    }
}
