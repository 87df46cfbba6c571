//! Resolves the audit's device filter: a part of a DSN or serial number.

use platform::db::Db;

use super::list_query::AuditSearch;
use super::store::AuditFilter;
use crate::http::error::{ApiError, ApiResult};
use crate::http::sort_order::SortOrder;
use crate::index::{self, DeviceFilter, DeviceSort, ListQuery};
use crate::policy::Actor;

/// Bounds how many rows of the audit a page scans.
const MAX_MATCHES: u64 = 100;

/// The filter with the matching devices.
///
/// # Errors
/// 422 when more than [`MAX_MATCHES`] devices match.
pub(super) async fn resolve(db: &Db, actor: &Actor, search: AuditSearch) -> ApiResult<AuditFilter> {
    let AuditSearch { mut filter, device } = search;
    if let Some(text) = device {
        filter.devices = Some(matching_dsns(db, actor, &text).await?);
    }
    Ok(filter)
}

/// The DSNs of matching devices that the actor may see, and the text itself, which may be the DSN of a removed device.
///
/// # Errors
/// 422 when more than [`MAX_MATCHES`] devices match.
async fn matching_dsns(db: &Db, actor: &Actor, text: &str) -> ApiResult<Vec<String>> {
    let by_dsn = DeviceFilter::by("dsn", text);
    let by_serial_number = DeviceFilter::by("serialnumber", text);
    let mut dsns = vec![text.to_owned()];
    for filter in [by_dsn, by_serial_number] {
        let query = ListQuery { page: 1, page_size: MAX_MATCHES, order: SortOrder::Asc, sort: DeviceSort::Dsn, filter };
        let page = index::list(db, actor, &query).await?;
        if page.total > MAX_MATCHES {
            return Err(ApiError::invalid(
                "device",
                format!("More than {MAX_MATCHES} devices match. Enter more of it."),
            ));
        }
        dsns.extend(page.devices.into_iter().map(|device| device.record.dsn));
    }
    dsns.sort_unstable();
    dsns.dedup();
    Ok(dsns)
}
