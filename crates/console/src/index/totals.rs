//! Totals of the device list, and counts of devices and users by CSP.

use std::collections::HashMap;

use diffuser::LOW_PRODUCT_PERCENT;
use jiff::Timestamp;
use platform::db::rows::placeholders;
use platform::db::{Db, Params, Result};
use sea_query::SelectStatement;
use sqlx::AssertSqlSafe;

use super::filter::{DeviceFilter, RunsDryWithin};
use super::scope::visible_rows;
use super::selection::{Selection, Start};
use super::value_counts::{self, StatusCounts};
use crate::policy::Actor;
use crate::records::DeviceStatus;

/// Exact at the time of the read.
#[derive(Clone, Debug)]
pub(super) struct Totals {
    /// All rows that the actor may see, without the filter.
    pub(super) visible: u64,
    pub(super) matching: u64,
    /// Where to begin if the matches are collected.
    pub(super) start: Start,
}

/// What the stored counts say about a selection.
struct Stored {
    visible: u64,
    /// The devices that match in each status; `None` if they must be counted.
    matching: Option<StatusCounts>,
    start: Start,
    /// Number of devices that match the texts in any scope and state, if it was counted.
    candidates: Option<u64>,
}

/// Reads the totals of a selection. The database stores counts by value of some columns. Other filters need a count,
/// which starts with fewer candidates.
pub(super) async fn totals(db: &Db, selection: &Selection<'_>) -> Result<Totals> {
    let Stored { visible, matching, start, candidates } = stored(db, selection).await?;
    let matching = match (matching, candidates) {
        (Some(matching), _) => matching.matching(selection.status()),
        (None, Some(candidates)) if selection.counts_only_texts() => candidates,
        (None, _) => count(db, &selection.count(&start)).await?,
    };
    Ok(Totals { visible, matching, start })
}

async fn stored(db: &Db, selection: &Selection<'_>) -> Result<Stored> {
    let [mut visible, mut of_model] = value_counts::of_model(db, selection.visible(), selection.model()).await?;
    if let Some(excluded) = selection.excluded_kind() {
        let excluded: Vec<(String, String)> = db.select(&excluded).await?;
        for (model, status) in excluded {
            visible = visible.without(&status);
            if selection.model().is_none_or(|wanted| wanted == model) {
                of_model = of_model.without(&status);
            }
        }
    }
    let all = visible.matching(None);
    let answer = |matching, start, candidates| Stored { visible: all, matching, start, candidates };
    let counted = of_model.matching(selection.status());
    if !selection.must_count() || counted == 0 {
        return Ok(answer(Some(of_model), Start::State, None));
    }

    let mut found = Vec::new();
    for text in selection.only_texts() {
        found.extend(value_counts::find(db, selection.visible(), text).await?);
    }
    if found.iter().any(|values| values.devices.matching(selection.status()) == 0) {
        return Ok(answer(Some(StatusCounts::default()), Start::State, None));
    }
    // Several texts are searched together in the trigram index.
    if let ([_], [values]) = (selection.only_texts(), &found[..]) {
        let start = if values.devices.matching(None) >= counted {
            Start::State
        } else {
            values.list(db, selection.visible()).await?.map_or(Start::Texts, Start::Values)
        };
        return Ok(answer(selection.needs_only_text().then_some(values.devices), start, None));
    }

    let candidates = match selection.text_candidates(counted) {
        Some(statement) => Some(count(db, &statement).await?),
        None => None,
    };
    let start = if selection.has_texts() && candidates != Some(counted) { Start::Texts } else { Start::State };
    Ok(answer(None, start, candidates))
}

/// The period of [`Counts::runs_dry`].
pub(super) const RUNS_DRY_DAYS: u16 = 7;

/// Device counts by status, level and forecast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) online: u64,
    pub(crate) offline: u64,
    pub(crate) never_connected: u64,
    /// With a level of at most [`LOW_PRODUCT_PERCENT`].
    pub(crate) low: u64,
    /// In a list by need for [`RUNS_DRY_DAYS`].
    pub(crate) runs_dry: u64,
}

/// Scope and filter of counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CountsKey {
    pub(crate) csp: Option<String>,
    pub(crate) filter: DeviceFilter,
}

/// Counts matching devices by status, ignoring the filter's status, those with a low level, ignoring the filter's level, and
/// those in need soon after `now`, ignoring the filter's dates.
pub(crate) async fn counts(db: &Db, actor: &Actor, filter: &DeviceFilter, now: Timestamp) -> Result<Counts> {
    let Some(visible) = visible_rows(actor, filter.csp()) else { return Ok(Counts::default()) };
    let of_any_status = filter.of_any_status();
    let selection = Selection::new(visible, &of_any_status, db.dialect());
    let Stored { matching, start, .. } = stored(db, &selection).await?;
    let by_status: StatusCounts = match matching {
        Some(matching) => matching,
        None => db.select::<(String, i64)>(&selection.count_by_status(&start)).await?.into_iter().collect(),
    };
    let low = DeviceFilter { max_remaining: Some(LOW_PRODUCT_PERCENT), ..filter.clone() };
    let low = totals(db, &Selection::new(visible, &low, db.dialect())).await?.matching;
    let within = Some(RunsDryWithin::new(RUNS_DRY_DAYS, now));
    let runs_dry = DeviceFilter { runs_dry_within: within, runs_dry_before: None, ..filter.clone() };
    let runs_dry = totals(db, &Selection::new(visible, &runs_dry, db.dialect())).await?.matching;
    Ok(Counts {
        online: by_status.of(DeviceStatus::Online),
        offline: by_status.of(DeviceStatus::Offline),
        never_connected: by_status.of(DeviceStatus::NeverConnected),
        low,
        runs_dry,
    })
}

/// Counts devices of these CSPs that `actor` may see. A CSP without devices is missing from the map.
pub(crate) async fn devices_by_csp(db: &Db, actor: &Actor, names: &[&str]) -> Result<HashMap<String, u64>> {
    let Some(visible) = visible_rows(actor, None) else { return Ok(HashMap::new()) };
    let counts = value_counts::by_csp(db, visible, names).await?;
    Ok(counts.into_iter().map(|(csp, devices)| (csp, devices.matching(None))).collect())
}

/// Counts users of each of these CSPs. A CSP without users is missing from the map. Does not check permissions; the caller
/// must.
pub(crate) async fn users_by_csp(db: &Db, names: &[&str]) -> Result<HashMap<String, u64>> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select csp, count(*) from idx_users where csp in ({}) group by csp",
        placeholders(db.dialect(), names.len())
    );
    let names = names.iter().fold(Params::default(), |params, name| params.with(*name));
    let counts: Vec<(String, i64)> = db.fetch_all(AssertSqlSafe(sql), names).await?;
    Ok(counts.into_iter().map(|(csp, n)| (csp, n.unsigned_abs())).collect())
}

async fn count(db: &Db, statement: &SelectStatement) -> Result<u64> {
    let counted: Vec<(i64,)> = db.select(statement).await?;
    Ok(counted.first().map_or(0, |(count,)| count.unsigned_abs()))
}
