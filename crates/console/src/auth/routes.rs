//! `/api/session`: sign-in, the current session, and sign-out.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;

use super::dto::{Session, SignIn};
use crate::audit::{self, Change, Operation, RefusedSignIn, Target};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::request::JsonBody;
use crate::session::{ClientOrigin, SessionUse};
use crate::users;

/// Signs in and sets the session cookie.
///
/// A previous session of the browser ends.
#[utoipa::path(
    post, path = "/api/session", tag = "session", request_body = SignIn,
    responses((status = 200, description = "Signed in", body = Session), ApiError)
)]
pub(super) async fn create_session(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    headers: HeaderMap,
    JsonBody(body): JsonBody<SignIn>,
) -> ApiResult<impl IntoResponse> {
    let (email, password) = body.checked()?;
    state.limiters.sign_in.check(peer.ip(), &email)?;
    let signed_in = state.sessions.sign_in(&email, &password, origin.clone()).await;
    if let Err(error @ (ApiError::SignInFailed | ApiError::AccountLocked)) = &signed_in {
        let is_locked = matches!(error, ApiError::AccountLocked);
        let account = users::id_of_address(&state.base.db, &email).await?;
        let refused = RefusedSignIn { account, address: peer.ip(), is_locked };
        audit::record_refused_sign_in(&state.base, &origin, &refused).await;
    }
    let (id, session) = signed_in?;
    if let Some(earlier) = state.cookie.read(&headers) {
        state.sessions.sign_out(&earlier.hash()).await?;
    }
    audit::record_sign_in(&state.base, &session).await?;
    let answer = Session::of(&state, &session).await?;
    Ok((state.cookie.issue(&id, state.sessions.max_remaining_lifetime(&session)), Json(answer)))
}

/// Returns the session, or null if signed out.
#[utoipa::path(
    get, path = "/api/session", tag = "session",
    responses((status = 200, description = "The session, or null", body = Option<Session>), ApiError)
)]
pub(super) async fn get_session(
    State(state): State<CoreState>,
    session_use: SessionUse,
    headers: HeaderMap,
) -> ApiResult<Json<Option<Session>>> {
    let known = match state.cookie.read(&headers) {
        Some(id) => state.sessions.find_for(&id, &session_use).await?,
        None => None,
    };
    let session = match known {
        Some(session) => state.sessions.with_latest_known_access(session).await?,
        None => None,
    };
    Ok(Json(match session {
        Some(session) => Some(Session::of(&state, &session).await?),
        None => None,
    }))
}

/// Signs out of the console and the device cloud. It is no error to be signed out already.
#[utoipa::path(
    delete, path = "/api/session", tag = "session",
    responses((status = 204, description = "Signed out"), ApiError)
)]
pub(super) async fn delete_session(State(state): State<CoreState>, headers: HeaderMap) -> ApiResult<impl IntoResponse> {
    let known = match state.cookie.read(&headers) {
        Some(id) => state.sessions.find(&id).await?,
        None => None,
    };
    if let Some(session) = known {
        let target = Target::user(session.user.id, session.csp.as_deref());
        let change = Change { operation: Operation::DeleteSession, target, fields: Vec::new() };
        let entry = audit::begin_for_session(&state.base, &session, &change).await?;
        let ended = state.sessions.sign_out(&session.hash).await;
        entry.end(&ended).await;
        ended?;
    }
    Ok((StatusCode::NO_CONTENT, state.cookie.clear()))
}
