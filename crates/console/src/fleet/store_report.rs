//! `GET /api/fleet/stores`: what each store has used of each fragrance in a month.

use std::collections::{BTreeMap, VecDeque};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use platform::db::Db;
use serde::Serialize;
use utoipa::ToSchema;

use super::dto::{date_of, non_empty};
use super::query::{self, FleetParams, FleetQuery, Period, month_name};
use super::read::incomplete;
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::index::fleet_days::{
    self, DaySelection, StoreKey, StoreMonth, StoreSelection, StoreSums, beginning, store_months,
};
use crate::index::forecasts;
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::reports::list_params::ReportParams;
use crate::reports::{self, BarChart, Cell, Column, Grouping, Pages, Report, ReportOf, ReportOptions};
use crate::state::CoreState;

/// What a row adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StoreSum {
    /// The devices of a store with the same fragrance.
    Item,
    /// All items of a customer.
    Customer,
    /// All items of a fragrance.
    Fragrance,
    /// All items.
    Total,
}

/// Use in a month of UTC.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoreRow {
    sum: StoreSum,
    /// Null in sums over several, and for devices without one; so are the next four.
    #[schema(required)]
    csp: Option<String>,
    #[schema(required)]
    customer: Option<String>,
    #[schema(required)]
    store_number: Option<String>,
    #[schema(required)]
    city: Option<String>,
    #[schema(required)]
    fragrance: Option<String>,
    /// The number of days of devices whose use is known: a device has one on each day.
    device_days: i64,
    refills: i64,
    /// In mL with one decimal; sums are those of the rounded values.
    #[schema(value_type = f64)]
    #[serde(serialize_with = "as_ml")]
    used_ml: Tenths,
}

/// Tenths of a millilitre: sums of them are exact.
type Tenths = i64;

/// Returns what each store has used of each fragrance in a month, with a sum for each customer and each fragrance and a total.
#[utoipa::path(
    get, path = "/api/fleet/stores", tag = "fleet",
    security(("token" = ["devices_read"])),
    params(
        ("month" = String, Query, min_length = 7, max_length = 7, description = "A month of UTC like 2026-11"),
        ReportParams,
        FleetParams,
    ),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<StoreRow> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
pub(super) async fn report_stores(
    State(state): State<CoreState>,
    actor: Actor,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    policy::can(&actor, Action::View, Target::Devices).require()?;
    let mut reader = QueryReader::new(&pairs);
    let query = (ReportOptions::read(&mut reader, &headers), query::read(&mut reader));
    let (options, query) = reader.end(query)?;
    let Period::Month(month) = query.period else { return Err(ApiError::invalid("month", "is required")) };
    let (db, now) = (&state.base.db, state.base.clock.now());
    let selection = query.selection(&actor, now)?;
    let histories = forecasts::histories(db, query.histories(&selection), now).await?;
    let running = (now < beginning(month.saturating_add(1.month()))).then(|| "The month has not ended.".to_owned());
    let notices: Vec<String> = histories.map(incomplete).into_iter().chain(running).collect();
    let report = Report {
        operation: Operation::ReportFleet,
        title: title(&query, month).into(),
        notice: (!notices.is_empty()).then(|| notices.join(" ")),
        chart: Some(chart(db, &selection, month).await?),
        filters: query.filters(&actor),
        columns: columns(&actor),
        grouping: Some(Grouping { value: group, none: "No customer" }),
    };
    let pages = StorePages {
        db: db.clone(),
        month: beginning(month),
        selection: query.stores(&actor)?,
        progress: Progress::default(),
    };
    reports::respond(&state, actor, options, report, pages).await
}

/// Whose use it is, and when.
fn title(query: &FleetQuery, month: Date) -> String {
    let name = query.customer.as_deref().or(query.fragrance.as_deref());
    format!("{}, {}", name.unwrap_or("Use of fragrance"), month_name(month))
}

/// The use of each day of the month.
async fn chart(db: &Db, selection: &DaySelection, month: Date) -> ApiResult<BarChart> {
    let used: BTreeMap<Date, f64> = fleet_days::days(db, &selection.of_one_group())
        .await?
        .into_iter()
        .filter(|(_, sums)| sums.used_devices > 0)
        .map(|(day, sums)| (date_of(day), sums.used_ml))
        .collect();
    let days = month.series(1.day()).take_while(|day| day.month() == month.month());
    let bars = days.map(|day| (day.to_string(), used.get(&day).copied())).collect();
    Ok(BarChart { caption: "Use in mL a day".to_owned(), bars, text: |used| format!("{used:.1} mL") })
}

struct StorePages {
    db: Db,
    month: Timestamp,
    selection: StoreSelection,
    progress: Progress,
}

/// What has been read, and what follows from it.
#[derive(Default)]
struct Progress {
    last: Option<StoreKey>,
    is_read: bool,
    /// Rows that have not been returned.
    rows: VecDeque<StoreRow>,
    /// The sum of the customer whose items are being read.
    customer: Option<StoreRow>,
    fragrances: BTreeMap<String, StoreRow>,
    total: Option<StoreRow>,
}

impl Pages for StorePages {
    type Item = StoreRow;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<StoreRow>> {
        let (limit, rows) = (usize::try_from(limit).unwrap_or(usize::MAX), i64::try_from(limit).unwrap_or(i64::MAX));
        let progress = &mut self.progress;
        while progress.rows.len() < limit && !progress.is_read {
            let items = store_months(&self.db, self.month, &self.selection, progress.last.as_ref(), rows).await?;
            progress.is_read = items.len() < limit;
            progress.last = items.last().map(|item| item.store.clone());
            items.into_iter().for_each(|item| progress.add(item));
            if progress.is_read {
                progress.end();
            }
        }
        let limit = limit.min(progress.rows.len());
        Ok(progress.rows.drain(..limit).collect())
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(fleet_days::count_store_months(&self.db, self.month, &self.selection).await?)
    }
}

impl Progress {
    fn add(&mut self, StoreMonth { store, sums }: StoreMonth) {
        let customer = non_empty(store.customer.clone());
        if self.customer.as_ref().is_some_and(|sum| sum.customer != customer) {
            self.rows.extend(self.customer.take());
        }
        let fragrance = non_empty(store.fragrance.clone());
        let item = StoreRow {
            csp: non_empty(store.csp),
            customer: customer.clone(),
            store_number: non_empty(store.store_number),
            city: non_empty(store.city),
            fragrance: fragrance.clone(),
            device_days: sums.used_days,
            refills: sums.refills,
            used_ml: tenths(sums),
            ..StoreRow::empty(StoreSum::Item)
        };
        let of_customer = || StoreRow { customer, ..StoreRow::empty(StoreSum::Customer) };
        let of_fragrance = || StoreRow { fragrance, ..StoreRow::empty(StoreSum::Fragrance) };
        self.customer.get_or_insert_with(of_customer).increase(&item);
        self.fragrances.entry(store.fragrance).or_insert_with(of_fragrance).increase(&item);
        self.total.get_or_insert_with(|| StoreRow::empty(StoreSum::Total)).increase(&item);
        self.rows.push_back(item);
    }

    fn end(&mut self) {
        self.rows.extend(self.customer.take());
        self.rows.extend(std::mem::take(&mut self.fragrances).into_values());
        self.rows.push_back(self.total.take().unwrap_or_else(|| StoreRow::empty(StoreSum::Total)));
    }
}

impl StoreRow {
    fn empty(sum: StoreSum) -> Self {
        let (csp, customer, store_number, city, fragrance) = Default::default();
        Self { sum, csp, customer, store_number, city, fragrance, device_days: 0, refills: 0, used_ml: 0 }
    }

    fn increase(&mut self, by: &Self) {
        self.refills += by.refills;
        self.device_days += by.device_days;
        self.used_ml += by.used_ml;
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a store uses less than 2^63 tenths")]
fn tenths(sums: StoreSums) -> Tenths {
    (sums.used_ml * 10.0).round() as i64
}

#[expect(clippy::cast_precision_loss, reason = "a store uses less than 2^52 tenths")]
fn ml(tenths: Tenths) -> f64 {
    tenths as f64 / 10.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn as_ml<S: serde::Serializer>(tenths: &Tenths, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(ml(*tenths))
}

/// The heading in print.
fn group(row: &StoreRow) -> String {
    match row.sum {
        StoreSum::Item | StoreSum::Customer => row.customer.clone().unwrap_or_default(),
        StoreSum::Fragrance | StoreSum::Total => "All customers".to_owned(),
    }
}

fn columns(actor: &Actor) -> Vec<Column<StoreRow>> {
    let sees_csp = policy::can(actor, Action::View, Target::Csps) == Decision::Allowed;
    let csp: Column<StoreRow> = Column::new("CSP", |row: &StoreRow| row.csp.clone());
    let mut columns = vec![Column::new("Row", |row: &StoreRow| match row.sum {
        StoreSum::Item => "Item",
        StoreSum::Customer => "Customer total",
        StoreSum::Fragrance => "Fragrance total",
        StoreSum::Total => "Total",
    })];
    columns.extend(sees_csp.then_some(csp));
    columns.extend([
        Column::new("Customer", |row: &StoreRow| row.customer.clone()),
        Column::new("Store number", |row: &StoreRow| row.store_number.clone()),
        Column::new("City", |row: &StoreRow| row.city.clone()),
        Column::new("Fragrance", |row: &StoreRow| row.fragrance.clone()),
        Column::new("Days measured", |row: &StoreRow| row.device_days),
        Column::new("Refills", |row: &StoreRow| row.refills),
        Column::new("Use in mL", |row: &StoreRow| Cell::tenths(ml(row.used_ml))),
    ]);
    columns
}
