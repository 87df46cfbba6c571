//! Device service: nodes behind a gateway, and the protocol's calls for access over a local network, which our devices do not
//! support (docs/wire.md#device-data).

use axum::Json;
use axum::extract::State;

use super::error::{Error, Result};
use super::extract::Caller;
use super::path::OfDevice;
use crate::app::App;
use crate::domain::policy::Action;
use crate::store;
use crate::wire::device::{DeviceWrapper, Included, ListedDevice};

/// GET apiv1/devices/{key}/nodes, apiv1/dsns/{dsn}/registered_nodes.
pub(super) async fn nodes(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
) -> Result<Json<Vec<DeviceWrapper<ListedDevice>>>> {
    let gateway = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    let nodes = store::devices::registered_nodes(&app.db, &caller.scope(&app), gateway.id).await?;
    let now = app.clock.now();
    let wrapped = |row| DeviceWrapper { device: ListedDevice::new(row, Included::default(), now) };
    Ok(Json(nodes.into_iter().map(wrapped).collect()))
}

/// GET apiv1/devices/{key}/commands, apiv1/dsns/{dsn}/cmds: always empty, because commands are sent over the device link.
pub(super) async fn commands(State(app): State<App>, caller: Caller, device: OfDevice) -> Result<Json<[(); 0]>> {
    caller.device(&app, device.reference(), Action::ReadDevice).await?;
    Ok(Json([]))
}

/// GET apiv1/devices/{key}/lan, apiv1/dsns/{dsn}/lan.
pub(super) async fn lan(State(app): State<App>, caller: Caller, device: OfDevice) -> Result<()> {
    caller.device(&app, device.reference(), Action::ReadDevice).await?;
    Err(Error::NO_LAN)
}
