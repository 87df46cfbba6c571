//! Sends the confirmation mail again.

use std::net::IpAddr;

use uuid::Uuid;

use super::service;
use crate::audit::{self, Change, Operation};
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// Requests the mail from the cloud with the actor's own token, after refreshing the person in the index.
///
/// # Errors
/// 404 and 403 by policy; 409 for a confirmed person; 429 after too many mails.
pub(super) async fn resend(state: &CoreState, actor: &Actor, from: IpAddr, id: Uuid) -> ApiResult<()> {
    let person = service::refresh(state, actor, id).await?;
    let csp = person.csp.as_deref();
    policy::can(actor, Action::Edit, Target::Person { id, csp }).require()?;
    if person.confirmed {
        return Err(already_confirmed());
    }
    state.limiters.mails.check(from, &person.email)?;
    let target = audit::AuditTarget::user(id, csp);
    let change = Change { operation: Operation::ResendConfirmation, target, fields: Vec::new() };
    let entry = audit::begin(state, actor, &change).await?;
    let sent = state.sessions.cloud(&actor.session).users().resend_confirmation(person.email).send().await;
    let outcome = sent.map_err(|error| match error.status() {
        // The person exists, so the only possible validation error is an already confirmed address.
        Some(422) => already_confirmed(),
        _ => error.into(),
    });
    entry.end(&outcome).await;
    outcome
}

fn already_confirmed() -> ApiError {
    ApiError::Conflict("User already confirmed".to_owned())
}
