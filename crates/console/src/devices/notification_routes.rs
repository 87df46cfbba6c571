//! `/api/devices/dsns/{dsn}/notifications`.

use axum::Json;
use axum::extract::State;

use super::notifications::{self, NotificationForm, NotificationView, SavedNotifications};
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::{DsnPath, JsonBody, PartOfDevicePath};
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::Actor;
use crate::state::CoreState;

/// Returns the recipients of a device's notifications.
#[utoipa::path(
    get, path = "/api/devices/dsns/{dsn}/notifications", tag = "devices",
    security(("token" = ["devices_read"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    responses((status = 200, description = "The notifications", body = Vec<NotificationView>), ApiError)
)]
pub(super) async fn list_device_notifications(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
) -> ApiResult<Json<Vec<NotificationView>>> {
    Ok(Json(notifications::list(&state, &actor, &dsn).await?))
}

/// Adds a recipient of a device's notifications. Existing events of the recipient are not added twice.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/notifications", tag = "devices",
    security(("token" = ["devices_write"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    request_body = NotificationForm,
    responses((status = 200, description = "The notifications, read again after the writes", body = SavedNotifications), ApiError)
)]
pub(super) async fn create_device_notification(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    JsonBody(form): JsonBody<NotificationForm>,
) -> ApiResult<Json<SavedNotifications>> {
    Ok(Json(locked(&state.base, LockedRecord::Device(&dsn), notifications::create(&state, &actor, &dsn, &form)).await?))
}

/// Changes the recipient or the events of a notification. Its method stays.
#[utoipa::path(
    put, path = "/api/devices/dsns/{dsn}/notifications/{id}", tag = "devices",
    security(("token" = ["devices_write"])),
    params(
        ("dsn" = String, Path, description = "Device serial number"),
        ("id" = String, Path, description = "The notification"),
    ),
    request_body = NotificationForm,
    responses((status = 200, description = "The notifications, read again after the writes", body = SavedNotifications), ApiError)
)]
pub(super) async fn update_device_notification(
    State(state): State<CoreState>,
    actor: Actor,
    PartOfDevicePath { dsn, id }: PartOfDevicePath,
    JsonBody(form): JsonBody<NotificationForm>,
) -> ApiResult<Json<SavedNotifications>> {
    Ok(Json(
        locked(&state.base, LockedRecord::Device(&dsn), notifications::update(&state, &actor, &dsn, &id, &form))
            .await?,
    ))
}

/// Removes a notification with all its events. The removal can be undone for 30 seconds.
#[utoipa::path(
    delete, path = "/api/devices/dsns/{dsn}/notifications/{id}", tag = "devices",
    security(("token" = ["devices_write"])),
    params(
        ("dsn" = String, Path, description = "Device serial number"),
        ("id" = String, Path, description = "The notification"),
    ),
    responses((status = 200, description = "The notifications, read again after the writes", body = SavedNotifications), ApiError)
)]
pub(super) async fn delete_device_notification(
    State(state): State<CoreState>,
    actor: Actor,
    PartOfDevicePath { dsn, id }: PartOfDevicePath,
) -> ApiResult<Json<SavedNotifications>> {
    Ok(Json(locked(&state.base, LockedRecord::Device(&dsn), notifications::remove(&state, &actor, &dsn, &id)).await?))
}

/// Adds a removed notification again, with the events that it had.
///
/// 409 if the removal was undone already or is older than 30 seconds.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/notifications/removals/{id}/undo", tag = "devices",
    security(("token" = ["devices_write"])),
    params(
        ("dsn" = String, Path, description = "Device serial number"),
        ("id" = uuid::Uuid, Path, description = "Id of the removal, from its response"),
    ),
    responses((status = 200, description = "The notifications, read again after the writes", body = SavedNotifications), ApiError)
)]
pub(super) async fn undo_device_notification_removal(
    State(state): State<CoreState>,
    actor: Actor,
    PartOfDevicePath { dsn, id }: PartOfDevicePath,
) -> ApiResult<Json<SavedNotifications>> {
    let id = id.parse().map_err(|_| ApiError::NotFound)?;
    Ok(Json(
        locked(&state.base, LockedRecord::Device(&dsn), notifications::undo_removal(&state, &actor, &dsn, id)).await?,
    ))
}
