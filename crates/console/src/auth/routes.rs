//! `/api/session`: sign-in, the current session, and sign-out.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::dto::{SessionView, SignIn};
use super::second_factor::{self, AwaitedFactor};
use super::welcome::welcome;
use crate::audit::{self, AuditTarget, Change, Operation, RefusedSignIn, SignInRefusal};
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::JsonBody;
use crate::sessions::session::{ClientOrigin, SessionUse};
use crate::state::CoreState;
use crate::users;

/// Signs in and sets the session cookie.
///
/// A previous session of the browser ends. A user with a second factor is not signed in yet: the response is 202, its cookie
/// grants no access, and `POST /api/session/second-factor` completes the sign-in within five minutes.
#[utoipa::path(
    post, path = "/api/session", tag = "session", request_body = SignIn,
    responses(
        (status = 200, description = "Signed in", body = SessionView),
        (status = 202, description = "The second factor is awaited", body = AwaitedFactor),
        ApiError
    )
)]
pub(super) async fn create_session(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    headers: HeaderMap,
    JsonBody(body): JsonBody<SignIn>,
) -> ApiResult<Response> {
    let (email, password) = body.checked()?;
    state.limiters.sign_in.check(peer.ip(), &email)?;
    let authenticated = state.sessions.authenticate(&email, &password).await;
    let refusal = match &authenticated {
        Err(ApiError::SignInFailed) => Some(SignInRefusal::WrongPassword),
        Err(ApiError::AccountLocked) => Some(SignInRefusal::AccountLocked),
        Err(ApiError::AccountDisabled) => Some(SignInRefusal::AccountDisabled),
        _ => None,
    };
    if let Some(reason) = refusal {
        let account = users::id_of_address(&state.base.db, &email).await?;
        audit::record_refused_sign_in(&state.base, &origin, &RefusedSignIn { account, address: peer.ip(), reason })
            .await;
    }
    let authenticated = authenticated?;
    second_factor::cancel_earlier(&state, &headers).await?;
    if state.second_factors.is_set_up(authenticated.user.id).await? {
        return second_factor::hold(&state, &authenticated).await;
    }
    let signed_in = state.sessions.begin(authenticated, origin).await?;
    Ok(welcome(&state, &headers, signed_in, None).await?.into_response())
}

/// Returns the session, or null if signed out.
#[utoipa::path(
    get, path = "/api/session", tag = "session",
    responses((status = 200, description = "The session, or null", body = Option<SessionView>), ApiError)
)]
pub(super) async fn get_session(
    State(state): State<CoreState>,
    session_use: SessionUse,
    headers: HeaderMap,
) -> ApiResult<Json<Option<SessionView>>> {
    let known = match state.cookie.read(&headers) {
        Some(id) => state.sessions.find_for(&id, &session_use).await?,
        None => None,
    };
    let session = match known {
        Some(session) => state.sessions.with_latest_known_access(session).await?,
        None => None,
    };
    Ok(Json(match session {
        Some(session) => Some(SessionView::of(&state, &session).await?),
        None => None,
    }))
}

/// Signs out of the console and the device cloud, or ends a sign-in whose second factor is awaited. It is no error to be signed
/// out already.
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
        let target = AuditTarget::user(session.user.id, session.csp.as_deref());
        let change = Change { operation: Operation::DeleteSession, target, fields: Vec::new() };
        let entry = audit::begin_for_session(&state.base, &session, &change).await?;
        let ended = state.sessions.sign_out(&session.hash).await;
        entry.end(&ended).await;
        ended?;
    }
    second_factor::cancel_earlier(&state, &headers).await?;
    Ok((StatusCode::NO_CONTENT, state.cookie.of_pending_sign_in().clear(), state.cookie.clear()))
}
