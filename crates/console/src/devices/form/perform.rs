//! Executes steps at the cloud.

use devicecloud::{Client, Device, Result};
use diffuser::{PARTNER_LABEL_KEY, Role};

use super::changes::Step;
use crate::error::ApiResult;
use crate::parts::{Part, stopped};

/// Executes the steps in order.
///
/// # Errors
/// Stops at the first step that the cloud rejects and returns its error with the parts saved before.
pub(super) async fn perform(cloud: &Client, device: &Device, steps: &[Step]) -> ApiResult<()> {
    for (at, step) in steps.iter().enumerate() {
        if let Err(error) = apply_step(cloud, device, step).await {
            let saved: Vec<Part> = steps[..at].iter().map(Step::part).collect();
            return Err(stopped(step.part(), &saved, error.into()));
        }
    }
    Ok(())
}

/// Executes one step.
pub(in crate::devices) async fn apply_step(cloud: &Client, device: &Device, step: &Step) -> Result<()> {
    let (devices, data) = (cloud.devices(), cloud.devices().data(&device.dsn));
    match step {
        Step::Assign(csp) => assign(cloud, device, csp).await,
        Step::Rename(name) => devices.rename(&device.key, name).await,
        Step::TimeZone(name) => devices.set_time_zone(&device.key, name).await.map(drop),
        Step::Address(address) => devices.set_address(&device.key, address).await,
        Step::Location(lat, lng) => devices.set_location(&device.key, *lat, *lng).send().await.map(drop),
        Step::Create(datum, value) => data.create(datum.key, value).await.map(drop),
        Step::Update(datum, value) => data.update(datum.key, value).await.map(drop),
        Step::Delete(datum) => ignore_not_found(data.delete(datum.key).await),
    }
}

/// Adds the CSP's partner label for each of the three CSP roles and removes labels of other CSPs.
async fn assign(cloud: &Client, device: &Device, csp: &str) -> Result<()> {
    let labels = cloud.role_labels();
    for role_label in &device.role_labels {
        let partner = role_label.label.as_ref().filter(|label| label.key == PARTNER_LABEL_KEY && label.value != csp);
        if let Some(label) = partner {
            let call = labels.disassociate(&device.key, &role_label.role_name).label(&label.key, &label.value);
            ignore_not_found(call.send().await.map(drop))?;
        }
    }
    for role in Role::ALL.into_iter().filter(|role| role.is_csp_scoped()) {
        labels.associate(&device.key, role.name()).label(PARTNER_LABEL_KEY, csp).send().await?;
    }
    Ok(())
}

/// Something that was already deleted counts as deleted.
fn ignore_not_found(result: Result<()>) -> Result<()> {
    match result {
        Err(error) if error.status() == Some(404) => Ok(()),
        result => result,
    }
}
