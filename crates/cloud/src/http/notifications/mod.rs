//! Device service: notifications about connection changes (docs/wire.md#notifications). Whoever sees the device sees all of
//! it; whoever may change the device may change it.

mod apps;

pub(super) use apps::{create as create_app, delete as delete_app, list as apps};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{OfDevice, Path, key};
use crate::app::App;
use crate::domain::notification::{DEFAULT_THRESHOLD, NotificationType, THRESHOLD};
use crate::domain::policy::Action;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::notifications::{NewNotification, NotificationRow};
use crate::wire::notification::NotificationWrapper;

/// The most notifications of a device: each of its comings and goings is compared with all of them.
const MOST: i64 = 20;
/// The longest name of a type, in characters.
const TYPE: usize = 32;
/// The longest message, in characters.
pub(super) const MESSAGE: usize = 1_000;

/// GET apiv1/devices/{key}/notifications: those that the caller made.
pub(super) async fn own(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
) -> Result<Json<Vec<NotificationWrapper>>> {
    list(&app, &caller, &device, Some(caller.0.user_id)).await
}

/// GET apiv1/devices/{key}/notifications/all.
pub(super) async fn all(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
) -> Result<Json<Vec<NotificationWrapper>>> {
    list(&app, &caller, &device, None).await
}

async fn list(
    app: &App,
    caller: &Caller,
    device: &OfDevice,
    user_id: Option<i64>,
) -> Result<Json<Vec<NotificationWrapper>>> {
    let device = caller.device(app, device.reference(), Action::ReadDevice).await?;
    let rows = store::notifications::of_device(&app.db, device.id, user_id).await?;
    Ok(Json(rows.into_iter().map(NotificationWrapper::from).collect()))
}

/// POST apiv1/devices/{key}/notifications.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<(StatusCode, Json<NotificationWrapper>)> {
    let device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let mut form = Form::under_or_bare(&body, "notification")?;
    let name = form.required("notification_type", TYPE);
    let notification_type = NotificationType::find(name);
    if notification_type.is_none() && !name.is_empty() {
        form.refuse("notification_type", "is not on_connect, on_connection_lost or on_connection_restore");
    }
    let threshold = form.whole("threshold", THRESHOLD).unwrap_or(DEFAULT_THRESHOLD);
    let message = form.text("message", MESSAGE);
    form.unsupported(&["url"]);
    form.check()?;
    let new = NewNotification {
        device_id: device.id,
        user_id: caller.0.user_id,
        notification_type: notification_type.ok_or(Error::MALFORMED)?,
        threshold,
        message,
    };
    let mut tx = app.db.begin().await?;
    // Held, so that nobody sends it back to stock meanwhile.
    if store::device_edits::lock_rows(&mut tx, caller.0.oem_id, device.id).await? != Some(true) {
        return Err(Error::invalid("base", "is not registered"));
    }
    if store::notifications::count(&mut tx, device.id).await? >= MOST {
        return Err(Error::invalid("base", format!("has too many notifications (max: {MOST})")));
    }
    let id = store::notifications::insert(&mut tx, new, app.clock.now()).await?;
    tx.commit().await?;
    let row = store::notifications::find(&app.db, id).await?.ok_or(Error::NOTIFICATION_NOT_FOUND)?;
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// DELETE apiv1/notifications/{id}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    let row = find(&app, &caller, &id, Action::EditDevice).await?;
    let deleted = store::notifications::delete(&app.db, row.id).await?;
    if deleted { Ok(StatusCode::OK) } else { Err(Error::NOTIFICATION_NOT_FOUND) }
}

/// The notification with whose device the caller wants to do this.
///
/// # Errors
/// 404 when the caller may not know of it, 403 when the caller may not do this.
async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<NotificationRow> {
    let id = key(id, Error::NOTIFICATION_NOT_FOUND)?;
    let row = store::notifications::find(&app.db, id).await?.ok_or(Error::NOTIFICATION_NOT_FOUND)?;
    let device = store::devices::find(&app.db, &caller.scope(app), DeviceRef::Key(row.device_id)).await?;
    let device = device.ok_or(Error::NOTIFICATION_NOT_FOUND)?;
    if caller.may(&device, action) { Ok(row) } else { Err(Error::FORBIDDEN) }
}
