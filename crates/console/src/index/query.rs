//! Queries for pages of the device list and for single devices.

use std::collections::HashSet;
use std::sync::Arc;

use futures::TryFutureExt;
use platform::db::rows::key_runs;
use platform::db::{Db, Result};
use sea_query::{Expr, ExprTrait, IntoColumnRef, Order, Query, SelectStatement};
use sqlx_macros::FromRow;

use super::columns::{DeviceSort, IdxDevices, READ};
use super::filter::DeviceFilter;
use super::query_plan::{QueryPlan, plans};
use super::row::ListedRow;
use super::schema::{Alias, IdxDeviceState};
use super::scope::{Table, VisibleRows, visible_rows};
use super::selection::{Selection, Slice};
use super::sort::SortKey;
use super::stored::{OUTLOOK_READ, STATE_READ};
use super::totals::{Totals, totals};
use crate::http::sort_order::SortOrder;
use crate::policy::{Actor, Scope};
use crate::records::ListedDevice;
use crate::shared_work::shared_reads::SharedReads;

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

impl ListQuery {
    /// The list's sort key.
    pub(super) fn key(&self) -> SortKey {
        SortKey::new(self.sort, self.order, self.filter.near.as_ref().map(|near| near.centre))
    }
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
    const EMPTY: Self = Self { devices: Vec::new(), total: 0, number: 1 };
}

/// The CSP whose devices the reader sees, or all, and the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    csp: Option<String>,
    query: ListQuery,
}

/// Like [`list`]. Readers of the same page at the same time share its statements.
pub(crate) async fn shared_list(
    db: &Db,
    reads: &SharedReads<PageKey, Arc<Page>>,
    actor: &Actor,
    query: &ListQuery,
) -> Result<Page> {
    let csp = match actor.scope() {
        Scope::Everything => None,
        Scope::Csp(csp) => Some(csp.to_owned()),
        Scope::Nothing => return Ok(Page::EMPTY),
    };
    let key = PageKey { csp, query: query.clone() };
    let page = reads.get(key, || list(db, actor, query).map_ok(Arc::new)).await?;
    Ok(Arc::unwrap_or_clone(page))
}

/// Reads one page of the devices that `actor` may see.
pub(crate) async fn list(db: &Db, actor: &Actor, query: &ListQuery) -> Result<Page> {
    let Some(visible) = visible_rows(actor, query.filter.csp()) else {
        return Ok(Page::EMPTY);
    };
    let selection = Selection::new(visible, &query.filter, db.dialect());
    let totals = totals(db, &selection).await?;
    let total = totals.matching;
    let number = Ord::min(query.page, Ord::max(total.div_ceil(query.page_size), 1));
    let skipped = (number - 1) * query.page_size;
    let length = Ord::min(query.page_size, total.saturating_sub(skipped));
    if length == 0 {
        return Ok(Page { devices: Vec::new(), total, number });
    }

    // From the middle on it is cheaper to read backwards from the end.
    let from_end = skipped > total / 2;
    let slice = Slice {
        key: query.key(),
        descending: (query.order == SortOrder::Desc) != from_end,
        limit: length,
        offset: if from_end { total - skipped - length } else { skipped },
    };
    let mut rows = page(db, visible, &selection, slice, &totals).await?;
    if from_end {
        rows.reverse();
    }
    Ok(Page { devices: rows.into_iter().map(Into::into).collect(), total, number })
}

/// Returns the dsns of all matching devices in order, and their number. Returns no dsns if there are more than `most`.
pub(crate) async fn select(db: &Db, actor: &Actor, filter: &DeviceFilter, most: u64) -> Result<(Vec<String>, u64)> {
    let Some(visible) = visible_rows(actor, filter.csp()) else { return Ok((Vec::new(), 0)) };
    let selection = Selection::new(visible, filter, db.dialect());
    let totals = totals(db, &selection).await?;
    if totals.matching > most {
        return Ok((Vec::new(), totals.matching));
    }
    let key = SortKey::Devices(IdxDevices::DsnFolded);
    let slice = Slice { key, descending: false, limit: most, offset: 0 };
    let rows: Vec<(String,)> = db.select(&selection.page(slice, QueryPlan::Collect, &totals.start)).await?;
    let total = rows.len() as u64;
    Ok((rows.into_iter().map(|(dsn,)| dsn).collect(), total))
}

/// Returns which of these devices the actor may see.
pub(crate) async fn visible_dsns(db: &Db, actor: &Actor, dsns: &[String]) -> Result<HashSet<String>> {
    let Some(visible) = visible_rows(actor, None) else { return Ok(HashSet::new()) };
    let mut found = HashSet::new();
    for run in key_runs(dsns) {
        let mut statement = visible.from(Table::Devices);
        let dsn = Expr::col((IdxDevices::Table, IdxDevices::Dsn));
        statement.expr(dsn.clone()).and_where(dsn.is_in(run));
        let rows: Vec<(String,)> = db.select(&statement).await?;
        found.extend(rows.into_iter().map(|(dsn,)| dsn));
    }
    Ok(found)
}

/// Reads the devices of a slice.
async fn page(
    db: &Db,
    visible: VisibleRows<'_>,
    selection: &Selection<'_>,
    slice: Slice,
    totals: &Totals,
) -> Result<Vec<ListedRow>> {
    if selection.is_unfiltered() {
        return db.select(&devices(visible, selection.unfiltered_page(slice), slice)).await;
    }
    let mut rows = Vec::new();
    for plan in plans(totals.visible, totals.matching, slice.offset + slice.limit) {
        rows = db.select(&devices(visible, selection.page(slice, plan, &totals.start), slice)).await?;
        if rows.len() as u64 == slice.limit {
            break;
        }
    }
    Ok(rows)
}

/// The statement that reads full rows for the dsns of a page, and only for those.
pub(super) fn devices(visible: VisibleRows<'_>, page: SelectStatement, slice: Slice) -> SelectStatement {
    let dsn = (Alias::Page, Alias::Dsn).into_column_ref();
    let direction = if slice.descending { Order::Desc } else { Order::Asc };
    let mut statement = Query::select();
    statement.from_subquery(page, Alias::Page).cross_join(IdxDevices::Table);
    visible.bind(&mut statement, Table::Devices);
    statement.and_where(Expr::col((IdxDevices::Table, IdxDevices::Dsn)).equals(dsn));
    add_columns(&mut statement);
    statement
        .order_by_expr(slice.key.value(), direction.clone())
        .order_by((IdxDevices::Table, IdxDevices::Dsn), direction);
    statement
}

/// Reads one device together with the number that the statement `also` reads. Does not check permissions; the caller must.
pub(crate) async fn find_with(db: &Db, dsn: &str, also: &'static str) -> Result<Option<(ListedDevice, i64)>> {
    #[derive(FromRow)]
    struct CountRow {
        #[sqlx(flatten)]
        device: ListedRow,
        also: i64,
    }

    let mut statement = VisibleRows::ALL.from(Table::Devices);
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
