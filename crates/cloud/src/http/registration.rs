//! Device service: registration windows (docs/wire.md#device-data). This cloud opens none: the label of
//! the first partner registers a device. These calls only return the protocol's errors.

use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::query::Query;
use crate::app::App;
use crate::store;
use crate::store::devices::DeviceRef;

/// Maximum length of a serial number, in characters.
const DSN: usize = 64;

const NO_CANDIDATE: Error = Error::Text(StatusCode::NOT_FOUND, "There is no device to register");
const NO_WINDOW: Error = Error::Text(StatusCode::PRECONDITION_FAILED, "The registration window is not open");
const REGISTERED: Error = Error::Text(StatusCode::EXPECTATION_FAILED, "The device is already registered");

/// GET apiv1/devices/register: a candidate, by its serial number.
pub(super) async fn candidate(State(app): State<App>, caller: Caller, query: Query) -> Result<()> {
    let registered = match query.get("dsn") {
        Some(dsn) => registered(&app, &caller, dsn).await?,
        None => None,
    };
    Err(if registered == Some(false) { NO_WINDOW } else { NO_CANDIDATE })
}

/// POST apiv1/devices: registers a candidate.
pub(super) async fn register(State(app): State<App>, caller: Caller, Body(body): Body) -> Result<()> {
    let mut form = Form::under(&body, "device")?;
    let dsn = form.required("dsn", DSN);
    form.check()?;
    Err(match registered(&app, &caller, dsn).await? {
        None => NO_CANDIDATE,
        Some(false) => NO_WINDOW,
        Some(true) => REGISTERED,
    })
}

/// Whether the device is registered; `None` if it is not in the caller's scope.
async fn registered(app: &App, caller: &Caller, dsn: &str) -> Result<Option<bool>> {
    let device = store::devices::find(&app.db, &caller.scope(app), DeviceRef::Dsn(dsn)).await?;
    Ok(device.map(|device| device.registered))
}
