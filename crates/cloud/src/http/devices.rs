//! Device service: lists, reads and changes devices (docs/wire.md#devices).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures::TryStreamExt;
use jiff::Timestamp;
use platform::db::Db;
use serde::Serialize;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::include::Include;
use super::page::{Numbers, Page};
use super::path::OfDevice;
use super::query::Query;
use super::unpaged;
use crate::app::App;
use crate::domain::policy::Action;
use crate::store::devices::{DeviceList, DeviceRow, Listing};
use crate::store::{self, device_columns, key_pages};
use crate::wire::device::{DeviceWrapper, Included, ListedDevice, SingleDevice};

/// Maximum length of a device's name, in characters.
const NAME: usize = 255;
/// Names in `filter[…]` that are not filters.
const NO_FILTERS: [&str; 3] = ["order", "order_by", "key_after"];

#[derive(Serialize)]
struct DevicePage {
    #[serde(flatten)]
    numbers: Numbers,
    devices: Vec<DeviceWrapper<ListedDevice>>,
}

/// GET apiv1/devices: all devices, or a page with `paginated=true`.
pub(super) async fn list(State(app): State<App>, caller: Caller, query: Query) -> Result<Response> {
    let (listing, page, include, scope) =
        (listing(&query)?, Page::of(&query)?, Include::of(&query), caller.scope(&app));
    let Some(page) = page else { return all(&app, &caller, DeviceList { scope, listing }, include).await };
    let rows = store::devices::list(&app.db, &scope, &listing, page.limit_and_offset()).await?;
    let devices = listed(&app.db, include, rows, app.clock.now()).await?;
    let total = store::devices::count(&app.db, &scope, &listing, page.count_limit()).await?;
    Ok(Json(DevicePage { numbers: page.numbers(total, devices.len()), devices }).into_response())
}

/// Responds with all devices of a list.
pub(super) async fn all(app: &App, caller: &Caller, list: DeviceList, include: Include) -> Result<Response> {
    let (db, now) = (app.db.clone(), app.clock.now());
    let pages = key_pages::pages(db.clone(), list).map_err(Error::from).and_then(move |rows| {
        let db = db.clone();
        async move { listed(&db, include, rows, now).await }
    });
    unpaged::respond(&app.lists, caller.0.user_id, pages).await
}

async fn listed(
    db: &Db,
    include: Include,
    rows: Vec<DeviceRow>,
    now: Timestamp,
) -> Result<Vec<DeviceWrapper<ListedDevice>>> {
    let devices = include.with(db, rows, now).await?.into_iter();
    Ok(devices.map(|(row, included)| DeviceWrapper { device: ListedDevice::new(row, included, now) }).collect())
}

/// GET apiv1/devices/{key}, apiv1/dsns/{dsn}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    query: Query,
) -> Result<Json<DeviceWrapper<SingleDevice>>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    let now = app.clock.now();
    let devices = Include::of(&query).with(&app.db, vec![device], now).await?;
    let (row, included) = devices.into_iter().next().ok_or(Error::DEVICE_NOT_FOUND)?;
    let faults =
        if row.faults.any() { store::device_faults::of_device(&app.db, row.id, now).await? } else { Vec::new() };
    Ok(Json(DeviceWrapper { device: SingleDevice::new(row, included, faults, now) }))
}

/// PUT apiv1/devices/{key}, apiv1/dsns/{dsn}.
pub(super) async fn rename(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<Json<DeviceWrapper<SingleDevice>>> {
    let mut device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let mut form = Form::under(&body, "device")?;
    let product_name = form.required_line("product_name", NAME);
    form.check()?;
    app.edits().rename(device.id, &product_name).await?;
    device.product_name = product_name;
    Ok(Json(DeviceWrapper { device: SingleDevice::new(device, Included::default(), vec![], app.clock.now()) }))
}

/// DELETE apiv1/devices/{key}: returns the device to factory stock.
pub(super) async fn unregister(State(app): State<App>, caller: Caller, device: OfDevice) -> Result<StatusCode> {
    let device = caller.device(&app, device.reference(), Action::ResetDevice).await?;
    app.edits().unregister(device.id).await?;
    Ok(StatusCode::OK)
}

/// PUT apiv1/devices/{key}/cmds/factory_reset.
pub(super) async fn factory_reset(State(app): State<App>, caller: Caller, device: OfDevice) -> Result<StatusCode> {
    let device = caller.device(&app, device.reference(), Action::ResetDevice).await?;
    app.edits().factory_reset(device.id).await?;
    Ok(StatusCode::OK)
}

/// Ignores unknown filters (docs/wire.md#pages) and rejects unknown orders.
fn listing(query: &Query) -> Result<Listing> {
    let order_by = match query.get_filtered("order_by") {
        None => device_columns::key(),
        Some(name) => {
            device_columns::find(name).ok_or_else(|| Error::invalid("order_by", "is no field of a device"))?
        }
    };
    let mut filters = Vec::new();
    for (name, value) in query.filters().filter(|(name, _)| !NO_FILTERS.contains(name)) {
        if let Some(column) = device_columns::find(name) {
            let text = |reason| Error::invalid("filter", format!("{name} {reason}"));
            filters.push(column.equals(value).map_err(text)?);
        }
    }
    Ok(Listing { filters, key_after: query.key_after()?, order_by, descending: query.descending()? })
}
