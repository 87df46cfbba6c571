//! Queries for pages of the device list and for single devices.

use std::collections::{HashMap, HashSet};

use platform::db::rows::key_runs;
use platform::db::{Db, Result};
use sea_query::{Expr, ExprTrait, SelectStatement};
use sqlx_macros::FromRow;

use super::columns::{DeviceSort, IdxDevices, READ};
use super::filter::DeviceFilter;
use super::row::ListedRow;
use super::schema::{Alias, IdxDeviceState};
use super::scope::{VisibleRows, visible_rows};
use super::stored::{OUTLOOK_READ, STATE_READ};
use crate::http::sort_order::SortOrder;
use crate::policy::Actor;
use crate::records::ListedDevice;

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ListQuery {
    /// Counted from 1.
    pub(crate) page: u64,
    pub(crate) page_size: u64,
    pub(crate) order: SortOrder,
    pub(crate) sort: DeviceSort,
    pub(crate) filter: DeviceFilter,
}

/// One page of the list.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) devices: Vec<ListedDevice>,
    /// Number of matching devices on all pages.
    pub(crate) total: u64,
    /// The number of this page: the last page if a later one was requested.
    pub(crate) number: u64,
}

impl Page {
    pub(super) const EMPTY: Self = Self { devices: Vec::new(), total: 0, number: 1 };
}

/// Reads these devices in this order, without those that are gone or that `actor` may not see any more.
pub(super) async fn rows(db: &Db, actor: &Actor, dsns: &[String]) -> Result<Vec<ListedDevice>> {
    let Some(visible) = visible_rows(actor) else { return Ok(Vec::new()) };
    let mut found = HashMap::new();
    for run in key_runs(dsns) {
        let mut statement = visible.devices();
        statement.and_where(Expr::col((IdxDevices::Table, IdxDevices::Dsn)).is_in(run));
        add_columns(&mut statement);
        let rows: Vec<ListedRow> = db.select(&statement).await?;
        found.extend(rows.into_iter().map(ListedDevice::from).map(|device| (device.record.dsn.clone(), device)));
    }
    Ok(dsns.iter().filter_map(|dsn| found.remove(dsn)).collect())
}

/// Returns which of these devices the actor may see.
pub(crate) async fn visible_dsns(db: &Db, actor: &Actor, dsns: &[String]) -> Result<HashSet<String>> {
    let Some(visible) = visible_rows(actor) else { return Ok(HashSet::new()) };
    let mut found = HashSet::new();
    for run in key_runs(dsns) {
        let mut statement = visible.devices();
        let dsn = Expr::col((IdxDevices::Table, IdxDevices::Dsn));
        statement.expr(dsn.clone()).and_where(dsn.is_in(run));
        let rows: Vec<(String,)> = db.select(&statement).await?;
        found.extend(rows.into_iter().map(|(dsn,)| dsn));
    }
    Ok(found)
}

/// Reads one device together with the number that the statement `also` reads. Does not check permissions; the caller must.
pub(crate) async fn find_with(db: &Db, dsn: &str, also: &'static str) -> Result<Option<(ListedDevice, i64)>> {
    #[derive(FromRow)]
    struct CountRow {
        #[sqlx(flatten)]
        device: ListedRow,
        also: i64,
    }

    let mut statement = VisibleRows::ALL.devices();
    statement.and_where(Expr::col((IdxDevices::Table, IdxDevices::Dsn)).eq(dsn));
    add_columns(&mut statement);
    statement.expr_as(Expr::cust(format!("({also})")), Alias::Also);
    let rows: Vec<CountRow> = db.select(&statement).await?;
    Ok(rows.into_iter().next().map(|CountRow { device, also }| (device.into(), also)))
}

/// The SKU of the device's fragrance.
const SKU: &str = "(select f.sku from fragrances f where f.name = idx_devices.fragrance)";

/// Joins the state table and selects the columns of both tables, and the SKU.
fn add_columns(statement: &mut SelectStatement) {
    let same_dsn = Expr::col((IdxDeviceState::Table, IdxDeviceState::Dsn)).equals((IdxDevices::Table, IdxDevices::Dsn));
    statement
        .cross_join(IdxDeviceState::Table)
        .and_where(same_dsn)
        .columns(READ.iter().map(|column| (IdxDevices::Table, *column)))
        .columns(STATE_READ.iter().map(|column| (IdxDeviceState::Table, *column)))
        .columns(OUTLOOK_READ.iter().map(|column| (IdxDeviceState::Table, *column)))
        .expr_as(Expr::cust(SKU), Alias::Sku);
}
