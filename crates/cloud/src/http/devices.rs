//! Device service: lists of devices and single ones (wire-facts 4.1, 4.2).

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::error::{Error, Result};
use super::extract::Caller;
use super::include::Include;
use super::page::{Numbers, Page};
use super::path::{Path, key};
use super::query::Query;
use crate::app::App;
use crate::domain::policy::Action;
use crate::store;
use crate::store::device_columns;
use crate::store::devices::{DeviceRef, Listing};
use crate::wire::device::{DeviceWrapper, ListedDevice, SingleDevice};

/// Names in `filter[…]` that are no filters.
const NO_FILTERS: [&str; 3] = ["order", "order_by", "key_after"];

#[derive(Serialize)]
struct DevicePage {
    #[serde(flatten)]
    numbers: Numbers,
    devices: Vec<DeviceWrapper<ListedDevice>>,
}

/// GET apiv1/devices: plain, or with `paginated=true` a page.
pub(super) async fn list(State(app): State<App>, caller: Caller, query: Query) -> Result<Response> {
    let (listing, page, scope) = (listing(&query)?, Page::of(&query)?, caller.scope());
    let rows = store::devices::list(&app.db, &scope, &listing, page.map(Page::limit_and_offset)).await?;
    let devices = Include::of(&query).with(&app.db, rows, app.clock.now()).await?;
    let devices: Vec<_> =
        devices.into_iter().map(|(row, included)| DeviceWrapper { device: ListedDevice::new(row, included) }).collect();
    let Some(page) = page else { return Ok(Json(devices).into_response()) };
    let total = store::devices::count(&app.db, &scope, &listing).await?;
    Ok(Json(DevicePage { numbers: page.numbers(total, devices.len()), devices }).into_response())
}

/// GET apiv1/devices/{key}.
pub(super) async fn get_by_key(
    State(app): State<App>,
    caller: Caller,
    Path(device): Path<String>,
    query: Query,
) -> Result<Json<DeviceWrapper<SingleDevice>>> {
    let device = DeviceRef::Key(key(&device, Error::DEVICE_NOT_FOUND)?);
    get(&app, &caller, device, &query).await
}

/// GET apiv1/dsns/{dsn}.
pub(super) async fn get_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path(dsn): Path<String>,
    query: Query,
) -> Result<Json<DeviceWrapper<SingleDevice>>> {
    get(&app, &caller, DeviceRef::Dsn(&dsn), &query).await
}

async fn get(
    app: &App,
    caller: &Caller,
    device: DeviceRef<'_>,
    query: &Query,
) -> Result<Json<DeviceWrapper<SingleDevice>>> {
    let device = caller.device(app, device, Action::ReadDevice).await?;
    let devices = Include::of(query).with(&app.db, vec![device], app.clock.now()).await?;
    let (row, included) = devices.into_iter().next().ok_or(Error::DEVICE_NOT_FOUND)?;
    Ok(Json(DeviceWrapper { device: SingleDevice::new(row, included) }))
}

/// Unknown filters are ignored (wire-facts section 7); an order that cannot be followed is refused.
fn listing(query: &Query) -> Result<Listing> {
    let order_by = match query.get_filtered("order_by") {
        None => device_columns::key(),
        Some(name) => {
            device_columns::find(name).ok_or_else(|| Error::invalid("order_by", "is no field of a device"))?
        }
    };
    let descending = match query.get_filtered("order").map(str::to_ascii_lowercase).as_deref() {
        None | Some("asc") => false,
        Some("desc") => true,
        Some(_) => return Err(Error::invalid("order", "is not asc or desc")),
    };
    let key_after = query.get_filtered("key_after").map(str::parse).transpose();
    let mut filters = Vec::new();
    for (name, value) in query.filters().filter(|(name, _)| !NO_FILTERS.contains(name)) {
        if let Some(column) = device_columns::find(name) {
            let text = |reason| Error::invalid("filter", format!("{name} {reason}"));
            filters.push(column.equals(value).map_err(text)?);
        }
    }
    Ok(Listing {
        filters,
        key_after: key_after.map_err(|_| Error::invalid("key_after", "is not a number"))?,
        order_by,
        descending,
    })
}
