//! Checks mail tokens before they are sent to the cloud, and applies what the cloud did with them.

use devicecloud::{SecretText, UserUuid};
use uuid::Uuid;

use crate::audit::{self, Operation};
use crate::http::error::ApiResult;
use crate::sessions::session::ClientOrigin;
use crate::state::CoreState;

/// Longer than any token of the cloud.
const MAX_LENGTH: usize = 255;

/// The error of a token that cannot be valid.
pub(super) fn complaint(token: &SecretText) -> Option<&'static str> {
    let text = token.expose();
    if token.is_blank() {
        Some("Required")
    } else if text.len() > MAX_LENGTH || text.contains(char::is_control) {
        Some("is invalid")
    } else {
        None
    }
}

/// Call after the cloud accepted a token. Ends the sessions that the cloud ended, and records the change. `user` is the user of
/// the token if the cloud names it.
///
/// # Errors
/// Of the database.
pub(super) async fn settle(
    state: &CoreState,
    origin: &ClientOrigin,
    operation: Operation,
    user: Option<UserUuid>,
) -> ApiResult<()> {
    let user = user.and_then(|user| Uuid::parse_str(user.as_str()).ok());
    // Before the audit, so that no failure delays the end of the sessions.
    let invalidated = state.sessions.invalidate_token_user_access(user).await;
    audit::record_mail_token_change(&state.base, origin, operation, user).await;
    invalidated
}
