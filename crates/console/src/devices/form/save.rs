//! Saves changes of an existing device with an audit entry.

use devicecloud::Device;
use uuid::Uuid;

use super::changes::{CurrentDevice, Step, changes};
use super::perform::perform;
use crate::audit::{self, Change, Operation};
use crate::core_state::CoreState;
use crate::devices::writes::finish_write;
use crate::error::ApiResult;
use crate::notice::DeviceEventKind;
use crate::policy::Actor;

/// Executes the steps with the actor's own token and returns the device as read back from the cloud. Does not check
/// permissions; the caller must.
///
/// # Errors
/// Stops at the first step that the cloud rejects and returns its error with the parts saved before.
pub(super) async fn save(
    state: &CoreState,
    actor: &Actor,
    job: Option<Uuid>,
    device: &Device,
    steps: &[Step],
) -> ApiResult<Device> {
    let (dsn, present) = (device.dsn.as_str(), CurrentDevice::of(device));
    // A move between CSPs is visible to neither CSP, because it names both.
    let changes_csp = steps.iter().any(|step| matches!(step, Step::Assign(_)));
    let target = audit::Target::device(dsn, present.record.csp.as_deref().filter(|_| !changes_csp));
    let change = Change { operation: Operation::UpdateDevice, target, fields: changes(steps, &present) };
    let entry = audit::begin_in_job(state, actor, job, &change).await?;
    let written = perform(&state.sessions.cloud(&actor.session), device, steps).await;
    finish_write(state, actor, dsn, entry, DeviceEventKind::Changed, written).await
}
