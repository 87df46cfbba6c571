//! Resolves the audit's device filter: a part of a DSN or serial number.

use super::list_query::AuditSearch;
use super::store::AuditFilter;
use crate::http::error::{ApiError, ApiResult};
use crate::index::{DeviceFilter, DeviceLists};
use crate::policy::Actor;

/// Bounds how many rows of the audit a page scans.
const MAX_MATCHES: u64 = 100;

/// The filter with the matching devices.
///
/// # Errors
/// 422 when more than [`MAX_MATCHES`] devices match.
pub(super) async fn resolve(lists: &DeviceLists, actor: &Actor, search: AuditSearch) -> ApiResult<AuditFilter> {
    let AuditSearch { mut filter, device } = search;
    if let Some(text) = device {
        filter.devices = Some(matching_dsns(lists, actor, &text).await?);
    }
    Ok(filter)
}

/// The DSNs of matching devices that the actor may see, and the text itself, which may be the DSN of a removed device.
///
/// # Errors
/// 422 when more than [`MAX_MATCHES`] devices match.
async fn matching_dsns(lists: &DeviceLists, actor: &Actor, text: &str) -> ApiResult<Vec<String>> {
    if !lists.is_loaded_soon().await {
        return Err(ApiError::NotReady);
    }
    let by_dsn = DeviceFilter::by("dsn", text);
    let by_serial_number = DeviceFilter::by("serialnumber", text);
    let mut dsns = vec![text.to_owned()];
    for filter in [by_dsn, by_serial_number] {
        let (found, total) = lists.select(actor, &filter, MAX_MATCHES).await?;
        if total > MAX_MATCHES {
            return Err(ApiError::invalid(
                "device",
                format!("More than {MAX_MATCHES} devices match. Enter more of it."),
            ));
        }
        dsns.extend(found);
    }
    dsns.sort_unstable();
    dsns.dedup();
    Ok(dsns)
}
