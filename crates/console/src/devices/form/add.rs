//! Adds a device from factory stock, in a sequence that can be repeated after any failure.

use devicecloud::{Device, Include, SecretText};
use diffuser::PARTNER_LABEL_KEY;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::changes::{CurrentDevice, Step, changes, steps};
use super::fields::DeviceForm;
use super::perform::perform;
use super::update::load_context;
use crate::audit::{self, Change, Operation};
use crate::devices::level;
use crate::devices::writes::finish_write;
use crate::events::notices::DeviceEventKind;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::http::request::is_valid_dsn;
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{DeviceRecord, ReadDevice};
use crate::state::CoreState;

const UNKNOWN: &str = "No device with that DSN was found";
const TAKEN: &str = "A device with this DSN has already been registered";

/// A device to add.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewDevice {
    /// DSN of a device in stock.
    dsn: Option<String>,
    /// The code printed on the device, which the cloud can require.
    #[serde(rename = "setupCode")]
    #[schema(value_type = Option<String>)]
    setup_code: Option<SecretText>,
    #[serde(flatten)]
    form: DeviceForm,
}

impl NewDevice {
    /// Empty if it is missing.
    pub(in crate::devices) fn dsn(&self) -> &str {
        self.dsn.as_deref().map(str::trim).unwrap_or_default()
    }
}

/// Assigns a device in stock to the CSP and writes the form's values with the actor's own token. The customer comes
/// last and completes the registration. A partial failure is undone.
///
/// # Errors
/// 403 or 422, in this order; errors of the cloud.
pub(crate) async fn add(state: &CoreState, actor: &Actor, new: &NewDevice) -> ApiResult<ReadDevice> {
    policy::can(actor, Action::Edit, Target::Devices).require()?;
    let added = add_from_stock(state, actor, new);
    // No device has another serial number, and a lock must not be named by any text.
    if is_valid_dsn(new.dsn()) {
        locked(&state.base, LockedRecord::Device(new.dsn()), added).await
    } else {
        added.await
    }
}

async fn add_from_stock(state: &CoreState, actor: &Actor, new: &NewDevice) -> ApiResult<ReadDevice> {
    let dsn = new.dsn();
    let context = load_context(state, actor, &new.form, None).await?;
    let checks = (new.form.check(&context), check_setup_code(new), find_in_stock(state, dsn).await);
    let (requested, setup_code, device) = match checks {
        (Ok(requested), Ok(setup_code), Ok(device)) => (requested, setup_code, device),
        (requested, code, device) => return Err(merge_errors([requested.err(), code.err(), device.err()])),
    };

    let Some(csp) = requested.csp.as_deref() else { return Err(ApiError::invalid("csp", "Required")) };
    let mut all = vec![Step::Assign { csp: csp.to_owned(), setup_code }];
    let current = CurrentDevice::of(&device);
    all.extend(steps(&current, &requested));
    let target = audit::AuditTarget::device(dsn, Some(csp));
    let change = Change { operation: Operation::CreateDevice, target, fields: changes(&all, &current) };
    let entry = audit::begin(state, actor, &change).await?;
    let written = perform(&state.sessions.cloud(&actor.session), &device, &all).await;
    if let Err(error) = written {
        let is_in_stock = undo_add(state, dsn, csp).await;
        // After the undo nothing is saved, so the error lists no saved parts.
        entry.end(&Err::<(), _>(error.cause().clone())).await;
        return Err(registered_elsewhere(if is_in_stock { not_added(error, &all) } else { error }));
    }
    let added = finish_write(state, actor, &device, entry, DeviceEventKind::Changed, Ok(())).await?;
    level::store_after_edit(state, actor, &added).await;
    Ok(added)
}

/// # Errors
/// 422 for an unknown DSN or one that is already registered.
async fn find_in_stock(state: &CoreState, dsn: &str) -> ApiResult<Device> {
    if dsn.is_empty() {
        return Err(ApiError::invalid("dsn", "Required"));
    }
    let device = find(state, dsn).await?.ok_or_else(|| ApiError::invalid("dsn", UNKNOWN))?;
    if DeviceRecord::of(&device).customer.is_some() {
        return Err(ApiError::invalid("dsn", TAKEN));
    }
    Ok(device)
}

/// # Errors
/// 422 for a code that cannot be printed on a device. Whether it is right is decided by the cloud.
fn check_setup_code(new: &NewDevice) -> ApiResult<Option<SecretText>> {
    let mut rules = Rules::default();
    let code = new.setup_code.as_ref().map(|code| code.expose().to_owned());
    let code = rules.optional("setupCode", &code).map(SecretText::from);
    rules.finish(code)
}

/// Merges the field errors of the checks; any other error is returned alone.
fn merge_errors(errors: [Option<ApiError>; 3]) -> ApiError {
    let mut all = FieldErrors::new();
    for error in errors.into_iter().flatten() {
        match error {
            ApiError::Invalid(errors) => all.extend(errors),
            other => return other,
        }
    }
    ApiError::Invalid(all)
}

/// If two CSPs add the same device, the cloud accepts only one of them.
fn registered_elsewhere(error: ApiError) -> ApiError {
    match error {
        ApiError::Stopped { cause, .. } if matches!(*cause, ApiError::Conflict(_)) => ApiError::invalid("dsn", TAKEN),
        other => other,
    }
}

/// The error of a device that is in stock again, with the step that failed.
fn not_added(error: ApiError, steps: &[Step]) -> ApiError {
    let ApiError::Stopped { cause, errors, .. } = error else { return error };
    if let ApiError::TooManyRequests { retry_after_secs } = *cause {
        let wait = wait_text(retry_after_secs);
        let detail =
            format!("The device was not added, because a limit of the device cloud is reached. Try again in {wait}.");
        // No field is wrong.
        return ApiError::Stopped { cause, detail, errors: FieldErrors::new() };
    }
    let (failed, reason) = (steps.iter().find(|step| errors.contains_key(step.part().field)), cause.to_string());
    let reason = reason.trim_end_matches('.');
    let detail = match failed.map(Step::part) {
        Some(part) => format!("The device was not added. {} was not saved: {reason}.", part.label),
        None => format!("The device was not added: {reason}."),
    };
    ApiError::Stopped { cause, detail, errors }
}

fn wait_text(seconds: u64) -> String {
    let (count, unit) = if seconds < 60 { (seconds, "second") } else { (seconds.div_ceil(60), "minute") };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// Returns the device to stock if it was only partly added by this CSP, and whether it is in stock then. This uses the service
/// session, because partner staff may not unregister devices. If this fails too, the next attempt to add the device continues here.
async fn undo_add(state: &CoreState, dsn: &str, csp: &str) -> bool {
    match find(state, dsn).await {
        Ok(Some(device)) if is_partly_added(&device, csp) => {
            let undone = async { state.service.cloud().await?.devices().unregister(&device.key).await };
            let undone = undone.await;
            if let Err(error) = &undone {
                tracing::warn!(device.dsn = %dsn, %error, "a partly added device was not returned to stock");
            }
            undone.is_ok()
        }
        Ok(found) => found.is_some_and(|device| device.registered == Some(false)),
        Err(error) => {
            tracing::warn!(device.dsn = %dsn, %error, "a partly added device could not be read for its return to stock");
            false
        }
    }
}

fn is_partly_added(device: &Device, csp: &str) -> bool {
    let mut partners = device
        .role_labels
        .iter()
        .filter_map(|it| it.label.as_ref())
        .filter(|it| it.key == PARTNER_LABEL_KEY)
        .peekable();
    let is_ours = partners.peek().is_some() && partners.all(|label| label.value == csp);
    is_ours && DeviceRecord::of(device).customer.is_none()
}

/// Response for actors who may add devices. It does not reveal the owner.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BaseDevice {
    dsn: String,
    /// Whether a device with this DSN exists.
    exists: bool,
    /// Whether the device is already registered.
    registered: bool,
}

/// Looks up whether a DSN belongs to a device that can be added.
///
/// # Errors
/// 403 if the actor may not add devices; errors of the service session.
pub(crate) async fn look_up(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<BaseDevice> {
    policy::can(actor, Action::Edit, Target::Devices).require()?;
    let device = find(state, dsn).await?;
    let registered = device.as_ref().is_some_and(|device| DeviceRecord::of(device).customer.is_some());
    Ok(BaseDevice { dsn: dsn.to_owned(), exists: device.is_some(), registered })
}

/// Reads a device regardless of its owner. This uses the service session, because CSP staff cannot see stock.
async fn find(state: &CoreState, dsn: &str) -> ApiResult<Option<Device>> {
    if !is_valid_dsn(dsn) {
        return Ok(None);
    }
    let cloud = state.service.cloud().await.map_err(|error| ApiError::of_service(&error))?;
    match cloud.devices().get(dsn).include([Include::Data, Include::RoleLabels]).send().await {
        Ok(device) => Ok(Some(device)),
        Err(error) if error.status() == Some(404) => Ok(None),
        Err(error) => Err(ApiError::of_service(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_is_told_in_seconds_and_minutes() {
        let rows = [(1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (61, "2 minutes"), (3600, "60 minutes")];
        for (seconds, text) in rows {
            assert_eq!(wait_text(seconds), text);
        }
    }
}
