//! `/api/account/email`: confirms and cancels a change of an account's e-mail address.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use devicecloud::SecretText;
use serde::Deserialize;
use utoipa::ToSchema;

use super::mail_token;
use super::refusal::refused;
use crate::audit::Operation;
use crate::forms::password_rule::MAX_LENGTH;
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::http::request::JsonBody;
use crate::policy::Actor;
use crate::sessions::session::ClientOrigin;
use crate::state::CoreState;

/// The confirmation of a new e-mail address.
#[derive(Deserialize, ToSchema)]
pub(crate) struct EmailConfirmation {
    /// The token from the mail to the new address.
    #[schema(value_type = String)]
    token: SecretText,
    /// The password of the account. A session of the account replaces it.
    #[schema(value_type = Option<String>)]
    current: Option<SecretText>,
}

/// Changes the e-mail address of an account to the one that the mail was sent to, and ends all its sessions.
///
/// The link in the mail is not enough: the address may be a stranger's by mistake. An invalid token is reported as
/// `confirmation_token`, a missing or wrong password as `current`, an address that another account uses as `email`.
#[utoipa::path(
    post, path = "/api/account/email/confirm", tag = "account", request_body = EmailConfirmation,
    responses((status = 204, description = "The address is changed"), ApiError)
)]
pub(super) async fn confirm_email_change(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    origin: ClientOrigin,
    actor: Result<Actor, ApiError>,
    JsonBody(EmailConfirmation { token, current }): JsonBody<EmailConfirmation>,
) -> ApiResult<StatusCode> {
    if let Some(complaint) = mail_token::complaint(&token) {
        return Err(ApiError::invalid("confirmation_token", complaint));
    }
    let current = current.filter(|current| !current.expose().is_empty());
    if current.as_ref().is_some_and(|current| current.expose().chars().count() > MAX_LENGTH) {
        return Err(ApiError::invalid("current", format!("Must not have more than {MAX_LENGTH} characters")));
    }
    state.limiters.tokens.check(peer.ip(), token.expose())?;
    let confirmed = match (&current, actor) {
        (Some(_), _) => state.sessions.anonymous_client().users().confirm_email(&token, current.as_ref()).await,
        (None, Ok(actor)) => state.sessions.cloud(&actor.session).users().confirm_email(&token, None).await,
        (None, Err(_)) => return Err(ApiError::invalid("current", "Required")),
    };
    let user = confirmed.map_err(|error| password_refused(error, current.is_none()))?;
    mail_token::settle(&state, &origin, Operation::ConfirmEmailChange, user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// As [`refused`], with our name of the password. A session that the cloud does not accept is as good as none.
fn password_refused(error: devicecloud::Error, by_session: bool) -> ApiError {
    let required = || FieldErrors::from([("current".to_owned(), vec!["Required".to_owned()])]);
    match refused(error, |_| if by_session { required() } else { FieldErrors::new() }) {
        ApiError::Invalid(errors) if by_session && errors.contains_key("current_password") => {
            ApiError::Invalid(required())
        }
        ApiError::Invalid(mut errors) => {
            if let Some(texts) = errors.remove("current_password") {
                errors.insert("current".to_owned(), texts);
            }
            ApiError::Invalid(errors)
        }
        other => other,
    }
}

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
