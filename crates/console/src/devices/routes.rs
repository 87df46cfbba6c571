//! `/api/devices`.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::detail::{DeviceDetail, LevelResetResponse};
use super::dto::{DeviceList, DeviceSettingsForm};
use super::forecast::{DeviceForecast, WhatIf, WhatIfForm};
use super::form::{BaseDevice, DeviceForm, NewDevice};
use super::history::DeviceHistory;
use super::list_query::{ExcludeDsnParam, FilterParams};
use super::schedule::ScheduleForm;
use super::{forecast, form, history, level_reset, list_query, schedule, service, settings, writes};
use crate::http::error::{ApiError, ApiResult};
use crate::http::etag::{KnownTag, KnownTags};
use crate::http::request::{DsnPath, JsonBody, PartOfDevicePath, QueryPairs};
use crate::index::DeviceSort;
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::Actor;
use crate::reports::list_params::{PageParams, SortParams};
use crate::state::CoreState;

/// Returns one page of the devices that the caller may see; by default five devices, the newest first.
#[utoipa::path(
    get, path = "/api/devices", tag = "devices",
    security(("token" = ["devices_read"])),
    params(
        PageParams,
        SortParams<DeviceSort>,
        FilterParams,
        ExcludeDsnParam,
        KnownTag,
    ),
    responses(
        (
            status = 200, description = "The page", body = DeviceList,
            headers(("etag" = String, description = "Identifies the contents"))
        ),
        (
            status = 304, description = "The client has the contents already",
            headers(
                ("sillage-as-of" = String, description = "The present `asOf` of the page"),
                ("sillage-states-as-of" = String, description = "The present `statesAsOf` of the page")
            )
        ),
        ApiError
    )
)]
pub(super) async fn list_devices(
    State(state): State<CoreState>,
    actor: Actor,
    known: KnownTags,
    query: QueryPairs,
) -> ApiResult<Response> {
    let query = list_query::parse(&query, state.base.clock.now())?;
    let list = service::list(&state, &actor, &query).await?;
    Ok(known.respond_as_of(list.as_of, list.states_as_of, &list, &list.contents()))
}

/// Adds a device from stock.
#[utoipa::path(
    post, path = "/api/devices", tag = "devices",
    security(("token" = ["devices_write"])),
    request_body = NewDevice,
    responses((status = 201, description = "The device, read again after the writes", body = DeviceDetail), ApiError)
)]
pub(super) async fn create_device(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(new): JsonBody<NewDevice>,
) -> ApiResult<(StatusCode, Json<DeviceDetail>)> {
    let device = form::add(&state, &actor, &new).await?;
    Ok((StatusCode::CREATED, Json(DeviceDetail::of(&device, &actor, &state).await?)))
}

/// Looks up whether a DSN belongs to a device that can be added.
#[utoipa::path(
    get, path = "/api/devices/base/{dsn}", tag = "devices",
    security(("token" = ["devices_read"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    responses((status = 200, description = "Whether it exists and is registered", body = BaseDevice), ApiError)
)]
pub(super) async fn get_base_device(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
) -> ApiResult<Json<BaseDevice>> {
    state.limiters.look_ups.check(peer.ip(), &actor.user.to_string())?;
    Ok(Json(form::look_up(&state, &actor, &dsn).await?))
}

/// Returns one device with its latest commands, as read from the device cloud.
#[utoipa::path(
    get, path = "/api/devices/dsns/{dsn}", tag = "devices",
    security(("token" = ["devices_read"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    responses((status = 200, description = "The device", body = DeviceDetail), ApiError)
)]
pub(super) async fn get_device(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
) -> ApiResult<Json<DeviceDetail>> {
    let device = service::read(&state, &actor, &dsn).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}

/// Returns the history of a device: level, intensity and connection.
#[utoipa::path(
    get, path = "/api/devices/dsns/{dsn}/history", tag = "devices",
    security(("token" = ["devices_read"])),
    params(
        ("dsn" = String, Path, description = "Device serial number"),
        ("days" = Option<u8>, Query, minimum = 1, maximum = 60, description = "Number of days, 60 by default"),
    ),
    responses((status = 200, description = "The series", body = DeviceHistory), ApiError)
)]
pub(super) async fn get_device_history(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    query: QueryPairs,
) -> ApiResult<Json<DeviceHistory>> {
    let days = history::days(&query)?;
    Ok(Json(history::read(&state, &actor, &dsn, days).await?))
}

/// Returns when the cartridge of a device is expected to be empty, with the levels before.
#[utoipa::path(
    get, path = "/api/devices/dsns/{dsn}/forecast", tag = "devices",
    security(("token" = ["devices_read"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    responses((status = 200, description = "The forecast", body = DeviceForecast), ApiError)
)]
pub(super) async fn get_device_forecast(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
) -> ApiResult<Json<DeviceForecast>> {
    Ok(Json(forecast::read(&state, &actor, &dsn).await?))
}

/// Returns what the forecast would be after these settings and schedule frames have been saved. Changes nothing. Requires
/// permission to edit the device.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/forecast", tag = "devices",
    security(("token" = ["devices_read"])),
    extensions(("x-reads" = json!(true))),
    params(("dsn" = String, Path, description = "Device serial number")),
    request_body = WhatIfForm,
    responses((status = 200, description = "The forecasts before and after", body = WhatIf), ApiError)
)]
pub(super) async fn preview_device_forecast(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    JsonBody(form): JsonBody<WhatIfForm>,
) -> ApiResult<Json<WhatIf>> {
    state.limiters.forecasts.check(peer.ip(), &actor.user.to_string())?;
    Ok(Json(forecast::what_if(&state, &actor, &dsn, &form).await?))
}

/// Reads a device from the device cloud and updates the lists.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}", tag = "devices",
    security(("token" = ["devices_read"])),
    extensions(("x-reads" = json!(true))),
    params(("dsn" = String, Path, description = "Device serial number")),
    responses((status = 200, description = "The device", body = DeviceDetail), ApiError)
)]
pub(super) async fn refresh_device(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
) -> ApiResult<Json<DeviceDetail>> {
    let device = writes::refresh(&state, &actor, &dsn).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}

/// Saves the fields in the body that differ. Other fields keep their values.
#[utoipa::path(
    put, path = "/api/devices/dsns/{dsn}", tag = "devices",
    security(("token" = ["devices_write"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    request_body = DeviceForm,
    responses((status = 200, description = "The device, read again after the writes", body = DeviceDetail), ApiError)
)]
pub(super) async fn update_device(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    JsonBody(form): JsonBody<DeviceForm>,
) -> ApiResult<Json<DeviceDetail>> {
    let device = locked(&state.base, LockedRecord::Device(&dsn), form::update(&state, &actor, &dsn, &form)).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}

/// Resets the level of a device with a new cartridge to 100 percent. The reset can be undone for 30 seconds, and later
/// as long as the device reports no new values.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/fragrance-level/reset", tag = "devices",
    security(("token" = ["devices_write"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    responses((status = 200, description = "The device, read again after the writes", body = LevelResetResponse), ApiError)
)]
pub(super) async fn reset_fragrance_level(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
) -> ApiResult<Json<LevelResetResponse>> {
    let reset = level_reset::reset(&state, &actor, &dsn);
    let (device, reset) = locked(&state.base, LockedRecord::Device(&dsn), reset).await?;
    Ok(Json(LevelResetResponse { device: DeviceDetail::of(&device, &actor, &state).await?, reset }))
}

/// Restores cartridge life and level from before a reset.
///
/// 409 if the reset was already undone, one of the values was changed since, or the reset is older than 30 seconds and the
/// device has reported new values.
#[utoipa::path(
    post, path = "/api/devices/dsns/{dsn}/fragrance-level/resets/{id}/undo", tag = "devices",
    security(("token" = ["devices_write"])),
    params(
        ("dsn" = String, Path, description = "Device serial number"),
        ("id" = uuid::Uuid, Path, description = "Id of the reset, from its response"),
    ),
    responses((status = 200, description = "The device, read again after the writes", body = DeviceDetail), ApiError)
)]
pub(super) async fn undo_fragrance_level_reset(
    State(state): State<CoreState>,
    actor: Actor,
    PartOfDevicePath { dsn, id }: PartOfDevicePath,
) -> ApiResult<Json<DeviceDetail>> {
    let id = id.parse().map_err(|_| ApiError::NotFound)?;
    let device = locked(&state.base, LockedRecord::Device(&dsn), level_reset::undo(&state, &actor, &dsn, id)).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}

/// Sends new settings to a device.
#[utoipa::path(
    put, path = "/api/devices/dsns/{dsn}/settings", tag = "devices",
    security(("token" = ["devices_write"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    request_body = DeviceSettingsForm,
    responses((status = 200, description = "The device, read again after the write", body = DeviceDetail), ApiError)
)]
pub(super) async fn update_device_settings(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    JsonBody(wanted): JsonBody<DeviceSettingsForm>,
) -> ApiResult<Json<DeviceDetail>> {
    let device =
        locked(&state.base, LockedRecord::Device(&dsn), settings::update(&state, &actor, &dsn, wanted)).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}

/// Stores frames of a weekly schedule. Other frames keep their values.
#[utoipa::path(
    put, path = "/api/devices/dsns/{dsn}/schedule", tag = "devices",
    security(("token" = ["devices_write"])),
    params(("dsn" = String, Path, description = "Device serial number")),
    request_body = ScheduleForm,
    responses((status = 200, description = "The device, read again after the write", body = DeviceDetail), ApiError)
)]
pub(super) async fn update_device_schedule(
    State(state): State<CoreState>,
    actor: Actor,
    DsnPath(dsn): DsnPath,
    JsonBody(form): JsonBody<ScheduleForm>,
) -> ApiResult<Json<DeviceDetail>> {
    let device = locked(&state.base, LockedRecord::Device(&dsn), schedule::update(&state, &actor, &dsn, &form)).await?;
    Ok(Json(DeviceDetail::of(&device, &actor, &state).await?))
}
