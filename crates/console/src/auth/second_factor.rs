//! `/api/session/second-factor`: the second step of a sign-in.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::dto::Session;
use super::welcome::welcome;
use crate::audit::{self, RefusedSignIn, SignInRefusal};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::request::JsonBody;
use crate::second_factor::{Code, INVALID_CODE};
use crate::session::{AuthenticatedUser, ClientOrigin, PendingSignIn};

/// A sign-in whose password was right and whose second factor is awaited.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AwaitedFactor {
    /// When the sign-in ends without a right code.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
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
    responses((status = 200, description = "Signed in", body = Session), ApiError)
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
    if let Err(ApiError::Invalid(_)) = &checked {
        let refused = RefusedSignIn { account: Some(user), address: peer.ip(), reason: SignInRefusal::WrongCode };
        audit::record_refused_sign_in(&state.base, &origin, &refused).await;
    }
    let factor = match checked {
        // It was removed meanwhile. The password alone is enough from now on, but not for this sign-in.
        Err(ApiError::Conflict(_)) => {
            state.sessions.cancel_pending(&id).await?;
            return Err(ApiError::PendingSignInEnded);
        }
        checked => checked?,
    };
    let signed_in = state.sessions.complete(&id, origin).await?;
    let answer = welcome(&state, &headers, signed_in, Some(factor)).await?;
    Ok((state.cookie.of_pending_sign_in().clear(), answer).into_response())
}

/// Keeps a sign-in until its code arrives, and returns its cookie.
pub(super) async fn hold(state: &CoreState, authenticated: &AuthenticatedUser) -> ApiResult<Response> {
    let pending = state.sessions.hold(authenticated).await?;
    let cookie = state.cookie.of_pending_sign_in().issue(&pending.id, PendingSignIn::LIFETIME);
    Ok((StatusCode::ACCEPTED, cookie, Json(AwaitedFactor { expires_at: pending.expires_at })).into_response())
}

/// Ends the browser's earlier sign-in that awaits a code, if there is one.
pub(super) async fn cancel_earlier(state: &CoreState, headers: &HeaderMap) -> ApiResult<()> {
    match state.cookie.of_pending_sign_in().read(headers) {
        Some(id) => state.sessions.cancel_pending(&id).await,
        None => Ok(()),
    }
}
