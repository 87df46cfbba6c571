//! Writes devices in batches.

use std::collections::HashSet;

use jiff::Timestamp;
use platform::clock::to_micros;
use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::changed_device::ChangedDevice;
use super::cloud_read::CloudRead;
use super::filter::WORD_SEPARATOR;
use super::level::{falling, rising};
use super::row::IndexEntry;
use crate::fold::fold;
use crate::records::{DeviceRecord, DeviceState, LAN};

/// A device row to write.
pub(super) struct RowWrite<'a> {
    pub(super) entry: &'a IndexEntry,
    /// Replaces the entry's state, which does not know the previous state.
    pub(super) state: DeviceState,
    /// Whether to write [`IdxDevices`](super::schema::IdxDevices) too. Most changes are state changes and leave the
    /// wide row and its database indexes alone.
    pub(super) wide: bool,
}

/// Writes the rows found by `read` in one transaction and returns the dsns written. The other rows are newer than the
/// read.
pub(super) async fn write(db: &Db, mut writes: Vec<RowWrite<'_>>, read: CloudRead) -> Result<HashSet<String>> {
    if writes.is_empty() {
        return Ok(HashSet::new());
    }
    // A fixed lock order prevents deadlocks between writers.
    writes.sort_by(|one, other| one.entry.record.dsn.cmp(&other.entry.record.dsn));
    // PostgreSQL cannot write a row twice in one statement, even if the cloud lists a device twice.
    writes.dedup_by(|one, other| one.entry.record.dsn == other.entry.record.dsn);
    let mut tx = db.begin().await?;
    let mut written = HashSet::new();
    for run in runs(&writes) {
        written.extend(write_states(&mut tx, run, read).await?);
    }
    let wide: Vec<&RowWrite<'_>> =
        writes.iter().filter(|write| write.wide && written.contains(&write.entry.record.dsn)).collect();
    for run in runs(&wide) {
        write_devices(&mut tx, run).await?;
    }
    tx.commit().await?;
    Ok(written)
}

/// Removes a device that a read, begun at `read_began`, did not find. Returns `None` if the row is newer or missing.
pub(super) async fn remove(db: &Db, dsn: &str, read_began: Timestamp) -> Result<Option<ChangedDevice>> {
    let mut tx = db.begin().await?;
    let removed =
        tx.execute("DELETE FROM idx_device_state WHERE dsn = $1 AND synced_at <= $2", params![dsn, read_began]).await?;
    if removed == 0 {
        return Ok(None);
    }
    let csp: Option<(String,)> =
        tx.fetch_optional("DELETE FROM idx_devices WHERE dsn = $1 RETURNING csp", params![dsn]).await?;
    tx.commit().await?;
    Ok(csp.map(|(csp,)| ChangedDevice { dsn: dsn.to_owned(), lists: vec![csp] }))
}

/// The state row decides which write wins, and is locked for the rest of the transaction.
async fn write_states(
    tx: &mut Tx,
    writes: &[RowWrite<'_>],
    read: CloudRead,
) -> Result<impl Iterator<Item = String> + use<>> {
    let columns = STATE_COLUMNS.len();
    let sql = format!(
        "INSERT INTO idx_device_state ({}) VALUES {} ON CONFLICT (dsn) DO UPDATE SET {} \
         WHERE idx_device_state.synced_at <= {} RETURNING dsn",
        STATE_COLUMNS.join(", "),
        rows_of_placeholders(tx.dialect(), writes.len(), columns),
        overwriting(&STATE_COLUMNS),
        tx.dialect().placeholder(writes.len() * columns + 1),
    );
    let values = all(writes, |values, write| state(values, write, read)).with(read.began());
    let written: Vec<(String,)> = tx.fetch_all(AssertSqlSafe(sql), values).await?;
    Ok(written.into_iter().map(|(dsn,)| dsn))
}

async fn write_devices(tx: &mut Tx, writes: &[&RowWrite<'_>]) -> Result<()> {
    let sql = format!(
        "INSERT INTO idx_devices ({}) VALUES {} ON CONFLICT (dsn) DO UPDATE SET {}",
        DEVICE_COLUMNS.join(", "),
        rows_of_placeholders(tx.dialect(), writes.len(), DEVICE_COLUMNS.len()),
        overwriting(&DEVICE_COLUMNS),
    );
    tx.execute(AssertSqlSafe(sql), all(writes, |values, write| device(values, write.entry))).await?;
    Ok(())
}

/// Assignments for all columns except the key, which is the first.
fn overwriting(columns: &[&str]) -> String {
    let set: Vec<String> = columns[1..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
    set.join(", ")
}

const STATE_COLUMNS: [&str; 15] = [
    "dsn",
    "csp",
    "system_configuration",
    "connection_status",
    "connected_at",
    "connection_changed_at",
    "mode",
    "cycle",
    "intensity",
    "fan",
    "fragrance_remaining",
    "remaining_rising",
    "remaining_falling",
    "pending",
    "synced_at",
];

fn state(values: Params, write: &RowWrite<'_>, read: CloudRead) -> Params {
    let (record, state) = (&write.entry.record, write.state);
    values
        .with(&record.dsn)
        .with(text(&record.csp))
        .with(text(&record.system_configuration))
        .with(state.status().name())
        .with(state.connected_at.map_or(0, to_micros))
        .with(state.connection_changed_at.map_or(0, to_micros))
        .with(state.mode)
        .with(state.cycle)
        .with(state.intensity)
        .with(state.fan)
        .with(state.fragrance_remaining)
        .with(rising(state.fragrance_remaining))
        .with(falling(state.fragrance_remaining))
        .with(state.pending)
        .with(read.ended())
}

const DEVICE_COLUMNS: [&str; 28] = [
    "dsn",
    "key",
    "csp",
    "serial_number",
    "customer",
    "customer_id",
    "store_number",
    "service_area",
    "system_configuration",
    "fragrance",
    "network",
    "city",
    "state_province",
    "country",
    "time_zone",
    "created_at",
    "dsn_folded",
    "serial_number_folded",
    "customer_folded",
    "service_area_folded",
    "ssid_folded",
    "city_folded",
    "state_province_folded",
    "country_folded",
    "search_folded",
    "x",
    "y",
    "z",
];

fn device(values: Params, entry: &IndexEntry) -> Params {
    let record = &entry.record;
    let folded = |text: &Option<String>| fold(text.as_deref().unwrap_or_default());
    values
        .with(&record.dsn)
        .with(entry.key)
        .with(text(&record.csp))
        .with(text(&record.serial_number))
        .with(text(&record.customer))
        .with(text(&record.customer_id))
        .with(text(&record.store_number))
        .with(text(&record.service_area))
        .with(text(&record.system_configuration))
        .with(text(&record.fragrance))
        .with(&record.network)
        .with(text(&record.city))
        .with(text(&record.state_province))
        .with(text(&record.country))
        .with(text(&record.time_zone))
        .with(record.created_at.map_or(0, to_micros))
        .with(fold(&record.dsn))
        .with(folded(&record.serial_number))
        .with(folded(&record.customer))
        .with(folded(&record.service_area))
        .with(if record.network == LAN { String::new() } else { fold(&record.network) })
        .with(folded(&record.city))
        .with(folded(&record.state_province))
        .with(folded(&record.country))
        .with(searched(record))
        .with(record.position.map(|position| position.x))
        .with(record.position.map(|position| position.y))
        .with(record.position.map(|position| position.z))
}

/// The words of the search column, each preceded by two blanks.
fn searched(record: &DeviceRecord) -> String {
    let texts = [
        Some(&record.dsn),
        record.serial_number.as_ref(),
        record.customer.as_ref(),
        record.service_area.as_ref(),
        record.city.as_ref(),
        record.store_number.as_ref(),
    ];
    let words = texts.into_iter().flatten().flat_map(|text| text.split_whitespace());
    words.map(|word| format!("{WORD_SEPARATOR}{}", fold(word))).collect()
}

/// Stores a missing text as an empty one.
fn text(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}
