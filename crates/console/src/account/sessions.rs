//! The actor's own sessions in browsers.

use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::http::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::sessions::session::Session;
use crate::state::CoreState;

/// The actor's current session.
///
/// # Errors
/// 401 when it has ended.
pub(super) async fn current(state: &CoreState, actor: &Actor) -> ApiResult<Session> {
    state.sessions.find_by_hash(&actor.session).await?.ok_or(ApiError::NotSignedIn)
}

/// The sessions of the same user in browsers, most recently used first.
pub(super) async fn all(state: &CoreState, actor: &Actor) -> ApiResult<Vec<Session>> {
    let user = current(state, actor).await?.user.id;
    let mut sessions = state.sessions.of_user(user).await?;
    sessions.retain(|session| session.token.is_none());
    Ok(sessions)
}

/// Ends sessions of the actor, in the console and in the cloud.
///
/// # Errors
/// Database errors.
pub(super) async fn end(state: &CoreState, actor: &Actor, operation: Operation, sessions: &[Session]) -> ApiResult<()> {
    let Some(one) = sessions.first() else { return Ok(()) };
    let target = AuditTarget::user(one.user.id, actor.csp.as_deref());
    let fields = sessions.iter().map(|it| FieldChange::new("session", where_used(it), None::<String>)).collect();
    let entry = audit::begin(state, actor, &Change { operation, target, fields }).await?;
    let ended = end_all(state, sessions).await;
    entry.end(&ended).await;
    ended
}

async fn end_all(state: &CoreState, sessions: &[Session]) -> ApiResult<()> {
    for session in sessions {
        state.sessions.sign_out(&session.hash).await?;
    }
    Ok(())
}

fn where_used(session: &Session) -> String {
    let origin = &session.origin;
    let parts: Vec<&str> = [&origin.browser, &origin.address].into_iter().flatten().map(String::as_str).collect();
    parts.join(", ")
}
