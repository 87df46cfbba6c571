//! Copying to one device.

use devicecloud::{Client, Device};
use diffuser::properties;
use uuid::Uuid;

use super::copied::Copied;
use super::plan::Plan;
use crate::audit::{self, Change, Operation};
use crate::devices::form::{self, Present};
use crate::devices::notifications::{Notifications, Wish};
use crate::devices::writes::{self, settle};
use crate::devices::{level, notifications, schedule, service};
use crate::error::ApiResult;
use crate::notice::DeviceEventKind;
use crate::parts::stopped;
use crate::policy::{self, Action, Actor, Target};
use crate::records::property;
use crate::state::AppState;

/// Writes what differs from the source, one by one, with the actor's own token. Done twice, it comes out the same.
///
/// # Errors
/// 404, 403 in this order. Stops at the first write that the cloud refuses: its refusal, with what was saved before it.
pub(crate) async fn copy_to(state: &AppState, actor: &Actor, job: Uuid, dsn: &str, copied: &Copied) -> ApiResult<()> {
    let device = service::read(state, actor, dsn).await?;
    let present = Present::of(&device);
    let csp = present.record.csp.as_deref();
    policy::can(actor, Action::Edit, Target::Device { csp }).require()?;
    let stored = property(&device, properties::SCHEDULE_BLOB).and_then(|blob| blob.value.as_ref()?.as_str());
    let stored = stored.unwrap_or_default();

    let cloud = state.sessions.cloud(&actor.session);
    let plan = Plan::of(copied, &present, stored);
    let told = Told::read(&cloud, &device, &copied.notifications).await?;
    if plan.is_empty() && told.additions.fields.is_empty() {
        return Ok(());
    }
    let mut fields = form::changes(&plan.steps, &present);
    fields.extend(writes::changes(&device, &plan.settings));
    fields.extend(plan.schedule.iter().flat_map(|wanted| schedule::changes(stored, wanted)));
    fields.extend(told.additions.fields.iter().cloned());
    let change = Change { operation: Operation::CopyDevice, target: audit::Target::device(dsn, csp), fields };
    let entry = audit::begin_in_job(state, actor, Some(job), &change).await?;
    let written = make(&cloud, &device, &plan, &told).await;
    let kind = if plan.values().next().is_some() { DeviceEventKind::Commanded } else { DeviceEventKind::Changed };
    let saved = settle(state, actor, dsn, entry, kind, written).await?;
    if copied.fragrance.is_some() {
        level::after_edit(state, actor, &saved).await;
    }
    Ok(())
}

/// Who is told of the target, and who else is to be.
#[derive(Default)]
struct Told {
    /// Read only when there is somebody to add.
    present: Notifications,
    additions: notifications::Plan,
}

impl Told {
    async fn read(cloud: &Client, target: &Device, wishes: &[Wish]) -> ApiResult<Self> {
        if wishes.is_empty() {
            return Ok(Self::default());
        }
        let present = notifications::read(cloud, target).await?;
        let additions = notifications::additions(&present.rows, wishes);
        Ok(Self { present, additions })
    }
}

async fn make(cloud: &Client, device: &Device, plan: &Plan, told: &Told) -> ApiResult<()> {
    let mut saved = Vec::new();
    for step in &plan.steps {
        let taken = form::take(cloud, device, step).await;
        taken.map_err(|error| stopped(step.part(), &saved, error.into()))?;
        saved.push(step.part());
    }
    for (value, wished) in plan.values() {
        let sent = cloud.datapoints().create(&device.dsn, value.property, wished).send().await;
        sent.map_err(|error| stopped(value.part, &saved, error.into()))?;
        saved.push(value.part);
    }
    notifications::add(cloud, device, &told.present, &told.additions, &saved).await
}
