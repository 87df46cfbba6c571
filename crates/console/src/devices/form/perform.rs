//! Executes steps at the cloud.

use devicecloud::{Client, Device, Error, Label, Result, SecretText};
use diffuser::{PARTNER_LABEL_KEY, Role};

use super::changes::Step;
use crate::forms::partial_writes::{Part, stopped};
use crate::http::error::{ApiError, ApiResult};

const NO_SETUP_CODE: &str = "Enter the setup code that is printed on the device";
const WRONG_SETUP_CODE: &str = "This is not the setup code of this device";

/// Executes the steps in order.
///
/// # Errors
/// 422 for a missing or wrong setup code. Stops at the first step that the cloud rejects and returns its error with the parts saved before.
pub(super) async fn perform(cloud: &Client, device: &Device, steps: &[Step]) -> ApiResult<()> {
    for (at, step) in steps.iter().enumerate() {
        if let Err(error) = apply_step(cloud, device, step).await {
            if let Some(invalid) = invalid_setup_code(step, &error) {
                return Err(invalid);
            }
            let saved: Vec<Part> = steps[..at].iter().map(Step::part).collect();
            return Err(stopped(step.part(), &saved, error.into()));
        }
    }
    Ok(())
}

/// The field error if the cloud requires the setup code of a device or rejects it. Nothing was saved then: the
/// registration is the first step.
fn invalid_setup_code(step: &Step, error: &Error) -> Option<ApiError> {
    let Step::Assign { setup_code, .. } = step else { return None };
    let text = if setup_code.is_some() { WRONG_SETUP_CODE } else { NO_SETUP_CODE };
    error.fields().iter().any(|(field, _)| field == "setup_code").then(|| ApiError::invalid("setupCode", text))
}

/// Executes one step.
pub(crate) async fn apply_step(cloud: &Client, device: &Device, step: &Step) -> Result<()> {
    let (devices, data) = (cloud.devices(), cloud.devices().data(&device.dsn));
    match step {
        Step::Assign { csp, setup_code } => assign(cloud, device, csp, setup_code.as_ref()).await,
        Step::Unassign => remove_partners(cloud, device, None).await,
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
async fn assign(cloud: &Client, device: &Device, csp: &str, setup_code: Option<&SecretText>) -> Result<()> {
    remove_partners(cloud, device, Some(csp)).await?;
    let labels = cloud.role_labels();
    for role in Role::ALL.into_iter().filter(|role| role.is_csp_scoped()) {
        let mut label = labels.associate(&device.key, role.name()).label(PARTNER_LABEL_KEY, csp);
        if let Some(code) = setup_code {
            label = label.setup_code(code.clone());
        }
        label.send().await?;
    }
    Ok(())
}

/// Removes the labels of all CSPs but `kept`.
async fn remove_partners(cloud: &Client, device: &Device, kept: Option<&str>) -> Result<()> {
    let is_removed = |label: &&Label| label.key == PARTNER_LABEL_KEY && Some(label.value.as_str()) != kept;
    for role_label in &device.role_labels {
        if let Some(label) = role_label.label.as_ref().filter(is_removed) {
            let labels = cloud.role_labels();
            let call = labels.disassociate(&device.key, &role_label.role_name).label(&label.key, &label.value);
            ignore_not_found(call.send().await.map(drop))?;
        }
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
