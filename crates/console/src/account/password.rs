//! Changes the password of the signed-in user.

use std::net::IpAddr;

use devicecloud::SecretText;
use serde::Deserialize;
use utoipa::ToSchema;

use super::sessions;
use crate::audit::{self, AuditTarget, Change, Operation};
use crate::forms::password_rule::{MAX_LENGTH, complaints};
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::policy::Actor;
use crate::sessions::session::{ClientOrigin, Session, SessionId};
use crate::state::CoreState;

/// The current and the new password.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasswordChange {
    #[schema(value_type = String)]
    current: SecretText,
    #[schema(value_type = String)]
    new: SecretText,
}

impl PasswordChange {
    fn check(&self) -> ApiResult<()> {
        let mut errors = FieldErrors::new();
        if self.current.expose().is_empty() {
            errors.insert("current".to_owned(), vec!["Required".to_owned()]);
        } else if self.current.expose().chars().count() > MAX_LENGTH {
            errors.insert("current".to_owned(), vec![format!("Must not have more than {MAX_LENGTH} characters")]);
        }
        let mut complaints = complaints(self.new.expose());
        if complaints.is_empty() && self.new == self.current {
            complaints.push("Must be another one than the current password".to_owned());
        }
        if !complaints.is_empty() {
            errors.insert("new".to_owned(), complaints);
        }
        if errors.is_empty() { Ok(()) } else { Err(ApiError::Invalid(errors)) }
    }
}

/// Changes the password with the actor's own token, ends the user's other sessions, and replaces the current one.
///
/// # Errors
/// 422 for an invalid password. `NewSessionFailed` when the password was changed, but the new sign-in failed.
pub(super) async fn change(
    state: &CoreState,
    actor: &Actor,
    address: IpAddr,
    origin: ClientOrigin,
    passwords: &PasswordChange,
) -> ApiResult<(SessionId, Session)> {
    passwords.check()?;
    let session = sessions::current(state, actor).await?;
    let email = &session.user.email;
    // A stolen session must not allow more password guesses than the sign-in page.
    state.limiters.sign_in.check(address, email)?;
    let target = AuditTarget::user(session.user.id, session.csp.as_deref());
    let change = Change { operation: Operation::UpdateAccountPassword, target, fields: Vec::new() };
    let entry = audit::begin_for_session(&state.base, &session, &change).await?;
    let users = state.sessions.cloud(&actor.session).users();
    let changed = users.update_password(&passwords.current, &passwords.new).await.map_err(refusal);
    entry.end(&changed).await;
    changed?;
    state.sessions.end_others(session.user.id, &session.hash).await?;
    match sign_in_anew(state, email, &passwords.new, origin).await {
        Ok(anew) => {
            state.sessions.replace(&session.hash).await?;
            Ok(anew)
        }
        Err(error) => {
            tracing::warn!(%error, "the sign-in after a password change failed");
            state.sessions.sign_out(&session.hash).await?;
            Err(ApiError::NewSessionFailed)
        }
    }
}

/// The second factor is not asked for: the user has entered it for the session that is replaced.
async fn sign_in_anew(
    state: &CoreState,
    email: &str,
    password: &SecretText,
    origin: ClientOrigin,
) -> ApiResult<(SessionId, Session)> {
    let authenticated = state.sessions.authenticate(email, password).await?;
    state.sessions.begin(authenticated, origin).await
}

/// Converts field names of the cloud to those of the form.
fn refusal(error: devicecloud::Error) -> ApiError {
    let ours = |field: String| match field.as_str() {
        "current_password" => "current".to_owned(),
        "password" => "new".to_owned(),
        _ => field,
    };
    match ApiError::of_form(error) {
        ApiError::Invalid(errors) => {
            ApiError::Invalid(errors.into_iter().map(|(field, texts)| (ours(field), texts)).collect())
        }
        other => other,
    }
}
