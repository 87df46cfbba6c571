//! Device service: notifications about connection changes (docs/wire.md#notifications). A user who sees a device sees all of
//! its notifications; a user who may edit the device may change them.

mod apps;

pub(super) use apps::{create as create_app, delete as delete_app, list as apps, update as update_app};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::merge::merged;
use super::path::{OfDevice, Path, key};
use crate::app::App;
use crate::devices::notifications::{NotificationError, NotificationInput};
use crate::domain::notification::{DEFAULT_THRESHOLD, NotificationType, THRESHOLD};
use crate::domain::policy::Action;
use crate::store;
use crate::store::notifications::NotificationRow;
use crate::wire::notification::NotificationWrapper;

/// Maximum lengths, in characters.
const TYPE: usize = 32;
pub(super) const MESSAGE: usize = 1_000;

/// GET apiv1/devices/{key}/notifications: the notifications that the caller created.
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
    let input = read(Form::under_or_bare(&body, "notification")?)?;
    let row = app.notifications().create(&caller.0, device.id, input).await?;
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// PUT apiv1/notifications/{id}: missing fields stay.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<NotificationWrapper>> {
    let change = |row: &NotificationRow| -> Result<_> {
        let members = merged(NotificationWrapper::from(row.clone()), &body, "notification")?;
        read(Form::of(&members))
    };
    let row = app.notifications().update(&caller.0, key(&id, Error::NOTIFICATION_NOT_FOUND)?, change).await?;
    Ok(Json(row.into()))
}

/// Reads a notification.
///
/// # Errors
/// 422 with all invalid fields.
fn read(mut form: Form<'_>) -> Result<NotificationInput> {
    let name = form.required("notification_type", TYPE);
    let notification_type = NotificationType::find(name);
    if notification_type.is_none() && !name.is_empty() {
        form.refuse("notification_type", "is not on_connect, on_connection_lost or on_connection_restore");
    }
    let threshold = form.whole("threshold", THRESHOLD).unwrap_or(DEFAULT_THRESHOLD);
    let message = form.text("message", MESSAGE);
    form.unsupported(&["url"]);
    form.check()?;
    Ok(NotificationInput {
        notification_type: notification_type.ok_or(Error::MALFORMED)?,
        threshold,
        message: message.map(str::to_owned),
    })
}

/// DELETE apiv1/notifications/{id}.
pub(super) async fn delete(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    app.notifications().delete(&caller.0, key(&id, Error::NOTIFICATION_NOT_FOUND)?).await?;
    Ok(StatusCode::OK)
}

/// The notification of a path, if the caller may perform the action on its device.
async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<NotificationRow> {
    Ok(app.notifications().find(&caller.0, key(id, Error::NOTIFICATION_NOT_FOUND)?, action).await?)
}

impl From<NotificationError> for Error {
    fn from(error: NotificationError) -> Self {
        match error {
            NotificationError::NotFound => Self::NOTIFICATION_NOT_FOUND,
            NotificationError::AppNotFound => Self::NOTIFICATION_APP_NOT_FOUND,
            NotificationError::TooMany { max } => {
                Self::invalid("base", format!("has too many notifications (max: {max})"))
            }
            NotificationError::TooManyApps { max } => Self::invalid("base", format!("has too many apps (max: {max})")),
            NotificationError::Access(error) => error.into(),
            NotificationError::Database(error) => error.into(),
        }
    }
}
