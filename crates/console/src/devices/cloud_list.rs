//! Reads the device list directly from the cloud with the reader's own token. This is slower and offers fewer sort
//! columns and filters. It serves the list until the index has been filled, or always if the operator chooses so.

use devicecloud::{Client, DevicePage, Order};

use super::dto::{DeviceList, DeviceView, ListSource};
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::http::sort_order::SortOrder;
use crate::index::{Comparison, DeviceFilter, DeviceSort, FILTERS, ListQuery, STATUS};
use crate::policy::{self, Action, Actor, Decision, Scope, Target};
use crate::records::cloud_device::FULL_INCLUDE;
use crate::records::{DeviceRecord, DeviceStatus, ListedDevice, Outlook};
use crate::state::CoreState;

const NOT_AVAILABLE: &str = "is not possible while the list comes from the device cloud";

/// Reads one page of the devices that `actor` may see from the cloud.
///
/// # Errors
/// `ListLimited` for a sort column or filter that the cloud does not support.
pub(super) async fn list(state: &CoreState, actor: &Actor, query: &ListQuery) -> ApiResult<DeviceList> {
    let cloud_query = CloudQuery::of(query, actor)?;
    let as_of = state.base.clock.now();
    let mut answer = DeviceList {
        devices: Vec::new(),
        total: 0,
        current_page_number: 1,
        as_of,
        states_as_of: as_of,
        source: ListSource::Cloud,
        emptied_by: None,
    };
    // End users may have devices in the cloud, but see none in the console.
    if actor.scope() == Scope::Nothing {
        return Ok(answer);
    }
    let cloud = state.sessions.cloud(&actor.session);
    let mut number = u32::try_from(query.page).unwrap_or(u32::MAX).min(LAST_PAGE);
    let mut page = cloud_query.page(&cloud, number).await?;
    let last = u32::try_from(page.total.div_ceil(query.page_size).max(1)).unwrap_or(LAST_PAGE);
    if number > last {
        number = last;
        page = cloud_query.page(&cloud, number).await?;
    }
    let records = page.devices.iter().map(DeviceRecord::of);
    // The cloud limits the list to the token's scope; the policy check guards against a cloud that returns more. The
    // cloud cannot exclude one device: its page has one row less, and the total includes it.
    let left_out = query.filter.exclude_dsn.as_deref();
    let visible = records.filter(|record| {
        left_out != Some(record.dsn.as_str())
            && policy::can(actor, Action::View, Target::Device { csp: record.csp.as_deref() }) == Decision::Allowed
    });
    let without_forecast = visible.map(|record| ListedDevice { record, outlook: Outlook::default(), sku: None });
    answer.devices = without_forecast.map(|device| DeviceView::new(device, actor)).collect();
    (answer.total, answer.current_page_number) = (page.total, number.into());
    Ok(answer)
}

/// The highest page number that every cloud accepts.
const LAST_PAGE: u32 = 1_000_000;

/// The list query in the cloud's terms.
struct CloudQuery {
    order_by: &'static str,
    order: Order,
    status: Option<&'static str>,
    per_page: u32,
}

impl CloudQuery {
    fn of(query: &ListQuery, actor: &Actor) -> ApiResult<Self> {
        let mut errors = FieldErrors::new();
        let mut refuse = |name: &str| errors.insert(name.to_owned(), vec![NOT_AVAILABLE.to_owned()]);
        let order_by = column(query.sort);
        if order_by.is_none() {
            refuse("orderBy");
        }
        for name in unsupported_filters(&query.filter, actor) {
            refuse(name);
        }
        let order = match query.order {
            SortOrder::Asc => Order::Asc,
            SortOrder::Desc => Order::Desc,
        };
        match order_by {
            Some(order_by) if errors.is_empty() => Ok(Self {
                order_by,
                order,
                status: query.filter.status().map(DeviceStatus::name),
                per_page: u32::try_from(query.page_size).unwrap_or(u32::MAX),
            }),
            _ => Err(ApiError::ListLimited(errors)),
        }
    }

    async fn page(&self, cloud: &Client, number: u32) -> devicecloud::Result<DevicePage> {
        let call = cloud.devices().list().page(number).per_page(self.per_page);
        let call = call.order_by(self.order_by).order(self.order).include(FULL_INCLUDE).filter("registered", "true");
        let call = match self.status {
            Some(status) => call.filter("connection_status", status),
            None => call,
        };
        call.send().await
    }
}

/// The cloud's name for a sort column.
fn column(sort: DeviceSort) -> Option<&'static str> {
    match sort {
        DeviceSort::CreatedAt => Some("created_at"),
        DeviceSort::Dsn => Some("dsn"),
        DeviceSort::ServiceArea => Some("product_name"),
        DeviceSort::ConnectionStatus => Some("connection_status"),
        DeviceSort::ConnectedAt => Some("connected_at"),
        _ => None,
    }
}

/// Filters that are set but not supported by the cloud, which only compares whole texts.
fn unsupported_filters(filter: &DeviceFilter, actor: &Actor) -> impl Iterator<Item = &'static str> {
    // The cloud does not distinguish devices that never connected from offline ones.
    let is_status = filter.status().is_some_and(|status| status != DeviceStatus::NeverConnected);
    let is_supported = move |name: &str| is_status && name == STATUS;
    // Ignored for CSP roles.
    let is_ignored = move |name: &str| {
        FILTERS.iter().any(|filter| filter.name == name && filter.comparison == Comparison::Csp)
            && actor.scope() != Scope::Everything
    };
    filter.names().into_iter().filter(move |name| !is_ignored(name) && !is_supported(name))
}
