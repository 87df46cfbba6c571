//! `/api/account/confirm`: confirms an account's e-mail address.

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

/// The confirmation of an account.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Confirmation {
    /// The token from the mail.
    #[schema(value_type = String)]
    token: SecretText,
}

/// Confirms an account, or a new e-mail address of an account, with the token of the mail.
///
/// An invalid token is reported as `confirmation_token`, an address that another account uses as `email`.
#[utoipa::path(
    post, path = "/api/account/confirm", tag = "account", request_body = Confirmation,
    responses((status = 204, description = "The account is confirmed"), ApiError)
)]
pub(super) async fn confirm_account(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    JsonBody(Confirmation { token }): JsonBody<Confirmation>,
) -> ApiResult<StatusCode> {
    if let Some(complaint) = mail_token::complaint(&token) {
        return Err(ApiError::invalid("confirmation_token", complaint));
    }
    state.limiters.tokens.check(peer.ip(), token.expose())?;
    let confirmed = state.sessions.anonymous_client().users().confirm(&token).await;
    let user = confirmed.map_err(|error| refused(error, |_| FieldErrors::new()))?;
    // The confirmation of a changed address ends the sessions of its account.
    mail_token::settle(&state, &origin, Operation::ConfirmAccount, user).await?;
    Ok(StatusCode::NO_CONTENT)
}
