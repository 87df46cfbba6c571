//! What the index and `attention_devices` say about devices.

use diffuser::Mode;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::{from_micros, to_micros};
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;

use crate::attention_rules::{AttentionFacts, DeviceMemory};
use crate::records::DeviceStatus;

/// A device as stored.
pub(super) struct DeviceRow {
    pub(super) dsn: String,
    pub(super) csp: String,
    /// Whether the index knows a command that the device has not answered.
    pub(super) is_pending: bool,
    pub(super) facts: AttentionFacts,
    /// When time alone changes something, as stored.
    pub(super) due_at: Option<Timestamp>,
}

/// What to store about a device.
pub(super) struct MemoryWrite {
    pub(super) dsn: String,
    pub(super) memory: DeviceMemory,
    pub(super) due_at: Timestamp,
}

#[derive(FromRow)]
struct AttentionDeviceRow {
    dsn: String,
    csp: String,
    connection_status: String,
    connection_changed_at: i64,
    mode: Option<i64>,
    fragrance_remaining: Option<i64>,
    pending: i64,
    created_at: i64,
    installed_at: String,
    time_zone: String,
    runs_dry_at: Option<i64>,
    emptied_at: Option<i64>,
    memory: Option<String>,
    due_at: Option<i64>,
}

impl AttentionDeviceRow {
    fn into_device(self, now: Timestamp) -> DeviceRow {
        let known = |micros: i64| (micros != 0).then(|| from_micros(micros));
        // A memory in another form is that of a later version, and is filled again.
        let memory: DeviceMemory = self.memory.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
        let observed = memory.observation.as_ref().and_then(|observation| observation.level);
        DeviceRow {
            csp: self.csp,
            is_pending: self.pending != 0,
            facts: AttentionFacts {
                now,
                status: DeviceStatus::from_name(&self.connection_status).unwrap_or(DeviceStatus::Offline),
                status_since: known(self.connection_changed_at),
                added_at: known(self.created_at),
                installed_at: self.installed_at.parse().ok(),
                // As the device does without a time zone.
                time_zone: TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC),
                mode: self.mode.and_then(|code| Mode::try_from(code).ok()),
                level: self.fragrance_remaining.or(observed),
                runs_dry_at: self.runs_dry_at.map(from_micros),
                emptied_at: self.emptied_at.map(from_micros),
                streamed_life: None,
                memory,
            },
            due_at: self.due_at.map(from_micros),
            dsn: self.dsn,
        }
    }
}

/// Reads those devices that are in the index.
pub(super) async fn read(db: &Db, dsns: &[&str], now: Timestamp) -> Result<Vec<DeviceRow>> {
    let mut devices = Vec::new();
    for run in key_runs(dsns) {
        let sql = format!(
            "select s.dsn, s.csp, s.connection_status, s.connection_changed_at, s.mode, s.fragrance_remaining, s.pending, \
             d.created_at, d.installed_at, d.time_zone, s.runs_dry_at, s.emptied_at, a.memory, a.due_at \
             from idx_device_state s join idx_devices d on d.dsn = s.dsn \
             left join attention_devices a on a.dsn = s.dsn \
             where s.dsn in ({})",
            placeholders(db.dialect(), run.len())
        );
        let rows: Vec<AttentionDeviceRow> = db.fetch_all(AssertSqlSafe(sql), keys(&run)).await?;
        devices.extend(rows.into_iter().map(|row| row.into_device(now)));
    }
    Ok(devices)
}

/// The devices that are due first.
pub(super) async fn due(db: &Db, now: Timestamp, limit: i64) -> Result<Vec<String>> {
    let sql = "select dsn from attention_devices where due_at <= $1 order by due_at, dsn limit $2";
    let rows: Vec<(String,)> = db.fetch_all(sql, params![now, limit]).await?;
    Ok(rows.into_iter().map(|(dsn,)| dsn).collect())
}

/// Lets the devices of a CSP be due at once.
pub(super) async fn set_due(tx: &mut Tx, csp: &str, now: Timestamp) -> Result<()> {
    let sql = "update attention_devices set due_at = $1 where dsn in (select dsn from idx_devices where csp = $2)";
    tx.execute(sql, params![now, csp]).await?;
    Ok(())
}

/// Writes memories, each of another device, in the order of their dsns, so that writers cannot deadlock.
pub(super) async fn write(tx: &mut Tx, memories: &[MemoryWrite]) -> Result<()> {
    for run in runs(memories) {
        let sql = format!(
            "insert into attention_devices (dsn, memory, due_at) values {} \
             on conflict (dsn) do update set memory = excluded.memory, due_at = excluded.due_at",
            rows_of_placeholders(tx.dialect(), run.len(), 3)
        );
        tx.execute(AssertSqlSafe(sql), all(run, values)).await?;
    }
    Ok(())
}

fn values(values: Params, write: &MemoryWrite) -> Params {
    // Serialization of our own values cannot fail.
    let memory = serde_json::to_string(&write.memory).unwrap_or_else(|_| "{}".to_owned());
    values.with(&write.dsn).with(memory).with(to_micros(write.due_at))
}

/// Forgets devices that are no longer in the index.
pub(super) async fn forget(tx: &mut Tx, dsns: &[String]) -> Result<()> {
    for dsn in dsns {
        tx.execute("delete from attention_devices where dsn = $1", params![dsn]).await?;
    }
    Ok(())
}

fn keys(dsns: &[&str]) -> Params {
    dsns.iter().fold(Params::default(), |keys, dsn| keys.with(*dsn))
}
