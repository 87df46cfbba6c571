//! Device service: who is told when something happens to a device (wire-facts 4.6). Nobody can ask for that yet.

use axum::Json;
use axum::extract::State;

use super::error::Result;
use super::extract::Caller;
use super::path::OfDevice;
use crate::app::App;
use crate::domain::policy::Action;

/// GET apiv1/devices/{key}/notifications/all.
pub(super) async fn list(State(app): State<App>, caller: Caller, device: OfDevice) -> Result<Json<[(); 0]>> {
    caller.device(&app, device.reference(), Action::ReadDevice).await?;
    Ok(Json([]))
}
