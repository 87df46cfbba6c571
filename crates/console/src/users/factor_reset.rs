//! Resets the second factor of a person who has lost it.

use uuid::Uuid;

use super::service;
use crate::audit::{self, Change, Operation};
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// Removes the person's second factor. Sign-ins need the password only, until the person sets up a new one.
///
/// # Errors
/// 404, 403 in this order; 409 for a person without a second factor.
pub(super) async fn reset(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<()> {
    let record = service::read(state, actor, id).await?;
    let csp = record.csp.as_deref();
    policy::can(actor, Action::Edit, Target::Person { id, csp }).require()?;
    if !state.second_factors.is_set_up(id).await? {
        return Err(ApiError::Conflict("This user has not set up a second factor.".to_owned()));
    }
    let target = audit::AuditTarget::user(id, csp);
    let change = Change { operation: Operation::ResetSecondFactor, target, fields: Vec::new() };
    let entry = audit::begin(state, actor, &change).await?;
    let removed = state.second_factors.reset(id, &record.email).await;
    entry.end(&removed).await;
    removed
}
