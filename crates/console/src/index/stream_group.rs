//! Writes groups of changes from the live stream: the changes of all devices of a group in one transaction.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx};
use platform::run::clock::{Clock, from_micros};
use sea_query::Iden;
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;

use super::schema::IdxDeviceState as Column;
use super::stored::{STATE_READ, StateRow, Stored, names};
use super::stream_change::{CombinedChange, StreamChange, combine, contains};
use super::turns::take_turn;
use crate::records::DeviceState;
use crate::records::device_panic;

/// Changes of one device, in the order of the stream.
#[derive(Clone, Debug)]
pub(crate) struct DeviceChanges {
    pub(crate) dsn: String,
    pub(crate) changes: Vec<StreamChange>,
}

/// What a group of changes did to the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupOutcome {
    /// By dsn, the CSP whose list contents, counts or order changed; an empty text for no CSP.
    pub(crate) lists: HashMap<String, String>,
    /// Devices whose rows were written.
    pub(crate) written: Vec<String>,
    /// Whether a device is missing from the index. It is left to the next pass.
    pub(crate) lacks_devices: bool,
}

/// A row as the stream changes it.
#[derive(FromRow)]
struct StoredState {
    dsn: String,
    csp: String,
    #[sqlx(flatten)]
    state: StateRow,
}

/// A row to write.
struct StateWrite {
    dsn: String,
    csp: String,
    after: CombinedChange,
    synced_at: Timestamp,
}

/// Applies the changes of a group. Each device occurs once. If no change changes a row, nothing is written, not even the
/// stamp: the rows were stamped by the changes that led to their values, so that no read from before can replace them.
pub(crate) async fn apply_group(db: &Db, clock: &Clock, group: &[DeviceChanges]) -> Result<GroupOutcome> {
    let indexed: Vec<&DeviceChanges> = group.iter().filter(|device| is_indexed(device)).collect();
    let stored = read_states(db, indexed.iter().map(|device| &device.dsn)).await?;
    let lacks_devices = indexed.iter().any(|device| !stored.contains_key(&device.dsn));
    let writes = state_writes(stored, &indexed, clock.now());
    if writes.is_empty() {
        return Ok(GroupOutcome { lacks_devices, ..GroupOutcome::default() });
    }
    let changed: HashSet<&str> = writes.iter().map(|write| write.dsn.as_str()).collect();
    let affected: Vec<&DeviceChanges> =
        indexed.into_iter().filter(|device| changed.contains(device.dsn.as_str())).collect();
    let affected = affected.as_slice();
    let write = |mut tx: Tx| async move {
        take_turn(&mut tx).await?;
        let stored = lock_states(&mut tx, affected).await?;
        let writes = state_writes(stored, affected, clock.now());
        write_states(&mut tx, &writes).await?;
        tx.commit().await?;
        Ok::<_, platform::db::Error>(writes)
    };
    let writes = db.write(write).await?;
    let written = writes.iter().map(|write| write.dsn.clone()).collect();
    let lists = writes.into_iter().filter(|write| write.after.affects_lists).map(|write| (write.dsn, write.csp));
    Ok(GroupOutcome { lists: lists.collect(), written, lacks_devices })
}

/// The devices of the group whose rows contain their changes, written by another node, with the CSPs whose lists may
/// have changed. A device that is missing from the index is left to the next pass and counts, too.
pub(crate) async fn find_applied(
    db: &Db,
    clock: &Clock,
    group: &[DeviceChanges],
) -> Result<HashMap<String, Option<String>>> {
    let indexed = group.iter().filter(|device| is_indexed(device)).map(|device| &device.dsn);
    let mut stored = read_states(db, indexed).await?;
    let now = clock.now();
    let applied = group.iter().filter_map(|device| {
        let Some(row) = stored.remove(&device.dsn) else { return Some((device.dsn.clone(), None)) };
        let is_applied = device_panic::catch("event", &device.dsn, || contains(row.state.into(), &device.changes, now))
            .unwrap_or(true);
        let list = device.changes.iter().any(|change| change.may_affect_lists()).then_some(row.csp);
        is_applied.then(|| (device.dsn.clone(), list))
    });
    Ok(applied.collect())
}

fn is_indexed(device: &DeviceChanges) -> bool {
    device.changes.iter().any(|change| change.is_indexed())
}

/// The rows that differ after their changes.
fn state_writes(mut stored: HashMap<String, StoredState>, group: &[&DeviceChanges], now: Timestamp) -> Vec<StateWrite> {
    let writes = group.iter().filter_map(|device| {
        let StoredState { dsn, csp, state } = stored.remove(&device.dsn)?;
        let synced_at = from_micros(state.synced_at).max(now);
        let before = DeviceState::from(state);
        let after = device_panic::catch("event", &device.dsn, || combine(before, &device.changes, now)).flatten()?;
        Some(StateWrite { dsn, csp, after, synced_at })
    });
    writes.collect()
}

async fn read_states(db: &Db, dsns: impl Iterator<Item = &String>) -> Result<HashMap<String, StoredState>> {
    let mut stored = HashMap::new();
    for run in key_runs(&dsns.collect::<Vec<_>>()) {
        let sql = states_sql(&placeholders(db.dialect(), run.len()), "");
        let rows: Vec<StoredState> = db.fetch_all(AssertSqlSafe(sql), keys(run)).await?;
        stored.extend(rows.into_iter().map(|row| (row.dsn.clone(), row)));
    }
    Ok(stored)
}

/// Reads the rows and locks them until the end of the transaction.
async fn lock_states(tx: &mut Tx, group: &[&DeviceChanges]) -> Result<HashMap<String, StoredState>> {
    // A fixed lock order prevents deadlocks between writers.
    let mut dsns: Vec<&String> = group.iter().map(|device| &device.dsn).collect();
    dsns.sort_unstable();
    let mut stored = HashMap::new();
    for run in key_runs(&dsns) {
        let sql = states_sql(&placeholders(tx.dialect(), run.len()), tx.for_update());
        let rows: Vec<StoredState> = tx.fetch_all(AssertSqlSafe(sql), keys(run)).await?;
        stored.extend(rows.into_iter().map(|row| (row.dsn.clone(), row)));
    }
    Ok(stored)
}

fn states_sql(dsns: &str, lock: &str) -> String {
    let columns = names("", STATE_READ);
    format!("select dsn, csp, {columns} from idx_device_state where dsn in ({dsns}) order by dsn{lock}")
}

fn keys(dsns: Vec<&String>) -> Params {
    dsns.into_iter().fold(Params::default(), Params::with)
}

/// The columns that a change of a state writes, after the dsn.
const CHANGED: [Column; 10] = [
    Column::ConnectionStatus,
    Column::ConnectedAt,
    Column::ConnectionChangedAt,
    Column::Mode,
    Column::Cycle,
    Column::Intensity,
    Column::Fan,
    Column::FragranceRemaining,
    Column::Pending,
    Column::SyncedAt,
];

async fn write_states(tx: &mut Tx, writes: &[StateWrite]) -> Result<()> {
    let assign = |(number, column): (usize, Column)| format!("{} = changed.column{number}", column.unquoted());
    let assignments: Vec<String> = (2..).zip(CHANGED).map(assign).collect();
    for run in runs(writes) {
        let sql = format!(
            "update idx_device_state set {} from (values {}) as changed where idx_device_state.dsn = changed.column1",
            assignments.join(", "),
            rows_of_placeholders(tx.dialect(), run.len(), 1 + CHANGED.len()),
        );
        tx.execute(AssertSqlSafe(sql), all(run, |values, row| row.add_to(values))).await?;
    }
    Ok(())
}

impl StateWrite {
    /// Adds the dsn and the values of [`CHANGED`].
    fn add_to(&self, values: Params) -> Params {
        let state = self.after.state;
        values
            .with(&self.dsn)
            .with(state.status().name())
            .with(state.connected_at.to_column())
            .with(state.connection_changed_at.to_column())
            .with(state.mode)
            .with(state.cycle)
            .with(state.intensity)
            .with(state.fan)
            .with(state.fragrance_remaining)
            .with(state.pending)
            .with(self.synced_at)
    }
}
