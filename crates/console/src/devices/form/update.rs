//! Saves the form of an existing device.

use devicecloud::Device;

use super::changes::{CurrentDevice, Step, steps};
use super::facts;
use super::fields::{DeviceForm, StoredChoices};
use super::save::save;
use crate::core_state::CoreState;
use crate::devices::writes::refresh;
use crate::devices::{level, service};
use crate::error::ApiResult;
use crate::policy::{self, Action, Actor, Target};

/// Writes the form's changed fields one by one with the actor's own token and returns the device as read back from the
/// cloud.
///
/// # Errors
/// 404, 403 or 422, in this order. Stops at the first change that the cloud rejects and returns its error with the
/// parts saved before.
pub(crate) async fn update(state: &CoreState, actor: &Actor, dsn: &str, form: &DeviceForm) -> ApiResult<Device> {
    let device = service::read(state, actor, dsn).await?;
    let present = CurrentDevice::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: present.record.csp.as_deref() }).require()?;
    let facts = facts::gather(state, actor, form, Some(StoredChoices::of(&present.record))).await?;
    let wanted = form.check(&facts)?;

    let mut steps = steps(&present, &wanted);
    // Last, because the actor loses access with the assignment to another CSP.
    steps.extend(wanted.csp.filter(|csp| present.record.csp.as_deref() != Some(csp)).map(Step::Assign));
    let saved = if steps.is_empty() {
        refresh(state, actor, dsn).await?
    } else {
        save(state, actor, None, &device, &steps).await?
    };
    level::store_after_edit(state, actor, &saved).await;
    Ok(saved)
}
