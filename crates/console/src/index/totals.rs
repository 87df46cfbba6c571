//! Totals of the device list, and counts of devices and users by CSP.

use std::collections::HashMap;

use diffuser::LOW_PRODUCT_PERCENT;
use platform::db::rows::placeholders;
use platform::db::{Db, Params, Result};
use sea_query::{Expr, ExprTrait, Func, SelectStatement};
use sqlx::AssertSqlSafe;

use super::filter::DeviceFilter;
use super::schema::IdxDeviceCounts;
use super::scope::{Table, visible_rows};
use super::selection::{Selection, Start};
use crate::policy::Actor;
use crate::records::DeviceStatus;

/// Exact at the time of the read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    /// All rows that the actor may see, without the filter.
    pub(super) visible: u64,
    pub(super) matching: u64,
    /// The first table of the statement, if the matches are collected.
    pub(super) start: Start,
}

/// Reads the totals of a selection. The database stores counts by CSP, model and status (`idx_device_counts`). Other
/// filters need a count, which starts with the table that has fewer candidates.
pub(super) async fn totals(db: &Db, selection: &Selection<'_>) -> Result<Totals> {
    let (mut visible, mut counted) = fetch_two_numbers(db, &selection.stored_counts()).await?;
    if let Some(excluded) = selection.excluded_count() {
        let (one, counted_of_it) = fetch_two_numbers(db, &excluded).await?;
        (visible, counted) = (visible.saturating_sub(one), counted.saturating_sub(counted_of_it));
    }
    if !selection.must_count() || counted == 0 {
        return Ok(Totals { visible, matching: counted, start: Start::State });
    }
    let candidates = match selection.text_candidates(counted) {
        Some(statement) => Some(count(db, &statement).await?),
        None => None,
    };
    let start = if selection.has_texts() && candidates != Some(counted) { Start::Texts } else { Start::State };
    let matching = match candidates {
        Some(candidates) if selection.counts_only_texts() => candidates,
        _ => count(db, &selection.count(start)).await?,
    };
    Ok(Totals { visible, matching, start })
}

/// Device counts by status and level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) online: u64,
    pub(crate) offline: u64,
    pub(crate) never_connected: u64,
    /// With a level of at most [`LOW_PRODUCT_PERCENT`].
    pub(crate) low: u64,
}

/// Counts matching devices by status, ignoring the filter's status, and those with a low level, ignoring the filter's
/// level.
pub(crate) async fn counts(db: &Db, actor: &Actor, filter: &DeviceFilter) -> Result<Counts> {
    let Some(visible) = visible_rows(actor, filter.csp()) else { return Ok(Counts::default()) };
    let of_any_status = DeviceFilter { status: None, ..filter.clone() };
    let selection = Selection::new(visible, &of_any_status, db.dialect());
    let (by_status, left_out): (Vec<(String, i64)>, Vec<(String,)>) = if selection.must_count() {
        let start = totals(db, &selection).await?.start;
        (db.select(&selection.count_by_status(start)).await?, Vec::new())
    } else {
        let left_out = match selection.excluded_status() {
            Some(statement) => db.select(&statement).await?,
            None => Vec::new(),
        };
        (db.select(&selection.stored_counts_by_status()).await?, left_out)
    };
    let of = |status: DeviceStatus| {
        let all = by_status.iter().find(|(name, _)| name == status.name()).map_or(0, |(_, n)| n.unsigned_abs());
        all.saturating_sub(left_out.iter().filter(|(name,)| name == status.name()).count() as u64)
    };
    let low = DeviceFilter { max_remaining: Some(LOW_PRODUCT_PERCENT), ..filter.clone() };
    let low = totals(db, &Selection::new(visible, &low, db.dialect())).await?.matching;
    Ok(Counts {
        online: of(DeviceStatus::Online),
        offline: of(DeviceStatus::Offline),
        never_connected: of(DeviceStatus::NeverConnected),
        low,
    })
}

/// Counts devices of these CSPs that `actor` may see. A CSP without devices is missing from the map.
pub(crate) async fn devices_by_csp(db: &Db, actor: &Actor, names: &[&str]) -> Result<HashMap<String, u64>> {
    let Some(visible) = visible_rows(actor, None) else { return Ok(HashMap::new()) };
    let csp = Expr::col((IdxDeviceCounts::Table, IdxDeviceCounts::Csp));
    let n = Func::sum(Expr::col((IdxDeviceCounts::Table, IdxDeviceCounts::N)));
    let mut statement = visible.from(Table::Counts);
    statement
        .expr(csp.clone())
        .expr(Expr::from(n).cast_as("BIGINT"))
        .and_where(csp.is_in(names.iter().copied()))
        .group_by_col((IdxDeviceCounts::Table, IdxDeviceCounts::Csp));
    let counts: Vec<(String, i64)> = db.select(&statement).await?;
    Ok(counts.into_iter().map(|(csp, n)| (csp, n.unsigned_abs())).collect())
}

/// Counts users of each of these CSPs. A CSP without users is missing from the map. Does not check permissions; the caller
/// must.
pub(crate) async fn users_by_csp(db: &Db, names: &[&str]) -> Result<HashMap<String, u64>> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "SELECT csp, COUNT(*) FROM idx_users WHERE csp IN ({}) GROUP BY csp",
        placeholders(db.dialect(), names.len())
    );
    let names = names.iter().fold(Params::default(), |params, name| params.with(*name));
    let counts: Vec<(String, i64)> = db.fetch_all(AssertSqlSafe(sql), names).await?;
    Ok(counts.into_iter().map(|(csp, n)| (csp, n.unsigned_abs())).collect())
}

async fn fetch_two_numbers(db: &Db, statement: &SelectStatement) -> Result<(u64, u64)> {
    let counted: Vec<(i64, i64)> = db.select(statement).await?;
    Ok(counted.first().map_or((0, 0), |(all, some)| (all.unsigned_abs(), some.unsigned_abs())))
}

async fn count(db: &Db, statement: &SelectStatement) -> Result<u64> {
    let counted: Vec<(i64,)> = db.select(statement).await?;
    Ok(counted.first().map_or(0, |(count,)| count.unsigned_abs()))
}
