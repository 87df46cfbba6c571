//! `/api/password`: resets a forgotten password.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use devicecloud::SecretText;
use serde::Deserialize;
use utoipa::ToSchema;

use super::mail_token;
use super::refusal::refused;
use crate::audit::Operation;
use crate::forms::password_rule::complaints;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::http::request::JsonBody;
use crate::sessions::session::ClientOrigin;
use crate::state::CoreState;

/// The field names of errors, as in the cloud.
const TOKEN: &str = "reset_password_token";
const PASSWORD: &str = "password";
const CONFIRMATION: &str = "password_confirmation";

/// The account whose password was forgotten.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ForgottenPassword {
    /// The account's e-mail address.
    email: String,
}

/// A new password with the token from the mail.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewPassword {
    /// The token from the mail.
    #[schema(value_type = String)]
    token: SecretText,
    #[schema(value_type = String)]
    new_password: SecretText,
    /// The new password again.
    #[schema(value_type = String)]
    confirm_new_password: SecretText,
}

/// Sends a mail with a link to set a new password.
///
/// The response does not reveal whether the account exists or the mail was sent.
#[utoipa::path(
    post, path = "/api/password/reset", tag = "password", request_body = ForgottenPassword,
    responses((status = 204, description = "If the account exists, a mail was requested"), ApiError)
)]
pub(super) async fn request_password_reset(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(body): JsonBody<ForgottenPassword>,
) -> ApiResult<StatusCode> {
    let mut rules = Rules::default();
    let email = rules.email("email", &Some(body.email));
    let email = rules.finish(email)?;
    state.limiters.forgotten_password.check(peer.ip(), &email)?;
    if let Err(error) = state.sessions.anonymous_client().users().request_password_reset(email).send().await {
        // Without the message, which may contain the e-mail address.
        tracing::warn!(kind = ?error.kind(), status = error.status(), "a mail for a forgotten password was refused");
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a new password with the token from the mail and ends all sessions of the account.
///
/// Errors use the cloud's field names: `password`, `password_confirmation`, `reset_password_token`.
#[utoipa::path(
    post, path = "/api/password/set", tag = "password", request_body = NewPassword,
    responses((status = 204, description = "The password is changed"), ApiError)
)]
pub(super) async fn set_password(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    JsonBody(body): JsonBody<NewPassword>,
) -> ApiResult<StatusCode> {
    let NewPassword { token, new_password, confirm_new_password } = body;
    check(&token, &new_password, &confirm_new_password)?;
    state.limiters.tokens.check(peer.ip(), token.expose())?;
    let set =
        state.sessions.anonymous_client().users().reset_password(&token, &new_password, &confirm_new_password).await;
    let user = set.map_err(|error| refused(error, |words| FieldErrors::from([(TOKEN.to_owned(), vec![words])])))?;
    mail_token::settle(&state, &origin, Operation::SetPassword, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn check(token: &SecretText, password: &SecretText, confirmation: &SecretText) -> ApiResult<()> {
    let mut errors = FieldErrors::new();
    if let Some(complaint) = mail_token::complaint(token) {
        errors.insert(TOKEN.to_owned(), vec![complaint.to_owned()]);
    }
    let complaints = complaints(password.expose());
    if !complaints.is_empty() {
        errors.insert(PASSWORD.to_owned(), complaints);
    }
    if password != confirmation {
        errors.insert(CONFIRMATION.to_owned(), vec!["Does not match".to_owned()]);
    }
    if errors.is_empty() { Ok(()) } else { Err(ApiError::Invalid(errors)) }
}
