//! Applies reads of the cloud to the index. Equal rows are not written. A read overwrites a row only if it began after
//! the row was last updated, so a row never returns to an older state.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, params};
use platform::run::clock::{Clock, to_micros};
use sqlx::AssertSqlSafe;

use super::changed_device::ChangedDevice;
use super::cloud_read::CloudRead;
use super::columns::READ;
use super::page_memory::RowStamps;
use super::row::{IndexEntry, KnownRow};
use super::stored::{STATE_READ, names};
use super::sync_state;
use super::upsert::{RowWrite, write};
use crate::records::device_panic;
use crate::records::{DeviceRecord, ReadDevice};

/// The result of applying a read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadOutcome {
    /// Devices whose indexed values changed.
    pub(crate) changed: Vec<ChangedDevice>,
    /// Devices whose rows differ from the read and are newer than it; they must be read again.
    pub(crate) outdated: Vec<String>,
}

/// All devices of the cloud within a key range.
pub(super) struct KeyRange<'a> {
    pub(super) entries: &'a [IndexEntry],
    /// Exclusive lower bound: the last key of the previous page.
    pub(super) after: i64,
    /// Inclusive upper bound: the last key of this page, or the maximum if no page follows.
    pub(super) through: i64,
}

/// The result of applying a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageOutcome {
    pub(super) applied: ReadOutcome,
    /// Devices that the index has in the key range and the page has not.
    pub(super) missing: Vec<String>,
    /// The page's rows, if all of them equal the cloud's.
    pub(super) rows: Option<RowStamps>,
}

/// Applies a read of single devices.
pub(crate) async fn apply_read(db: &Db, entries: &[IndexEntry], read: CloudRead) -> Result<ReadOutcome> {
    let known = by_dsn(db, entries.iter().map(|entry| &entry.record.dsn)).await?;
    Ok(apply(db, entries, known, read, Stamp::Always).await?.0)
}

/// Number of reads of one device: an event that arrives during a read makes the read outdated.
const MAX_READS: usize = 3;

/// Reads a device with `read` and applies it, again if the row became newer meanwhile. Adds the CSPs whose lists
/// changed, including changes by others that no later pass would report.
///
/// # Errors
/// Those of `read`, and database errors.
pub(crate) async fn read_and_apply<E, F>(
    db: &Db,
    clock: &Clock,
    dsn: &str,
    lists: &mut Vec<String>,
    read: impl Fn() -> F,
) -> std::result::Result<ReadDevice, E>
where
    E: From<platform::db::Error>,
    F: Future<Output = std::result::Result<ReadDevice, E>>,
{
    let mut reads = 1;
    loop {
        let cloud_read = CloudRead::announce(db, clock, dsn).await?;
        let device = read().await?;
        let applied = apply_read(db, &[IndexEntry::of(&device)], cloud_read.end(clock)).await?;
        lists.extend(applied.changed.into_iter().flat_map(|changed| changed.lists));
        if applied.outdated.is_empty() || reads == MAX_READS {
            return Ok(device);
        }
        reads += 1;
    }
}

/// Applies a page of a pass.
pub(super) async fn apply_page(db: &Db, page: &KeyRange<'_>, read: CloudRead) -> Result<PageOutcome> {
    let in_range: Vec<KnownRow> =
        db.fetch_all(AssertSqlSafe(known_sql("d.key > $1 AND d.key <= $2")), params![page.after, page.through]).await?;
    let mut in_range: BTreeMap<String, KnownRow> =
        in_range.into_iter().map(|row| (row.device.dsn.clone(), row)).collect();
    // New devices, or devices whose key changed.
    let elsewhere = page.entries.iter().map(|entry| &entry.record.dsn).filter(|dsn| !in_range.contains_key(*dsn));
    let mut known = by_dsn(db, elsewhere).await?;
    known.extend(page.entries.iter().filter_map(|entry| in_range.remove_entry(&entry.record.dsn)));
    let (applied, rows) = apply(db, page.entries, known, read, Stamp::Rarely).await?;
    let rows = Some(rows).filter(|_| applied.outdated.is_empty() && in_range.is_empty());
    Ok(PageOutcome { applied, missing: in_range.into_keys().collect(), rows })
}

/// When to stamp an unchanged row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stamp {
    /// Always, so that no earlier read can overwrite the row.
    Always,
    /// Only if an earlier read of the device is in progress ([`CloudRead::announce`]); nothing else can follow a page.
    Rarely,
}

async fn apply(
    db: &Db,
    entries: &[IndexEntry],
    mut known: HashMap<String, KnownRow>,
    read: CloudRead,
    stamp: Stamp,
) -> Result<(ReadOutcome, RowStamps)> {
    if read.is_expired() {
        let outdated = entries.iter().map(|entry| entry.record.dsn.clone()).collect();
        return Ok((ReadOutcome { outdated, ..ReadOutcome::default() }, RowStamps::default()));
    }
    let began = to_micros(read.began());
    let states_as_of = sync_state::times(db).await?.map(|times| times.states_as_of);
    let (mut writes, mut changed, mut applied, mut rows) =
        (Vec::new(), Vec::new(), ReadOutcome::default(), RowStamps::default());
    for entry in entries {
        let dsn = &entry.record.dsn;
        let row = known.remove(dsn);
        match device_panic::catch("merge", dsn, || merge(entry, row, began, stamp, states_as_of)) {
            Some(Merged::Equal { synced_at }) => rows.add(synced_at),
            Some(Merged::Outdated) | None => applied.outdated.push(dsn.clone()),
            Some(Merged::Changed(change, write)) => {
                changed.extend(change);
                writes.push(write);
            }
        }
    }
    let attempted: Vec<&String> = writes.iter().map(|write| &write.entry.record.dsn).collect();
    let written = write(db, writes, read).await?;
    written.iter().for_each(|_| rows.add(to_micros(read.ended())));
    applied.outdated.extend(attempted.into_iter().filter(|dsn| !written.contains(*dsn)).cloned());
    applied.changed.extend(changed.into_iter().filter(|changed| written.contains(&changed.dsn)));
    Ok((applied, rows))
}

/// What a read says of a row.
enum Merged<'a> {
    Equal { synced_at: i64 },
    Outdated,
    Changed(Option<ChangedDevice>, RowWrite<'a>),
}

fn merge(
    entry: &IndexEntry,
    row: Option<KnownRow>,
    began: i64,
    stamp: Stamp,
    states_as_of: Option<Timestamp>,
) -> Merged<'_> {
    let Some(row) = row else {
        let write = RowWrite { entry, state: entry.record.state, wide: true };
        return Merged::Changed(ChangedDevice::between(None, Some(&entry.record)), write);
    };
    let synced_at = row.device.state.synced_at;
    let is_outdated = synced_at > began;
    let must_stamp = stamp == Stamp::Always || row.reading_until >= began;
    let before = DeviceRecord::from(row.device);
    let state = entry.record.state.with_disconnect_time_from(before.state, states_as_of);
    let is_device_row_equal = row.key == entry.key && before.equals_except_state(&entry.record);
    if is_device_row_equal && before.state == state && (is_outdated || !must_stamp) {
        return Merged::Equal { synced_at };
    }
    if is_outdated {
        return Merged::Outdated;
    }
    let after = DeviceRecord { state, ..entry.record.clone() };
    let write = RowWrite { entry, state, wide: !is_device_row_equal };
    Merged::Changed(ChangedDevice::between(Some(&before), Some(&after)), write)
}

/// Everything in the index, by dsn.
#[cfg(test)]
pub(super) async fn everything(db: &Db) -> Result<Vec<IndexEntry>> {
    let rows: Vec<KnownRow> = db.fetch_all(AssertSqlSafe(known_sql("true order by d.dsn")), params![]).await?;
    Ok(rows.into_iter().map(|row| IndexEntry { key: row.key, record: row.device.into() }).collect())
}

async fn by_dsn(db: &Db, dsns: impl Iterator<Item = &String>) -> Result<HashMap<String, KnownRow>> {
    let mut known = HashMap::new();
    for run in key_runs(&dsns.collect::<Vec<_>>()) {
        let sql = known_sql(&format!("d.dsn IN ({})", placeholders(db.dialect(), run.len())));
        let rows: Vec<KnownRow> =
            db.fetch_all(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
        known.extend(rows.into_iter().map(|row| (row.device.dsn.clone(), row)));
    }
    Ok(known)
}

/// The statement that reads the rows for which `condition` holds.
fn known_sql(condition: &str) -> String {
    format!(
        "select d.key, s.reading_until, {}, {} \
         from idx_devices d join idx_device_state s on s.dsn = d.dsn where {condition}",
        names("d.", READ),
        names("s.", STATE_READ),
    )
}
