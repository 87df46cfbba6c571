//! Adds, changes and removes notifications with the actor's own token.

use devicecloud::{Client, Device};
use uuid::Uuid;

use super::form::NotificationForm;
use super::perform::NotificationWriter;
use super::plan::{
    Call, NotificationPlan, NotificationSettings, RECIPIENT, Step, addition, change, recipient_of, removal,
};
use super::read::{DeviceNotifications, read};
use super::removed;
use super::rows::{App, Event, NotificationRow};
use super::{NotificationView, SavedNotifications};
use crate::audit::concurrent_changes::refuse_unseen;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::base::Base;
use crate::devices::service;
use crate::events::notices::{self, DeviceEventKind};
use crate::forms::partial_writes::{Part, not_removed, stopped};
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{DeviceRecord, ReadDevice};
use crate::state::CoreState;

/// Builds the error of a failed step, with the parts saved before it.
type Failure = fn(Part, &[Part], ApiError) -> ApiError;

/// Returns the recipients of a device's notifications.
///
/// # Errors
/// 404; cloud errors.
pub(in crate::devices) async fn list(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<Vec<NotificationView>> {
    let device = service::read(state, actor, dsn).await?;
    views(state, actor, &device).await
}

/// A device that the actor may edit, with its notifications.
struct Editable {
    device: ReadDevice,
    csp: Option<String>,
    current: DeviceNotifications,
}

/// Adds a recipient; existing events stay as they are.
///
/// # Errors
/// 404, 403 or 422, in this order; if the cloud rejects a step, its error with the parts saved before.
pub(in crate::devices) async fn create(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    form: &NotificationForm,
) -> ApiResult<SavedNotifications> {
    let editable = editable(state, actor, dsn).await?;
    let requested = form.check(None)?;
    let plan = addition(&editable.current.rows, &requested);
    write(state, actor, Operation::CreateDeviceNotification, &editable, plan, stopped).await
}

/// Changes the recipient or the events of a notification.
///
/// # Errors
/// As [`create`]; 404 also for an unknown notification, and 409 for one with another recipient than the person saw.
pub(in crate::devices) async fn update(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    id: &str,
    form: &NotificationForm,
) -> ApiResult<SavedNotifications> {
    let editable = editable(state, actor, dsn).await?;
    let rows = &editable.current.rows;
    let row = match row(state, dsn, id, &editable) {
        Ok(row) => row,
        Err(not_found) => successor(state, actor, dsn, id, rows, form).await?.ok_or(not_found)?,
    };
    let requested = form.check(Some(row))?;
    let row_id = row.recipient.row_id(&state.opaque_ids, dsn);
    if row_id != id {
        let after = form.recipient_after(&requested.recipient);
        let recipient = [FieldChange::new(recipient_of(&row_id), row.recipient.display(), after)];
        let target = audit::AuditTarget::device(dsn, None);
        refuse_unseen(&state.base.db, actor, &target, &form.seen, &recipient, |_| RECIPIENT).await?;
    }
    let plan = change(rows, row, &requested, &requested.recipient.row_id(&state.opaque_ids, dsn));
    write(state, actor, Operation::UpdateDeviceNotification, &editable, plan, stopped).await
}

/// Removes a notification.
///
/// # Errors
/// As [`update`].
pub(in crate::devices) async fn remove(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    id: &str,
) -> ApiResult<SavedNotifications> {
    let editable = editable(state, actor, dsn).await?;
    let row = row(state, dsn, id, &editable)?;
    let settings = NotificationSettings { recipient: row.recipient.clone(), events: row.events() };
    let plan = removal(row, id);
    let saved = write(state, actor, Operation::DeleteDeviceNotification, &editable, plan, not_removed).await?;
    let Base { db, clock, random, .. } = &state.base;
    let now = clock.now();
    let undo = removed::store(db, dsn, random.uuid_at(now), &settings, now).await.inspect_err(|error| {
        tracing::warn!(device.dsn = %dsn, %error, "a removed notification could not be stored for an undo");
    });
    Ok(SavedNotifications { undo: undo.ok(), ..saved })
}

/// Adds a removed notification again, with those of its events that are still missing.
///
/// # Errors
/// 404 or 403; 409 if the removal was undone already or is too old; as [`create`] if the cloud rejects a step, in which case
/// the undo can be retried.
pub(in crate::devices) async fn undo_removal(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    id: Uuid,
) -> ApiResult<SavedNotifications> {
    let editable = editable(state, actor, dsn).await?;
    let base = &state.base;
    let Some(removed) = removed::find(&base.db, dsn, id, base.clock.now()).await? else {
        return Err(ApiError::Conflict("The removal was undone already, or is older than 30 seconds.".to_owned()));
    };
    let plan = addition(&editable.current.rows, &removed);
    let saved = write(state, actor, Operation::UndoDeviceNotificationRemoval, &editable, plan, stopped).await?;
    removed::delete(&base.db, id).await?;
    Ok(saved)
}

/// Executes the plan for `current`, the device's notifications as read before. `saved` are the parts saved before. Does not check permissions; the caller must.
///
/// # Errors
/// Stops at the first step that the cloud rejects and returns its error with the parts saved before.
pub(crate) async fn perform(
    cloud: &Client,
    device: &Device,
    current: &DeviceNotifications,
    plan: &NotificationPlan,
    saved: &[Part],
) -> ApiResult<()> {
    let steps = &plan.steps;
    NotificationWriter::new(cloud, device, current).write(steps).await.map_err(|(at, error)| {
        let before: Vec<Part> = saved.iter().copied().chain(parts(&steps[..at])).collect();
        stopped(steps[at].part, &before, error.into())
    })
}

async fn editable(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<Editable> {
    let device = service::read(state, actor, dsn).await?;
    let csp = DeviceRecord::of(&device).csp;
    policy::can(actor, Action::Edit, Target::Device { csp: csp.as_deref() }).require()?;
    let current = read(&state.sessions.cloud(&actor.session), &device).await?;
    Ok(Editable { device, csp, current })
}

fn row<'a>(state: &CoreState, dsn: &str, id: &str, editable: &'a Editable) -> ApiResult<&'a NotificationRow> {
    let mut rows = editable.current.rows.iter();
    rows.find(|row| row.recipient.row_id(&state.opaque_ids, dsn) == id).ok_or(ApiError::NotFound)
}

/// The row that the seen notification has become: its events keep their ids when this console or another application gives it
/// another recipient. A cloud may also give the ids of a notification that was removed here to a new one, which is no successor.
async fn successor<'a>(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    id: &str,
    rows: &'a [NotificationRow],
    form: &NotificationForm,
) -> ApiResult<Option<&'a NotificationRow>> {
    let is_seen = |(event, app): &(Event, App)| form.seen.get(event.part().field) == Some(app.to_string().as_str());
    let Some(row) = rows.iter().find(|row| row.apps.iter().any(is_seen)) else { return Ok(None) };
    let changes = audit::last_changes(&state.base.db, actor, &audit::AuditTarget::device(dsn, None)).await?;
    let was_removed = changes.get(&recipient_of(id)).is_some_and(|last| last.is_removal);
    Ok((!was_removed).then_some(row))
}

async fn write(
    state: &CoreState,
    actor: &Actor,
    operation: Operation,
    editable: &Editable,
    plan: NotificationPlan,
    failure: Failure,
) -> ApiResult<SavedNotifications> {
    let Editable { device, csp, current } = editable;
    let dsn = device.dsn.as_str();
    if plan.steps.is_empty() {
        return Ok(SavedNotifications {
            notifications: current.views(&state.opaque_ids, dsn),
            stale: false,
            undo: None,
        });
    }
    let target = audit::AuditTarget::device(dsn, csp.as_deref());
    let entry = audit::begin(state, actor, &Change { operation, target, fields: plan.fields }).await?;
    let cloud = state.sessions.cloud(&actor.session);
    let written = NotificationWriter::new(&cloud, device, current).write(&plan.steps).await;
    let written = written.map_err(|(at, error)| refused(&plan.steps, at, error, failure));
    entry.end(&written).await;
    // Also after a failure, because earlier parts were saved.
    notices::device(&state.base.bus, dsn, DeviceEventKind::Changed, &[]);
    written?;
    Ok(match views(state, actor, device).await {
        Ok(notifications) => SavedNotifications { notifications, stale: false, undo: None },
        Err(error) => {
            tracing::warn!(device.dsn = %dsn, %error, "notifications could not be read after a saved write");
            SavedNotifications { notifications: current.views(&state.opaque_ids, dsn), stale: true, undo: None }
        }
    })
}

async fn views(state: &CoreState, actor: &Actor, device: &Device) -> ApiResult<Vec<NotificationView>> {
    let notifications = read(&state.sessions.cloud(&actor.session), device).await?;
    Ok(notifications.views(&state.opaque_ids, device.dsn.as_str()))
}

/// The error of a failed step. Addresses are free text here, so the cloud's objection becomes a field error,
/// unless something was saved before.
fn refused(steps: &[Step], at: usize, error: devicecloud::Error, failure: Failure) -> ApiError {
    let is_of_field = error.status() == Some(422) && at == 0 && !matches!(steps[at].call, Call::Delete(_));
    let cause = ApiError::from(error);
    if is_of_field {
        return ApiError::invalid("recipient", cause.to_string());
    }
    failure(steps[at].part, &parts(&steps[..at]).collect::<Vec<_>>(), cause)
}

fn parts(steps: &[Step]) -> impl Iterator<Item = Part> {
    steps.iter().map(|step| step.part)
}
