//! Reading devices: the list from the index if it can be, one device from the cloud.

use devicecloud::Device;

use super::cloud_list;
use super::dto::{DeviceList, DeviceView, ListSource};
use crate::error::{ApiError, ApiResult};
use crate::index::{self, ListQuery};
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::records::DeviceRecord;
use crate::records::cloud_device;
use crate::state::AppState;

/// One page of the devices that `actor` may see: from the index, or from the cloud while there is no index.
///
/// # Errors
/// What [`cloud_list::list`] refuses.
pub(super) async fn list(state: &AppState, actor: &Actor, query: &ListQuery) -> ApiResult<DeviceList> {
    let as_of = index::as_of(&state.base.db).await?.filter(|_| !state.lists_from_cloud);
    let Some(as_of) = as_of else { return cloud_list::list(state, actor, query).await };
    let page = index::list(&state.base.db, actor, query).await?;
    Ok(DeviceList {
        devices: page
            .devices
            .into_iter()
            .map(|record| DeviceView::with_distance(record, actor, query.filter.near.as_ref()))
            .collect(),
        total: page.total,
        current_page_number: page.number,
        as_of,
        source: ListSource::Index,
    })
}

/// A device as the cloud knows it now, read with the actor's own token.
///
/// # Errors
/// 404 for a device outside the actor's scope, whichever of the two, cloud or policy, says so.
pub(super) async fn read(state: &AppState, actor: &Actor, dsn: &str) -> ApiResult<Device> {
    // An end user may read a device of their own in the cloud, but not here.
    if actor.scope() == Scope::Nothing {
        return Err(ApiError::NotFound);
    }
    let cloud = state.sessions.cloud(&actor.session);
    let device = cloud_device::read(&cloud, dsn).await?;
    // Factory stock is no device of the console yet; the cloud shows it to administrators.
    if device.registered == Some(false) {
        return Err(ApiError::NotFound);
    }
    let csp = DeviceRecord::of(&device).csp;
    policy::can(actor, Action::View, Target::Device { csp: csp.as_deref() }).require()?;
    Ok(device)
}
