//! Making changes to a device that is there, and writing down that they are made.

use devicecloud::Device;
use uuid::Uuid;

use super::changes::{CurrentDevice, Step, changes};
use super::perform::perform;
use crate::audit::{self, Change, Operation};
use crate::devices::writes::finish_write;
use crate::error::ApiResult;
use crate::notice::DeviceEventKind;
use crate::policy::Actor;
use crate::state::AppState;

/// Takes the steps from what the device is, one by one, with the actor's own token, and answers the device as the cloud knows
/// it afterwards. Nobody is asked whether the actor may.
///
/// # Errors
/// Stops at the first change that the cloud refuses: its refusal, with what was saved before it.
pub(super) async fn save(
    state: &AppState,
    actor: &Actor,
    job: Option<Uuid>,
    device: &Device,
    steps: &[Step],
) -> ApiResult<Device> {
    let (dsn, present) = (device.dsn.as_str(), CurrentDevice::of(device));
    // What goes from one CSP to another is neither's to read: it tells of both.
    let changes_csp = steps.iter().any(|step| matches!(step, Step::Assign(_)));
    let target = audit::Target::device(dsn, present.record.csp.as_deref().filter(|_| !changes_csp));
    let change = Change { operation: Operation::UpdateDevice, target, fields: changes(steps, &present) };
    let entry = audit::begin_in_job(state, actor, job, &change).await?;
    let written = perform(&state.sessions.cloud(&actor.session), device, steps).await;
    finish_write(state, actor, dsn, entry, DeviceEventKind::Changed, written).await
}
