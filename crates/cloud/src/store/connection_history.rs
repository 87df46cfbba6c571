//! Connection changes of devices: append-only, one row per change.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use platform::db::rows::{insert_rows, key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::datapoints::Span;

/// How many changes one transaction deletes.
const BATCH: i64 = 1_000;

/// A change of a device's connection status.
#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub(crate) struct ChangeRow {
    pub(crate) device_id: i64,
    /// `connection_status` of the wire.
    pub(crate) status: String,
    pub(crate) at: i64,
}

/// The last change of each of these devices that has one.
pub(crate) async fn last(tx: &mut Tx, devices: &[i64]) -> Result<HashMap<i64, ChangeRow>> {
    let mut last = HashMap::with_capacity(devices.len());
    for run in key_runs(devices) {
        let sql = format!(
            "select device_id, status, at from connection_change where id in (
                 select max(id) from connection_change where device_id in ({}) group by device_id
             )",
            placeholders(tx.dialect(), run.len())
        );
        let rows: Vec<ChangeRow> =
            tx.fetch_all(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
        last.extend(rows.into_iter().map(|row| (row.device_id, row)));
    }
    Ok(last)
}

/// Records that devices have this status, and returns those whose status changed. The transaction must have locked
/// their states. If the clock was set back, a change gets the time of the one before it.
pub(crate) async fn record(tx: &mut Tx, devices: &[i64], status: &str, now: Timestamp) -> Result<HashSet<i64>> {
    let last = last(tx, devices).await?;
    let now = platform::run::clock::to_micros(now);
    let change = |device_id: &i64| match last.get(device_id) {
        Some(last) if last.status == status => None,
        last => {
            let at = last.map_or(now, |last| last.at.max(now));
            Some(ChangeRow { device_id: *device_id, status: status.to_owned(), at })
        }
    };
    let changes: Vec<ChangeRow> = devices.iter().filter_map(change).collect();
    append(tx, &changes).await?;
    Ok(changes.iter().map(|change| change.device_id).collect())
}

/// Appends changes. Each must be later than the device's last one and have another status.
pub(crate) async fn append(tx: &mut Tx, changes: &[ChangeRow]) -> Result<()> {
    insert_rows(tx, "insert into connection_change (device_id, status, at)", 3, changes, |values, change| {
        values.with(change.device_id).with(&change.status).with(change.at)
    })
    .await
}

/// The newest `limit` changes of a device within the span, oldest first, preceded by the change that was in effect when
/// the span started.
pub(crate) async fn newest(db: &Db, device_id: i64, Span { since, until }: Span, limit: i64) -> Result<Vec<ChangeRow>> {
    if until < since {
        return Ok(Vec::new());
    }
    let mut rows: Vec<ChangeRow> = db
        .fetch_all(
            "select device_id, status, at from connection_change
             where device_id = $1 and at <= $3 and id >= coalesce(
                 (select max(id) from connection_change where device_id = $1 and at <= $2), 0
             )
             order by id desc limit $4",
            params![device_id, since, until, limit],
        )
        .await?;
    rows.reverse();
    Ok(rows)
}

/// Deletes a batch of changes before `until`, except the last one of each device. Returns whether there may be more.
pub(crate) async fn clear(db: &Db, until: Timestamp) -> Result<bool> {
    let deleted = db
        .execute(
            "delete from connection_change where id in (
                 select old.id from connection_change old
                 where old.at < $1 and exists (
                     select 1 from connection_change newer
                     where newer.device_id = old.device_id and newer.id > old.id and newer.at < $1
                 )
                 limit $2
             )",
            params![until, BATCH],
        )
        .await?;
    Ok(i64::try_from(deleted).is_ok_and(|deleted| deleted == BATCH))
}

/// Deletes the changes of reset devices; their current status stays, as of now.
pub(crate) async fn reset(tx: &mut Tx, devices: &[i64], now: Timestamp) -> Result<()> {
    let states = lock_rows(tx, devices).await?;
    for run in key_runs(devices) {
        let sql =
            format!("delete from connection_change where device_id in ({})", placeholders(tx.dialect(), run.len()));
        tx.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    let at = platform::run::clock::to_micros(now);
    let as_of_now = states.into_iter().map(|(device_id, status)| ChangeRow { device_id, status, at });
    append(tx, &as_of_now.collect::<Vec<_>>()).await
}

/// Locks the states of these devices in id order. Returns the status of each.
pub(crate) async fn lock_rows(tx: &mut Tx, devices: &[i64]) -> Result<HashMap<i64, String>> {
    let devices: Vec<i64> = devices.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let mut states = HashMap::with_capacity(devices.len());
    for run in key_runs(&devices) {
        let sql = format!(
            "select device_id, status from device_state where device_id in ({}) order by device_id{}",
            placeholders(tx.dialect(), run.len()),
            tx.for_update()
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        states.extend(tx.fetch_all::<(i64, String)>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(states)
}
