//! `GET /api/devices/purchasing`: how many cartridges are needed until a date.

use std::collections::{BTreeMap, VecDeque};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, civil::Date};
use platform::db::Db;
use serde::Serialize;
use utoipa::ToSchema;

use super::dto::cartridge_ml;
use super::list_query::{self, FilterParams};
use super::report::filters;
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::http::sort_order::SortOrder;
use crate::index::{self, DeviceSort, ListQuery, ListScan};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{ListedDevice, SupplyGroup};
use crate::reports::list_params::ReportParams;
use crate::reports::{self, Column, FilterUsed, Grouping, Pages, Report, ReportOf, ReportOptions};
use crate::state::CoreState;

/// Devices read at once.
const BATCH: usize = 250;
const WEEK_SECONDS: f64 = 7.0 * 24.0 * 3600.0;

/// What a row of the report adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PurchasingSum {
    /// Devices of a customer in a city that take the same cartridge.
    Item,
    /// All items of a customer.
    Customer,
    /// All items.
    Total,
}

/// Cartridges to buy.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PurchasingRow {
    sum: PurchasingSum,
    /// Null in the total, and for devices without a customer.
    #[schema(required)]
    customer: Option<String>,
    #[schema(required)]
    city: Option<String>,
    #[schema(required)]
    fragrance: Option<String>,
    #[schema(required)]
    sku: Option<String>,
    #[schema(required)]
    cartridge_ml: Option<u32>,
    /// Devices that need at least one.
    devices: u64,
    cartridges: u64,
}

/// Customer, city, fragrance, SKU and size; empty texts for missing ones.
type Key = (String, String, String, String, Option<u32>);

/// Returns how many cartridges the matching devices need until the end of a day of UTC, for each customer, city, fragrance and size,
/// with a sum for each customer and a total. A device that is in need (`supply`) needs one, and at its expected use another one
/// each time that one is used up.
#[utoipa::path(
    get, path = "/api/devices/purchasing", tag = "devices",
    security(("token" = ["devices_read"])),
    params(
        ("until" = String, Query, description = "The last day", format = Date),
        ReportParams,
        FilterParams,
    ),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<PurchasingRow> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
pub(super) async fn report_purchasing(
    State(state): State<CoreState>,
    actor: Actor,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    policy::can(&actor, Action::View, Target::Devices).require()?;
    let (now, mut reader) = (state.base.clock.now(), QueryReader::new(&pairs));
    let query = (
        ReportOptions::read(&mut reader, &headers),
        read_until(&mut reader),
        list_query::read_filter(&mut reader, now),
    );
    let (options, until, mut filter) = reader.end(query)?;
    let Some(until) = until else { return Err(ApiError::invalid("until", "is required")) };
    let day = FilterUsed { name: "until", value: until.to_string(), label: "Needed until", display: until.to_string() };
    let report = Report {
        operation: Operation::ReportPurchasing,
        title: "Cartridges to buy".into(),
        notice: None,
        chart: None,
        filters: std::iter::once(day).chain(filters(&filter, &actor)).collect(),
        columns: columns(),
        grouping: Some(Grouping { value: group, none: "No customer" }),
    };
    let end = until.tomorrow().unwrap_or(Date::MAX);
    filter.runs_dry_before = Some(filter.runs_dry_before.map_or(end, |before| before.min(end)));
    let query = ListQuery { page: 1, page_size: 1, order: SortOrder::Asc, sort: DeviceSort::Dsn, filter };
    let period = Period { from: now, until: end.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |it| it.timestamp()) };
    let pages = PurchasingPages {
        db: state.base.db.clone(),
        scan: Some(ListScan::new(state.device_lists.clone(), actor.clone(), query)),
        period,
        rows: VecDeque::new(),
        count: 0,
    };
    reports::respond(&state, actor, options, report, pages).await
}

fn read_until(reader: &mut QueryReader<'_>) -> Option<Date> {
    let date = |text: &str| text.parse::<Date>().ok().filter(|date| date.to_string() == text);
    reader.value("until", "must be a date like 2026-11-20", date)
}

/// From now until the end of the last day.
#[derive(Clone, Copy)]
struct Period {
    from: Timestamp,
    until: Timestamp,
}

impl Period {
    /// How many cartridges a device needs that is in need within the period.
    fn cartridges(self, device: &ListedDevice) -> u64 {
        let first = device.outlook.runs_dry_at.filter(|_| group_of(device) == SupplyGroup::Forecast);
        let rest = self.until.duration_since(first.unwrap_or(self.from)).max(SignedDuration::ZERO);
        let weeks = size(device).zip(device.outlook.ml_per_week).map(|(ml, per_week)| f64::from(ml) / per_week);
        let further =
            weeks.filter(|weeks| *weeks > 0.0).map_or(0.0, |weeks| rest.as_secs_f64() / (weeks * WEEK_SECONDS));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of cartridges")]
        let further = further as u64;
        1 + further
    }
}

fn group_of(device: &ListedDevice) -> SupplyGroup {
    device.outlook.group(device.record.state.fragrance_remaining)
}

fn size(device: &ListedDevice) -> Option<u32> {
    device.record.system_configuration.as_deref().and_then(cartridge_ml)
}

struct PurchasingPages {
    db: Db,
    /// None once all devices have been read.
    scan: Option<ListScan>,
    period: Period,
    rows: VecDeque<PurchasingRow>,
    count: usize,
}

impl Pages for PurchasingPages {
    type Item = PurchasingRow;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<PurchasingRow>> {
        if let Some(scan) = self.scan.take() {
            self.rows = rows(self.sums(scan).await?).into();
            self.count = self.rows.len();
        }
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(self.rows.len());
        Ok(self.rows.drain(..limit).collect())
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(self.count as u64)
    }
}

impl PurchasingPages {
    /// Devices and cartridges by key.
    async fn sums(&self, mut scan: ListScan) -> ApiResult<BTreeMap<Key, (u64, u64)>> {
        let mut sums: BTreeMap<Key, (u64, u64)> = BTreeMap::new();
        loop {
            let devices = scan.next(BATCH).await?;
            // If the index was dropped meanwhile, the report would end early and look complete.
            if index::times(&self.db).await?.is_none() {
                return Err(ApiError::NotReady);
            }
            let is_last = devices.len() < BATCH;
            for device in devices {
                let cartridges = self.period.cartridges(&device);
                let size = size(&device);
                let text = Option::unwrap_or_default;
                let record = device.record;
                let key = (text(record.customer), text(record.city), text(record.fragrance), text(device.sku), size);
                let sum = sums.entry(key).or_default();
                *sum = (sum.0 + 1, sum.1 + cartridges);
            }
            if is_last {
                return Ok(sums);
            }
        }
    }
}

/// The items with a sum after those of each customer, and the total at the end.
fn rows(sums: BTreeMap<Key, (u64, u64)>) -> Vec<PurchasingRow> {
    let known = |text: String| Some(text).filter(|text| !text.is_empty());
    let items: Vec<PurchasingRow> = sums
        .into_iter()
        .map(|((customer, city, fragrance, sku, cartridge_ml), (devices, cartridges))| PurchasingRow {
            sum: PurchasingSum::Item,
            customer: known(customer),
            city: known(city),
            fragrance: known(fragrance),
            sku: known(sku),
            cartridge_ml,
            devices,
            cartridges,
        })
        .collect();
    let total = sum_of(PurchasingSum::Total, None, &items);
    let mut rows: Vec<PurchasingRow> = Vec::with_capacity(items.len() + 1);
    for of_customer in items.chunk_by(|one, next| one.customer == next.customer) {
        rows.extend_from_slice(of_customer);
        rows.push(sum_of(PurchasingSum::Customer, of_customer[0].customer.clone(), of_customer));
    }
    rows.push(total);
    rows
}

fn sum_of(sum: PurchasingSum, customer: Option<String>, items: &[PurchasingRow]) -> PurchasingRow {
    PurchasingRow {
        sum,
        customer,
        city: None,
        fragrance: None,
        sku: None,
        cartridge_ml: None,
        devices: items.iter().map(|item| item.devices).sum(),
        cartridges: items.iter().map(|item| item.cartridges).sum(),
    }
}

/// The heading in print.
fn group(row: &PurchasingRow) -> String {
    match row.sum {
        PurchasingSum::Total => "All customers".to_owned(),
        PurchasingSum::Item | PurchasingSum::Customer => text(&row.customer),
    }
}

fn columns() -> Vec<Column<PurchasingRow>> {
    vec![
        Column::new("Row", |row: &PurchasingRow| match row.sum {
            PurchasingSum::Item => "Item",
            PurchasingSum::Customer => "Customer total",
            PurchasingSum::Total => "Total",
        }),
        Column::new("Customer", |row: &PurchasingRow| row.customer.clone()),
        Column::new("City", |row: &PurchasingRow| row.city.clone()),
        Column::new("Fragrance", |row: &PurchasingRow| row.fragrance.clone()),
        Column::new("SKU", |row: &PurchasingRow| row.sku.clone()),
        Column::new("Cartridge (mL)", |row: &PurchasingRow| row.cartridge_ml),
        Column::new("Devices", |row: &PurchasingRow| row.devices),
        Column::new("Cartridges", |row: &PurchasingRow| row.cartridges),
    ]
}

fn text(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}
