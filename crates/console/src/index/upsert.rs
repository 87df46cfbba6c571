//! Writes devices in batches.

use std::collections::HashSet;

use jiff::Timestamp;
use platform::db::rows::{all, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::to_micros;
use sea_query::Iden;
use sqlx::AssertSqlSafe;

use super::changed_device::ChangedDevice;
use super::cloud_read::CloudRead;
use super::columns::{WRITTEN, to_columns};
use super::row::IndexEntry;
use super::schema::IdxDeviceState;
use super::stored::names;
use crate::records::DeviceState;

/// A device row to write.
pub(super) struct RowWrite<'a> {
    pub(super) entry: &'a IndexEntry,
    /// Replaces the entry's state, which does not know the previous state.
    pub(super) state: DeviceState,
    /// Whether to write [`IdxDevices`](super::columns::IdxDevices) too. Most changes are state changes and leave the
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
        tx.execute("delete from idx_device_state where dsn = $1 and synced_at <= $2", params![dsn, read_began]).await?;
    if removed == 0 {
        return Ok(None);
    }
    let csp: Option<(String,)> =
        tx.fetch_optional("delete from idx_devices where dsn = $1 returning csp", params![dsn]).await?;
    tx.execute("delete from idx_forecasts where dsn = $1", params![dsn]).await?;
    tx.commit().await?;
    Ok(csp.map(|(csp,)| ChangedDevice { dsn: dsn.to_owned(), lists: vec![csp] }))
}

/// The state row decides which write wins, and is locked for the rest of the transaction.
async fn write_states(
    tx: &mut Tx,
    writes: &[RowWrite<'_>],
    read: CloudRead,
) -> Result<impl Iterator<Item = String> + use<>> {
    let columns = STATE_WRITTEN.len();
    let sql = format!(
        "insert into idx_device_state ({}) values {} on conflict (dsn) do update set {} \
         where idx_device_state.synced_at <= {} returning dsn",
        names("", STATE_WRITTEN),
        rows_of_placeholders(tx.dialect(), writes.len(), columns),
        overwriting(STATE_WRITTEN),
        tx.dialect().placeholder(writes.len() * columns + 1),
    );
    let values = all(writes, |values, write| state(values, write, read)).with(read.began());
    let written: Vec<(String,)> = tx.fetch_all(AssertSqlSafe(sql), values).await?;
    Ok(written.into_iter().map(|(dsn,)| dsn))
}

async fn write_devices(tx: &mut Tx, writes: &[&RowWrite<'_>]) -> Result<()> {
    let sql = format!(
        "insert into idx_devices ({}) values {} on conflict (dsn) do update set {}",
        names("", WRITTEN),
        rows_of_placeholders(tx.dialect(), writes.len(), WRITTEN.len()),
        overwriting(WRITTEN),
    );
    tx.execute(
        AssertSqlSafe(sql),
        all(writes, |values, write| to_columns(values, write.entry.key, &write.entry.record)),
    )
    .await?;
    Ok(())
}

/// Assignments for all columns except the dsn, which is the first.
fn overwriting(columns: &[impl Iden]) -> String {
    let set: Vec<String> =
        columns[1..].iter().map(Iden::unquoted).map(|name| format!("{name} = excluded.{name}")).collect();
    set.join(", ")
}

const STATE_WRITTEN: &[IdxDeviceState] = &[
    IdxDeviceState::Dsn,
    IdxDeviceState::Csp,
    IdxDeviceState::SystemConfiguration,
    IdxDeviceState::ConnectionStatus,
    IdxDeviceState::ConnectedAt,
    IdxDeviceState::ConnectionChangedAt,
    IdxDeviceState::Mode,
    IdxDeviceState::Cycle,
    IdxDeviceState::Intensity,
    IdxDeviceState::Fan,
    IdxDeviceState::FragranceRemaining,
    IdxDeviceState::Pending,
    IdxDeviceState::SyncedAt,
];

fn state(values: Params, write: &RowWrite<'_>, read: CloudRead) -> Params {
    let (record, state) = (&write.entry.record, write.state);
    values
        .with(&record.dsn)
        .with(record.csp.clone().unwrap_or_default())
        .with(record.system_configuration.clone().unwrap_or_default())
        .with(state.status().name())
        .with(state.connected_at.map_or(0, to_micros))
        .with(state.connection_changed_at.map_or(0, to_micros))
        .with(state.mode)
        .with(state.cycle)
        .with(state.intensity)
        .with(state.fan)
        .with(state.fragrance_remaining)
        .with(state.pending)
        .with(read.ended())
}
