//! `/api/jwt`: the calls that keep a session alive. The names are fixed by the specification; no JWT reaches the
//! browser.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use super::dto::{Ping, SessionView};
use crate::http::error::{ApiError, ApiResult};
use crate::sessions::session::SessionUse;
use crate::state::CoreState;

/// Renews the session: refreshes the cloud's token when it is due, reads the role again and extends the cookie.
#[utoipa::path(
    post, path = "/api/jwt/update", tag = "session",
    responses((status = 200, description = "Renewed", body = SessionView), ApiError)
)]
pub(super) async fn update_jwt(
    State(state): State<CoreState>,
    session_use: SessionUse,
    headers: HeaderMap,
) -> Response {
    match renew(&state, &headers, &session_use).await {
        Ok(renewed) => renewed.into_response(),
        Err(error) if error.is_signed_out() => (state.cookie.clear(), error).into_response(),
        Err(error) => error.into_response(),
    }
}

async fn renew(
    state: &CoreState,
    headers: &HeaderMap,
    session_use: &SessionUse,
) -> ApiResult<impl IntoResponse + use<>> {
    let id = state.cookie.read(headers).ok_or(ApiError::NotSignedIn)?;
    let session = state.sessions.find_for(&id, session_use).await?.ok_or(ApiError::NotSignedIn)?;
    let session = state.sessions.refresh_access(session).await?;
    let answer = SessionView::of(state, &session).await?;
    Ok((state.cookie.issue(&id, state.sessions.max_remaining_lifetime(&session)), Json(answer)))
}

/// Returns the remaining lifetime of the session, without extending it.
#[utoipa::path(
    get, path = "/api/jwt/ping", tag = "session",
    responses((status = 200, description = "Signed in", body = Ping), ApiError)
)]
pub(super) async fn ping_jwt(State(state): State<CoreState>, headers: HeaderMap) -> ApiResult<Json<Ping>> {
    let id = state.cookie.read(&headers).ok_or(ApiError::NotSignedIn)?;
    let session = state.sessions.find(&id).await?.ok_or(ApiError::NotSignedIn)?;
    let left = state.sessions.expires_at(&session).duration_since(state.base.clock.now());
    Ok(Json(Ping { expires_in: left.as_secs() }))
}
