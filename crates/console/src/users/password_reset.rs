//! Sends a password reset mail.

use std::net::IpAddr;

use uuid::Uuid;

use super::service;
use crate::audit::{self, Change, Operation};
use crate::http::error::ApiResult;
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// Requests the mail from the cloud with the actor's own token.
///
/// # Errors
/// 404, 403, 429 in this order; errors of the cloud.
pub(super) async fn send(state: &CoreState, actor: &Actor, id: Uuid, from: IpAddr) -> ApiResult<()> {
    let record = service::read(state, actor, id).await?;
    let csp = record.csp.as_deref();
    policy::can(actor, Action::ResetPassword, Target::Person { id, csp }).require()?;
    state.limiters.mails.check(from, &record.email)?;
    let change = Change {
        operation: Operation::SendPasswordReset,
        target: audit::AuditTarget::user(id, csp),
        fields: Vec::new(),
    };
    let entry = audit::begin(state, actor, &change).await?;
    let cloud = state.sessions.cloud(&actor.session);
    let sent = cloud.users().request_password_reset(&record.email).send().await.map_err(Into::into);
    entry.end(&sent).await;
    sent
}
