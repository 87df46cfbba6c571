//! Reads devices: lists from the index if possible, single devices from the cloud.

use super::cloud_list;
use super::dto::{DeviceList, DeviceView, ListSource};
use crate::http::error::{ApiError, ApiResult};
use crate::index::{self, ListQuery};
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::records::{DeviceRecord, ReadDevice, cloud_device};
use crate::state::CoreState;

/// Reads one page of the devices that `actor` may see, from the cloud until the index has been filled.
///
/// # Errors
/// As [`cloud_list::list`].
pub(super) async fn list(state: &CoreState, actor: &Actor, query: &ListQuery) -> ApiResult<DeviceList> {
    // Read before the rows, so that no row is older.
    let times = index::times(&state.base.db).await?.filter(|_| !state.lists_from_cloud);
    let times = if state.device_lists.is_loaded_soon().await { times } else { None };
    let Some(times) = times else { return cloud_list::list(state, actor, query).await };
    let page = state.device_lists.page(actor, query).await?;
    let has_filter = !query.filter.names().is_empty();
    let emptied_by = match page.total {
        0 if has_filter => state.device_lists.emptied_by(actor, &query.filter).await?.map(Into::into),
        _ => None,
    };
    Ok(DeviceList {
        devices: page
            .devices
            .into_iter()
            .map(|device| DeviceView::with_distance(device, actor, query.filter.near.as_ref()))
            .collect(),
        total: page.total,
        current_page_number: page.number,
        as_of: times.as_of,
        states_as_of: times.states_as_of,
        source: ListSource::Index,
        emptied_by,
    })
}

/// Reads a device from the cloud with the actor's own token.
///
/// # Errors
/// 404 for a device outside of the actor's scope, as decided by the cloud or by policy.
pub(crate) async fn read(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<ReadDevice> {
    // End users may read their own devices in the cloud, but not in the console.
    if actor.scope() == Scope::Nothing {
        return Err(ApiError::NotFound);
    }
    let cloud = state.sessions.cloud(&actor.session);
    let began = state.base.clock.now();
    let device = cloud_device::read(&cloud, dsn).await?;
    // Factory stock is not shown in the console, although the cloud returns it to administrators.
    if device.registered == Some(false) {
        return Err(ApiError::NotFound);
    }
    let csp = DeviceRecord::of(&device).csp;
    policy::can(actor, Action::View, Target::Device { csp: csp.as_deref() }).require()?;
    Ok(ReadDevice::new(device, began))
}
