//! Removes a person.

use diffuser::Role;
use uuid::Uuid;

use super::index;
use super::record::UserRecord;
use super::service;
use crate::attention::Succession;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::http::error::ApiResult;
use crate::policy::{self, Action, Actor, Target};
use crate::preferences;
use crate::sessions::account_state;
use crate::state::CoreState;

/// Deletes the account in the cloud with the actor's own token, ends its sessions, and removes what the console knows of the person.
/// Open items of the person become those of the successor, or nobody's.
///
/// # Errors
/// 404, 403, 422 in this order; errors of the cloud, which refuses to remove the last administrator.
pub(super) async fn remove(state: &CoreState, actor: &Actor, id: Uuid, successor: Option<Uuid>) -> ApiResult<()> {
    let record = service::read(state, actor, id).await?;
    let csp = record.csp.as_deref();
    policy::can(actor, Action::Edit, Target::Person { id, csp }).require()?;
    let name = format!("{} {}", record.firstname, record.lastname);
    let succession = Succession::plan(state, actor, id, name.trim(), csp, successor).await?;
    let fields = changes(&record).into_iter().chain(succession.changes()).collect();
    let change = Change { operation: Operation::RemoveUser, target: audit::AuditTarget::user(id, csp), fields };
    let mut entry = audit::begin(state, actor, &change).await?;
    let removed = async {
        succession.record(&state.base.db, &mut entry).await?;
        let cloud = state.sessions.cloud(&actor.session);
        Ok(cloud.admin().delete_user(id.to_string()).await?)
    }
    .await;
    entry.end(&removed).await;
    removed?;
    state.sessions.end_user_sessions(id).await?;
    state.second_factors.forget(id).await?;
    account_state::forget(&state.base.db, id).await?;
    preferences::remove(&state.base.db, id).await?;
    index::remove(&state.base.db, id, state.base.clock.now()).await?;
    succession.hand_over(state, actor).await
}

/// Identifies the person, who cannot be looked up after the removal.
fn changes(record: &UserRecord) -> Vec<FieldChange> {
    let fields = [
        ("firstname", Some(record.firstname.as_str())),
        ("lastname", Some(record.lastname.as_str())),
        ("role", record.role.map(Role::name)),
        ("csp", record.csp.as_deref()),
    ];
    let known = fields.into_iter().filter_map(|(field, before)| Some((field, before.filter(|it| !it.is_empty())?)));
    known.map(|(field, before)| FieldChange::new(field, before, None::<&str>)).collect()
}
