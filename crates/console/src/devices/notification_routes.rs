//! `/api/devices/dsns/{dsn}/notifications`.

use axum::Json;
use axum::extract::State;

use super::detail::DeviceDetail;
use super::notifications::{self, NotificationForm};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::request::{DsnPath, JsonBody, PartOfDevicePath};

/// Adds a recipient of a device's notifications. Existing events of the recipient are not added twice.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/notifications", tag = "devices",
    params(("dsn" = String, Path, description = "Device serial number")),
    request_body = NotificationForm,
    responses((status = 200, description = "The device, read again after the writes", body = DeviceDetail), ApiError)
)]
pub(super) async fn create_device_notification(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    JsonBody(form): JsonBody<NotificationForm>,
) -> ApiResult<Json<DeviceDetail>> {
    let device = notifications::create(&state, &actor, &dsn, &form).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}

/// Changes the recipient or the events of a notification. Its method stays.
#[utoipa::path(
    put, path = "/api/devices/dsns/{dsn}/notifications/{id}", tag = "devices",
    params(
        ("dsn" = String, Path, description = "Device serial number"),
        ("id" = String, Path, description = "The notification"),
    ),
    request_body = NotificationForm,
    responses((status = 200, description = "The device, read again after the writes", body = DeviceDetail), ApiError)
)]
pub(super) async fn update_device_notification(
    State(state): State<CoreState>,
    actor: Actor,
    PartOfDevicePath { dsn, id }: PartOfDevicePath,
    JsonBody(form): JsonBody<NotificationForm>,
) -> ApiResult<Json<DeviceDetail>> {
    let device = notifications::update(&state, &actor, &dsn, &id, &form).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}

/// Removes a notification with all its events.
#[utoipa::path(
    delete, path = "/api/devices/dsns/{dsn}/notifications/{id}", tag = "devices",
    params(
        ("dsn" = String, Path, description = "Device serial number"),
        ("id" = String, Path, description = "The notification"),
    ),
    responses((status = 200, description = "The device, read again after the writes", body = DeviceDetail), ApiError)
)]
pub(super) async fn delete_device_notification(
    State(state): State<CoreState>,
    actor: Actor,
    PartOfDevicePath { dsn, id }: PartOfDevicePath,
) -> ApiResult<Json<DeviceDetail>> {
    let device = notifications::remove(&state, &actor, &dsn, &id).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}
