//! `/api/account/email/cancel`: cancels a change of an account's e-mail address.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use devicecloud::SecretText;
use serde::Deserialize;
use utoipa::ToSchema;

use super::mail_token;
use super::refusal::refused;
use crate::audit::Operation;
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult, FieldErrors};
use crate::request::JsonBody;
use crate::session::ClientOrigin;

/// Cancels a change of an e-mail address.
#[derive(Deserialize, ToSchema)]
pub(crate) struct EmailChangeCancellation {
    /// The token from the mail to the old address.
    #[schema(value_type = String)]
    token: SecretText,
}

/// Restores the old e-mail address of an account and ends all its sessions.
///
/// An invalid token is reported as `cancellation_token`, an old address that another account uses as `email`.
#[utoipa::path(
    post, path = "/api/account/email/cancel", tag = "account", request_body = EmailChangeCancellation,
    responses((status = 204, description = "The change is cancelled"), ApiError)
)]
pub(super) async fn cancel_email_change(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    JsonBody(EmailChangeCancellation { token }): JsonBody<EmailChangeCancellation>,
) -> ApiResult<StatusCode> {
    if let Some(complaint) = mail_token::complaint(&token) {
        return Err(ApiError::invalid("cancellation_token", complaint));
    }
    state.limiters.tokens.check(peer.ip(), token.expose())?;
    let cancelled = state.sessions.anonymous_client().users().cancel_email_change(&token).await;
    let user = cancelled.map_err(|error| refused(error, |_| FieldErrors::new()))?;
    mail_token::settle(&state, &origin, Operation::CancelEmailChange, user).await?;
    Ok(StatusCode::NO_CONTENT)
}
