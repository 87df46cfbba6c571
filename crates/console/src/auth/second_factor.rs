//! `/api/session/second-factor`: the second step of a sign-in.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::dto::SessionView;
use super::welcome::welcome;
use crate::audit::{self, RefusedSignIn, SignInRefusal};
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::JsonBody;
use crate::sessions::second_factor::{Code, FactorKind, INVALID_CODE};
use crate::sessions::session::{AuthenticatedUser, ClientOrigin, PendingSignIn, SessionId};
use crate::state::CoreState;

/// A sign-in whose password was right and whose second factor is awaited.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AwaitedFactor {
    /// When the sign-in ends without a second factor.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// What is accepted, the preferred kind first.
    kinds: Vec<FactorKind>,
}

/// The options for `navigator.credentials.get`.
#[derive(Serialize, ToSchema)]
pub(crate) struct PasskeyRequest {
    /// In the form that `PublicKeyCredential.parseRequestOptionsFromJSON` reads.
    #[schema(value_type = Object)]
    pub(crate) options: Value,
}

/// The browser's answer.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyAnswer {
    /// The result of `PublicKeyCredential.toJSON`.
    #[schema(value_type = Object)]
    credential: Value,
}

/// The code of a second factor.
#[derive(Deserialize, ToSchema)]
pub(crate) struct FactorCode {
    /// The six digits of the authenticator app, or a recovery code. Spaces and hyphens are ignored.
    code: String,
}

/// Completes a sign-in with a code of the second factor, and sets the session cookie.
///
/// Each code is accepted once. After five codes the sign-in ends with the code `sign_in_ended`.
#[utoipa::path(
    post, path = "/api/session/second-factor", tag = "session", request_body = FactorCode,
    responses((status = 200, description = "Signed in", body = SessionView), ApiError)
)]
pub(super) async fn check_second_factor(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    headers: HeaderMap,
    JsonBody(FactorCode { code }): JsonBody<FactorCode>,
) -> ApiResult<Response> {
    let id = state.cookie.of_pending_sign_in().read(&headers).ok_or(ApiError::PendingSignInEnded)?;
    let code = Code::read(&code).ok_or_else(|| ApiError::invalid("code", INVALID_CODE))?;
    state.limiters.tokens.check(peer.ip(), id.hash().as_str())?;
    let user = state.sessions.count_factor_attempt(&id).await?;
    let checked = state.second_factors.check(user, &code).await;
    let factor = match checked {
        // It was removed meanwhile. The password alone is enough from now on, but not for this sign-in.
        Err(ApiError::Conflict(_)) => {
            state.sessions.cancel_pending(&id).await?;
            return Err(ApiError::PendingSignInEnded);
        }
        checked => checked,
    };
    complete(&state, &headers, id, user, peer, origin, factor).await
}

/// Begins to ask for a passkey. The sign-in is completed by `PUT`.
#[utoipa::path(
    post, path = "/api/session/second-factor/passkey", tag = "session",
    responses((status = 200, description = "The options for the browser", body = PasskeyRequest), ApiError)
)]
pub(super) async fn begin_passkey_check(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> ApiResult<Json<PasskeyRequest>> {
    let id = state.cookie.of_pending_sign_in().read(&headers).ok_or(ApiError::PendingSignInEnded)?;
    state.limiters.tokens.check(peer.ip(), id.hash().as_str())?;
    let user = state.sessions.user_of_pending(&id).await?;
    let options = state.second_factors.begin_passkey_check(user, id.hash().as_str()).await?;
    Ok(Json(PasskeyRequest { options }))
}

/// Completes a sign-in with a passkey, and sets the session cookie.
///
/// Each answer is accepted once. It counts as a code: after five attempts the sign-in ends with the code `sign_in_ended`.
#[utoipa::path(
    put, path = "/api/session/second-factor/passkey", tag = "session", request_body = PasskeyAnswer,
    responses((status = 200, description = "Signed in", body = SessionView), ApiError)
)]
pub(super) async fn check_passkey(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    headers: HeaderMap,
    JsonBody(PasskeyAnswer { credential }): JsonBody<PasskeyAnswer>,
) -> ApiResult<Response> {
    let id = state.cookie.of_pending_sign_in().read(&headers).ok_or(ApiError::PendingSignInEnded)?;
    state.limiters.tokens.check(peer.ip(), id.hash().as_str())?;
    let user = state.sessions.count_factor_attempt(&id).await?;
    let checked = state.second_factors.check_passkey(user, id.hash().as_str(), &credential).await;
    complete(&state, &headers, id, user, peer, origin, checked).await
}

/// Creates the session of a pending sign-in whose second factor was accepted, or records that it was not.
async fn complete(
    state: &CoreState,
    headers: &HeaderMap,
    id: SessionId,
    user: Uuid,
    peer: SocketAddr,
    origin: ClientOrigin,
    checked: ApiResult<FactorKind>,
) -> ApiResult<Response> {
    if let Err(ApiError::Invalid(_)) = &checked {
        let refused = RefusedSignIn { account: Some(user), address: peer.ip(), reason: SignInRefusal::WrongFactor };
        audit::record_refused_sign_in(&state.base, &origin, &refused).await;
    }
    let factor = checked?;
    let signed_in = state.sessions.complete(&id, origin).await?;
    let answer = welcome(state, headers, signed_in, Some(factor)).await?;
    Ok((state.cookie.of_pending_sign_in().clear(), answer).into_response())
}

/// Keeps a sign-in until its second factor arrives, and returns its cookie.
pub(super) async fn hold(state: &CoreState, authenticated: &AuthenticatedUser) -> ApiResult<Response> {
    let kinds = state.second_factors.kinds(authenticated.user.id).await?;
    let pending = state.sessions.hold(authenticated).await?;
    let cookie = state.cookie.of_pending_sign_in().issue(&pending.id, PendingSignIn::LIFETIME);
    Ok((StatusCode::ACCEPTED, cookie, Json(AwaitedFactor { expires_at: pending.expires_at, kinds })).into_response())
}

/// Ends the browser's earlier sign-in that awaits a second factor, if there is one.
pub(super) async fn cancel_earlier(state: &CoreState, headers: &HeaderMap) -> ApiResult<()> {
    match state.cookie.of_pending_sign_in().read(headers) {
        Some(id) => state.sessions.cancel_pending(&id).await,
        None => Ok(()),
    }
}
