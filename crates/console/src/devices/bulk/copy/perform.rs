//! Copies a snapshot to one device.

use futures::FutureExt;
use futures::future::BoxFuture;
use uuid::Uuid;

use super::plan;
use super::snapshot::DeviceSnapshot;
use crate::audit::{FieldChange, Operation};
use crate::devices::bulk::target::{JobTarget, TargetPlan};
use crate::devices::bulk::writes;
use crate::devices::{forecast, notifications};
use crate::http::error::ApiResult;
use crate::jobs::{JobActors, Preview, TargetOutcome, Work};
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::state::CoreState;

impl Work for DeviceSnapshot {
    fn operation(&self) -> Operation {
        Operation::CopyDevice
    }

    fn changes(&self) -> Vec<FieldChange> {
        self.audit_entries()
    }

    fn is_permitted_to(&self, actor: &Actor) -> bool {
        policy::can(actor, Action::Edit, Target::Devices) == Decision::Allowed
    }

    fn perform<'a>(
        &'a self,
        state: &'a CoreState,
        actors: &'a JobActors,
        job: Uuid,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<TargetOutcome>> {
        copy_to(state, actors, job, dsn, self).boxed()
    }
}

impl Preview for DeviceSnapshot {
    fn preview<'a>(
        &'a self,
        state: &'a CoreState,
        actor: &'a Actor,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<Vec<FieldChange>>> {
        async move {
            let (target, plan) = plan_copy(state, &JobActors::only(actor), dsn, self).await?;
            let mut changes = target.changes(&plan);
            changes.extend(forecast::changes(&state.base.db, &target.device, plan.use_change()).await?);
            Ok(changes)
        }
        .boxed()
    }
}

/// Writes the differences from the source one by one, with the token of the session. Repeating it has no further effect.
///
/// # Errors
/// 404 or 403, in this order. Stops at the first write that the cloud rejects and returns its error with the parts
/// saved before.
async fn copy_to(
    state: &CoreState,
    actors: &JobActors,
    job: Uuid,
    dsn: &str,
    snapshot: &DeviceSnapshot,
) -> ApiResult<TargetOutcome> {
    let (target, plan) = plan_copy(state, actors, dsn, snapshot).await?;
    if !plan.is_empty() {
        writes::save(&target, state, &actors.session, job, Operation::CopyDevice, &plan).await?;
    }
    Ok(TargetOutcome::Done)
}

/// # Errors
/// 404 or 403, in this order; errors of the cloud.
async fn plan_copy(
    state: &CoreState,
    actors: &JobActors,
    dsn: &str,
    snapshot: &DeviceSnapshot,
) -> ApiResult<(JobTarget, TargetPlan)> {
    let mut target = JobTarget::read(state, actors, Action::Edit, dsn).await?;
    let mut plan = plan::differences(snapshot, &target.current, target.schedule());
    if !snapshot.notifications.is_empty() {
        target.read_notifications(state, &actors.session).await?;
        plan.notifications = notifications::additions(&target.notifications.rows, &snapshot.notifications);
    }
    Ok((target, plan))
}
