//! Invites a person: the cloud creates the account and sends the confirmation mail.

use std::net::IpAddr;

use devicecloud::{Client, NewUser, SecretText, User};
use diffuser::PARTNER_LABEL_KEY;
use uuid::Uuid;

use super::fields::{Access, CheckedInvitation, FormContext, Invitation};
use super::profile::Profile;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::csps;
use crate::http::error::{ApiError, ApiResult, CloudFailure};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;
use crate::users::service;

/// Creates the person with the actor's own token, and returns their id after the index is updated.
///
/// # Errors
/// 403, 422, 429 in this order; validation errors of the cloud are returned by field.
pub(in crate::users) async fn invite(
    state: &CoreState,
    actor: &Actor,
    invitation: &Invitation,
    from: IpAddr,
) -> ApiResult<Uuid> {
    policy::can(actor, Action::Edit, Target::People).require()?;
    let has_csp = csps::exists(&state.base.db, invitation.csp()).await?;
    let invited = invitation.check(&FormContext { actor, before: None, has_csp })?;
    state.limiters.mails.check(from, &invited.email)?;

    let target = audit::AuditTarget::new_user(invited.access.csp.as_deref());
    let change = Change { operation: Operation::InviteUser, target, fields: changes(&invited) };
    let entry = audit::begin(state, actor, &change).await?;
    // A password that nobody knows.
    let password = invited.password.clone().unwrap_or_else(|| format!("Aa{}", state.base.random.hex(24)).into());
    let made = make(&state.sessions.cloud(&actor.session), &invited, password).await;
    if let Ok(id) = made {
        entry.set_target(&id.to_string()).await;
    }
    entry.end(&made).await;
    let id = made?;
    if let Err(error) = service::refresh(state, actor, id).await {
        // The invitation succeeded; a repeated one would fail because the address is taken.
        tracing::warn!(%error, user.id = %id, "an invited person could not be indexed; the next pass adds them");
    }
    Ok(id)
}

async fn make(cloud: &Client, invited: &CheckedInvitation, password: SecretText) -> ApiResult<Uuid> {
    let Access { role, csp } = &invited.access;
    let user = NewUser::new(&invited.email, password);
    let call = cloud.roles().create_associated_user(invited.profile.of_new(user), role.name());
    let call = match csp {
        Some(csp) => call.label(PARTNER_LABEL_KEY, csp),
        None => call,
    };
    id_of(&call.send().await.map_err(ApiError::of_form)?)
}

fn id_of(user: &User) -> ApiResult<Uuid> {
    Uuid::parse_str(user.uuid.as_str()).map_err(|_| CloudFailure::Unreachable.into())
}

/// Omits the password and the e-mail address.
fn changes(invited: &CheckedInvitation) -> Vec<FieldChange> {
    let Access { role, csp } = &invited.access;
    let mut changes = invited.profile.changes_from(&Profile::default());
    changes.push(FieldChange::new("role", None::<&str>, role.name()));
    changes.extend(csp.as_ref().map(|csp| FieldChange::new("csp", None::<&str>, csp.as_str())));
    changes
}
