//! Saving the form of a device that is there.

use devicecloud::Device;

use super::changes::{CurrentDevice, Step, steps};
use super::facts;
use super::fields::{DeviceForm, StoredChoices};
use super::save::save;
use crate::devices::writes::refresh;
use crate::devices::{level, service};
use crate::error::ApiResult;
use crate::policy::{self, Action, Actor, Target};
use crate::state::AppState;

/// Writes the fields that the form sends and that differ, one by one, with the actor's own token, and answers the device as the cloud knows it afterwards.
///
/// # Errors
/// 404, 403, 422 in this order. Stops at the first change that the cloud refuses: its refusal, with what was saved before it
///
pub(crate) async fn update(state: &AppState, actor: &Actor, dsn: &str, form: &DeviceForm) -> ApiResult<Device> {
    let device = service::read(state, actor, dsn).await?;
    let present = CurrentDevice::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: present.record.csp.as_deref() }).require()?;
    let facts = facts::gather(state, actor, form, Some(StoredChoices::of(&present.record))).await?;
    let wanted = form.check(&facts)?;

    let mut steps = steps(&present, &wanted);
    // Last: who gives a device away may not write to it any more.
    steps.extend(wanted.csp.filter(|csp| present.record.csp.as_deref() != Some(csp)).map(Step::Assign));
    let saved = if steps.is_empty() {
        refresh(state, actor, dsn).await?
    } else {
        save(state, actor, None, &device, &steps).await?
    };
    level::after_edit(state, actor, &saved).await;
    Ok(saved)
}
