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
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::http::request::JsonBody;
use crate::sessions::session::ClientOrigin;
use crate::state::CoreState;

const FIELD: &str = "confirmation_token";
/// How the cloud reports a token that has confirmed its account.
const USED: &str = "was already confirmed";

/// The confirmation of an account.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Confirmation {
    /// The token from the mail.
    #[schema(value_type = String)]
    token: SecretText,
}

/// Confirms an account with the token of the mail.
///
/// An invalid token is reported as `confirmation_token`; the token of an account that it has confirmed before is a conflict.
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
        return Err(ApiError::invalid(FIELD, complaint));
    }
    state.limiters.tokens.check(peer.ip(), token.expose())?;
    let confirmed = state.sessions.anonymous_client().users().confirm(&token).await;
    let user = confirmed.map_err(token_refused)?;
    mail_token::settle(&state, &origin, Operation::ConfirmAccount, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn token_refused(error: devicecloud::Error) -> ApiError {
    let is_used =
        error.fields().iter().any(|(field, texts)| field == FIELD && texts.iter().any(|text| text.starts_with(USED)));
    if is_used {
        return ApiError::Conflict("Your account is confirmed already.".to_owned());
    }
    match refused(error, |_| FieldErrors::new()) {
        // The token of a new address, which its owner confirms.
        ApiError::Invalid(errors) if errors.contains_key("current_password") => ApiError::invalid(FIELD, "is invalid"),
        other => other,
    }
}
