//! Disables people, who can then not sign in, and enables them again.

use uuid::Uuid;

use super::service;
use crate::audit::{self, Change, Operation};
use crate::http::error::ApiResult;
use crate::policy::{self, Action, Actor, Target};
use crate::sessions::account_state;
use crate::state::CoreState;

/// Ends all sessions and access tokens of a person, and refuses sign-ins until the person is enabled. Nobody can disable their own
/// account, so that an administrator who can sign in is always left. Nothing happens to a person who is disabled already.
///
/// # Errors
/// 404, 403 in this order; 401 if the actor was disabled meanwhile.
pub(super) async fn disable(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<()> {
    let target = editable(state, actor, id).await?;
    if account_state::is_disabled(&state.base.db, id).await? {
        return Ok(());
    }
    let change = Change { operation: Operation::DisableUser, target, fields: Vec::new() };
    let entry = audit::begin(state, actor, &change).await?;
    let disabled = state.sessions.disable_user(id, actor.user).await;
    entry.end(&disabled).await;
    disabled.map(drop)
}

/// Admits sign-ins of a disabled person again. Nothing happens to a person who is not disabled.
///
/// # Errors
/// 404, 403 in this order.
pub(super) async fn enable(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<()> {
    let target = editable(state, actor, id).await?;
    if !account_state::is_disabled(&state.base.db, id).await? {
        return Ok(());
    }
    let change = Change { operation: Operation::EnableUser, target, fields: Vec::new() };
    let entry = audit::begin(state, actor, &change).await?;
    let enabled = account_state::enable(&state.base.db, id).await.map_err(Into::into);
    entry.end(&enabled).await;
    enabled.map(drop)
}

async fn editable(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<audit::AuditTarget> {
    let record = service::read(state, actor, id).await?;
    let csp = record.csp.as_deref();
    policy::can(actor, Action::Edit, Target::Person { id, csp }).require()?;
    Ok(audit::AuditTarget::user(id, csp))
}
