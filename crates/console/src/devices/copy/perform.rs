//! Copies a snapshot to one device.

use devicecloud::{Client, Device};
use diffuser::properties;
use futures::FutureExt;
use futures::future::BoxFuture;
use uuid::Uuid;

use super::plan::CopyPlan;
use super::snapshot::DeviceSnapshot;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::core_state::CoreState;
use crate::devices::form::{self, CurrentDevice};
use crate::devices::notifications::{DeviceNotifications, NotificationSettings};
use crate::devices::writes::{self, finish_write};
use crate::devices::{level, notifications, schedule, service};
use crate::error::ApiResult;
use crate::jobs::Work;
use crate::notice::DeviceEventKind;
use crate::parts::stopped;
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::records::property;

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
        actor: &'a Actor,
        job: Uuid,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<()>> {
        copy_to(state, actor, job, dsn, self).boxed()
    }
}

/// Writes the differences from the source one by one, with the actor's own token. Repeating it has no further effect.
///
/// # Errors
/// 404 or 403, in this order. Stops at the first write that the cloud rejects and returns its error with the parts
/// saved before.
async fn copy_to(state: &CoreState, actor: &Actor, job: Uuid, dsn: &str, snapshot: &DeviceSnapshot) -> ApiResult<()> {
    let device = service::read(state, actor, dsn).await?;
    let current = CurrentDevice::of(&device);
    let csp = current.record.csp.as_deref();
    policy::can(actor, Action::Edit, Target::Device { csp }).require()?;
    let stored = property(&device, properties::SCHEDULE_BLOB).and_then(|blob| blob.value.as_ref()?.as_str());
    let stored = stored.unwrap_or_default();

    let cloud = state.sessions.cloud(&actor.session);
    let plan = CopyPlan::of(snapshot, &current, stored);
    let additions = NotificationAdditions::read(&cloud, &device, &snapshot.notifications).await?;
    if plan.is_empty() && additions.plan.fields.is_empty() {
        return Ok(());
    }
    let mut fields = form::changes(&plan.steps, &current);
    fields.extend(writes::changes(&device, &plan.settings));
    fields.extend(plan.schedule.iter().flat_map(|wanted| schedule::changes(stored, wanted)));
    fields.extend(additions.plan.fields.iter().cloned());
    let change = Change { operation: Operation::CopyDevice, target: audit::Target::device(dsn, csp), fields };
    let entry = audit::begin_in_job(state, actor, Some(job), &change).await?;
    let written = write_plan(&cloud, &device, &plan, &additions).await;
    let kind = if plan.values().next().is_some() { DeviceEventKind::Commanded } else { DeviceEventKind::Changed };
    let saved = finish_write(state, actor, &device, entry, kind, written).await?;
    if snapshot.fragrance.is_some() {
        level::store_after_edit(state, actor, &saved).await;
    }
    Ok(())
}

/// The target's notifications and the ones to add.
#[derive(Default)]
struct NotificationAdditions {
    /// Read only if there are notifications to add.
    current: DeviceNotifications,
    plan: notifications::NotificationPlan,
}

impl NotificationAdditions {
    async fn read(cloud: &Client, target: &Device, wanted: &[NotificationSettings]) -> ApiResult<Self> {
        if wanted.is_empty() {
            return Ok(Self::default());
        }
        let current = notifications::read(cloud, target).await?;
        let plan = notifications::additions(&current.rows, wanted);
        Ok(Self { current, plan })
    }
}

async fn write_plan(
    cloud: &Client,
    device: &Device,
    plan: &CopyPlan,
    notifications: &NotificationAdditions,
) -> ApiResult<()> {
    let mut saved = Vec::new();
    for step in &plan.steps {
        let applied = form::apply_step(cloud, device, step).await;
        applied.map_err(|error| stopped(step.part(), &saved, error.into()))?;
        saved.push(step.part());
    }
    for (value, requested) in plan.values() {
        let sent = cloud.datapoints().create(&device.dsn, value.property, requested).send().await;
        sent.map_err(|error| stopped(value.part, &saved, error.into()))?;
        saved.push(value.part);
    }
    notifications::add(cloud, device, &notifications.current, &notifications.plan, &saved).await
}
