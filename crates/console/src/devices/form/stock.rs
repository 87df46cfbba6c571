//! Looks up devices in factory stock.

use devicecloud::{Device, Include};
use serde::Serialize;
use utoipa::ToSchema;

use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::DeviceRecord;
use crate::request::may_be_dsn;

/// Response for actors who may add devices. It does not reveal the owner.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BaseDevice {
    pub(super) dsn: String,
    /// Whether a device with this DSN exists.
    pub(super) exists: bool,
    /// Whether the device is already registered.
    pub(super) registered: bool,
}

/// # Errors
/// 403 if the actor may not add devices; errors of the service session.
pub(crate) async fn look_up(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<BaseDevice> {
    policy::can(actor, Action::Edit, Target::Devices).require()?;
    let device = find(state, dsn).await?;
    let registered = device.as_ref().is_some_and(|device| DeviceRecord::of(device).customer.is_some());
    Ok(BaseDevice { dsn: dsn.to_owned(), exists: device.is_some(), registered })
}

/// Reads a device regardless of its owner. This uses the service session, because CSP staff cannot see stock.
pub(super) async fn find(state: &CoreState, dsn: &str) -> ApiResult<Option<Device>> {
    if !may_be_dsn(dsn) {
        return Ok(None);
    }
    let cloud = state.service.cloud().await.map_err(|error| ApiError::of_service(&error))?;
    match cloud.devices().get(dsn).include([Include::Data, Include::RoleLabels]).send().await {
        Ok(device) => Ok(Some(device)),
        Err(error) if error.status() == Some(404) => Ok(None),
        Err(error) => Err(ApiError::of_service(&error)),
    }
}
