//! Mailing somebody once more how to confirm the address.

use std::net::IpAddr;

use uuid::Uuid;

use super::service;
use crate::audit::{self, Change, Operation};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};

/// Lets the cloud send the mail, with the actor's own token. The list knows by then whether the person is confirmed.
///
/// # Errors
/// 404 and 403 as the rule book has them; 409 for somebody who is confirmed; 429 after too many mails.
pub(super) async fn resend(state: &CoreState, actor: &Actor, from: IpAddr, id: Uuid) -> ApiResult<()> {
    let person = service::refresh(state, actor, id).await?;
    let csp = person.csp.as_deref();
    policy::can(actor, Action::Edit, Target::Person { id, csp }).require()?;
    if person.confirmed {
        return Err(already_confirmed());
    }
    state.limiters.mails.check(from, &person.email)?;
    let target = audit::Target::user(id, csp);
    let change = Change { operation: Operation::ResendConfirmation, target, fields: Vec::new() };
    let entry = audit::begin(state, actor, &change).await?;
    let sent = state.sessions.cloud(&actor.session).users().resend_confirmation(person.email).send().await;
    let outcome = sent.map_err(|error| match error.status() {
        // Whose address was wrong in any other way would not have been found.
        Some(422) => already_confirmed(),
        _ => error.into(),
    });
    entry.end(&outcome).await;
    outcome
}

fn already_confirmed() -> ApiError {
    ApiError::Conflict("User already confirmed".to_owned())
}
