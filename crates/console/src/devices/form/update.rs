//! Saves the form of an existing device.

use devicecloud::Device;

use super::changes::{CurrentDevice, Step, changes, steps};
use super::fields::{CspChoice, DeviceForm, FormContext, StoredChoices};
use super::perform::perform;
use crate::audit::concurrent_changes::refuse_unseen;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::devices::writes::{finish_write, refresh};
use crate::devices::{level, service};
use crate::events::notices::DeviceEventKind;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::records::ReadDevice;
use crate::state::CoreState;
use crate::{csps, fragrances};

/// Writes the form's changed fields one by one with the actor's own token and returns the device as read back from the
/// cloud.
///
/// # Errors
/// 404, 403, 422 or 409, in this order. Stops at the first change that the cloud rejects and returns its error with the
/// parts saved before.
pub(crate) async fn update(state: &CoreState, actor: &Actor, dsn: &str, form: &DeviceForm) -> ApiResult<ReadDevice> {
    let device = service::read(state, actor, dsn).await?;
    let current = CurrentDevice::of(&device);
    policy::can(actor, Action::Edit, Target::Device { csp: current.record.csp.as_deref() }).require()?;
    let context = load_context(state, actor, form, Some(StoredChoices::of(&current.record))).await?;
    let requested = form.check(&context)?;

    let mut steps = steps(&current, &requested);
    // Last, because the actor loses access with the assignment to another CSP.
    let csp = requested.csp.filter(|csp| current.record.csp.as_deref() != Some(csp));
    steps.extend(csp.map(|csp| Step::Assign { csp, setup_code: None }));
    let target = audit::AuditTarget::device(dsn, None);
    refuse_unseen(&state.base.db, actor, &target, &form.seen, &changes_in_form(&steps, &current), FieldChange::field)
        .await?;
    let saved =
        if steps.is_empty() { refresh(state, actor, dsn).await? } else { save(state, actor, &device, &steps).await? };
    level::store_after_edit(state, actor, &saved).await;
    Ok(saved)
}

/// The changes with the values that the form shows: of the two time zones of a device, the one in its data.
fn changes_in_form(steps: &[Step], current: &CurrentDevice) -> Vec<FieldChange> {
    let zone = current.record.time_zone.clone();
    let change = |change: FieldChange| match change.field() {
        "timeZone" => FieldChange::new("timeZone", zone.clone(), change.after().clone()),
        _ => change,
    };
    changes(steps, current).into_iter().map(change).collect()
}

/// Executes the steps with the actor's own token and returns the device as read back from the cloud. Does not check
/// permissions; the caller must.
///
/// # Errors
/// Stops at the first step that the cloud rejects and returns its error with the parts saved before.
async fn save(state: &CoreState, actor: &Actor, device: &Device, steps: &[Step]) -> ApiResult<ReadDevice> {
    let (dsn, current) = (device.dsn.as_str(), CurrentDevice::of(device));
    // A move between CSPs is visible to neither CSP, because it names both.
    let changes_csp = steps.iter().any(Step::changes_csp);
    let target = audit::AuditTarget::device(dsn, current.record.csp.as_deref().filter(|_| !changes_csp));
    let change = Change { operation: Operation::UpdateDevice, target, fields: changes(steps, &current) };
    let entry = audit::begin(state, actor, &change).await?;
    let written = perform(&state.sessions.cloud(&actor.session), device, steps).await;
    finish_write(state, actor, device, entry, DeviceEventKind::Changed, written).await
}

/// Loads what the validation needs from the console's tables.
///
/// # Errors
/// 403 if the actor sees no devices.
pub(super) async fn load_context<'a>(
    state: &CoreState,
    actor: &'a Actor,
    form: &DeviceForm,
    before: Option<StoredChoices<'a>>,
) -> ApiResult<FormContext<'a>> {
    let db = &state.base.db;
    let csp = match actor.scope() {
        Scope::Csp(own) => CspChoice::Own(own),
        Scope::Everything => CspChoice::Chosen { exists: csps::exists(db, form.csp()).await? },
        Scope::Nothing => return Err(ApiError::Forbidden),
    };
    Ok(FormContext { before, has_fragrance: fragrances::find(db, form.fragrance()).await?.is_some(), csp })
}
