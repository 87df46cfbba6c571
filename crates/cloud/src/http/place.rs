//! Device service: address, time zone and location of a device (docs/wire.md#device-data).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use platform::run::clock::to_micros;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::OfDevice;
use crate::app::App;
use crate::domain::location::{LATITUDE, LONGITUDE, NewLocation, Provider};
use crate::domain::policy::Action;
use crate::domain::time_zone;
use crate::store::devices::DeviceRef;
use crate::wire::device::{Addr, TimeZone};
use crate::wire::place::{AddrWrapper, Location, LocationWrapper, TimeZoneWrapper};

/// Maximum length of a part of an address, in characters.
const ADDRESS_PART: usize = 255;
/// Maximum length of the name of a time zone or provider, in characters.
const NAME: usize = 64;

/// GET apiv1/devices/{key}/addr.
pub(super) async fn addr(State(app): State<App>, caller: Caller, device: OfDevice) -> Result<Json<AddrWrapper>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    Ok(Json(AddrWrapper { addr: Addr::new(&device) }))
}

/// PUT apiv1/devices/{key}/addr: replaces the whole address; missing parts are cleared.
pub(super) async fn set_addr(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<Json<AddrWrapper>> {
    let device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let mut form = Form::under(&body, "addr")?;
    let address = ["street", "city", "state", "country", "zip"].map(|part| form.line(part, ADDRESS_PART));
    form.check()?;
    app.edits().set_address(device.id, address.each_ref().map(Option::as_deref)).await?;
    let device = caller.device(&app, DeviceRef::Key(device.id), Action::EditDevice).await?;
    Ok(Json(AddrWrapper { addr: Addr::new(&device) }))
}

/// GET apiv1/devices/{key}/time_zones, apiv1/dsns/{dsn}/time_zones.
pub(super) async fn time_zone(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
) -> Result<Json<TimeZoneWrapper>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    Ok(Json(TimeZoneWrapper::from(TimeZone::new(&device, app.clock.now()))))
}

/// PUT apiv1/devices/{key}/time_zones, apiv1/dsns/{dsn}/time_zones.
pub(super) async fn set_time_zone(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<Json<TimeZoneWrapper>> {
    let mut device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let mut form = Form::of(&body);
    let name = form.required("tz_id", NAME);
    form.check()?;
    let tz_id = time_zone::canonical(name).ok_or_else(|| Error::invalid("tz_id", "is no time zone"))?;
    app.edits().set_time_zone(device.id, &device.dsn, Some(&tz_id)).await?;
    device.tz_id = Some(tz_id);
    Ok(Json(TimeZoneWrapper::from(TimeZone::new(&device, app.clock.now()))))
}

/// POST apiv1/devices/{key}/locations.
pub(super) async fn set_location(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<(StatusCode, Json<LocationWrapper>)> {
    let device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let mut form = Form::under(&body, "location")?;
    let (lat, lng) = (form.number("lat", &LATITUDE), form.number("long", &LONGITUDE));
    let provider = form.text("provider", NAME).map_or(Some(Provider::User), Provider::find);
    if provider.is_none() {
        form.refuse("provider", "is not ip-based, wifi-based, user-based or setup-based");
    }
    form.check()?;
    let location = NewLocation { lat, lng, provider: provider.unwrap_or(Provider::User) };
    let at = app.edits().set_location(device.id, &location).await?;
    let location = Location::new(device.id, &location, to_micros(at));
    Ok((StatusCode::CREATED, Json(LocationWrapper { location })))
}
