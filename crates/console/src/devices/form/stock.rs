//! Factory stock: whether a serial number is a device that can be added.

use devicecloud::{Device, Include};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::DeviceRecord;
use crate::request::may_be_dsn;
use crate::state::AppState;

/// What is said of a serial number to who may add devices: nothing about whose it is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BaseDevice {
    pub(super) dsn: String,
    /// Whether there is a device with this serial number.
    pub(super) exists: bool,
    /// Whether somebody has it already.
    pub(super) registered: bool,
}

/// # Errors
/// 403 for who may not add devices; what the cloud says to the service session.
pub(crate) async fn look_up(state: &AppState, actor: &Actor, dsn: &str) -> ApiResult<BaseDevice> {
    policy::can(actor, Action::Edit, Target::Devices).require()?;
    let device = find(state, dsn).await?;
    let registered = device.as_ref().is_some_and(|device| DeviceRecord::of(device).customer.is_some());
    Ok(BaseDevice { dsn: dsn.to_owned(), exists: device.is_some(), registered })
}

/// The device of this serial number, whosever it is: read by the service session, because a CSP's people do not see stock.
pub(super) async fn find(state: &AppState, dsn: &str) -> ApiResult<Option<Device>> {
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
