//! How the table follows the index: everything is read once, and then what the log of changes names.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use platform::db::rows::key_runs;
use platform::db::{Db, Params, Result, params};
use sqlx::AssertSqlSafe;
use tokio::sync::Mutex;

use super::table::{DeviceTable, DeviceValues, READ};

/// Devices that a statement reads while everything is read.
const LOADED: i64 = 20_000;
/// Changes that are read at once.
const CHANGES: i64 = 10_000;
/// Changes that the log keeps. A node that is farther behind reads everything again.
pub(super) const KEPT: i64 = 200_000;

/// The place of the table in the log.
#[derive(Debug, Default)]
pub(super) struct Follower {
    /// How many questions have been asked.
    asked: AtomicU64,
    is_loaded: AtomicBool,
    position: Mutex<Position>,
}

#[derive(Debug, Default)]
struct Position {
    /// The last change that the table has; `None` until everything has been read.
    number: Option<i64>,
    /// The questions that were asked before the log was last read.
    answered: u64,
    /// Changes since this node last shortened the log.
    since_trimmed: i64,
}

impl Follower {
    /// Brings the table up to date with everything that was committed before this call. Callers at the same time share the reads.
    pub(super) async fn catch_up(&self, db: &Db, table: &RwLock<DeviceTable>) -> Result<()> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut position = self.position.lock().await;
        if position.answered >= asked && position.number.is_some() {
            return Ok(());
        }
        let answered = self.asked.load(Ordering::SeqCst);
        position.read(db, table).await?;
        position.answered = answered;
        self.is_loaded.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Whether everything has been read at some time.
    pub(super) fn is_loaded(&self) -> bool {
        self.is_loaded.load(Ordering::Relaxed)
    }
}

impl Position {
    async fn read(&mut self, db: &Db, table: &RwLock<DeviceTable>) -> Result<()> {
        loop {
            let Some(known) = self.number else {
                self.load(db, table).await?;
                continue;
            };
            let changes = changes_from(db, known).await?;
            // The last change that the table has is no longer in the log, and so may be others.
            if changes.first().is_none_or(|(number, _)| *number != known) {
                self.number = None;
                continue;
            }
            let is_last = (changes.len() as i64) < CHANGES;
            if let [_, new @ ..] = changes.as_slice()
                && let Some((last, _)) = new.last()
            {
                apply(db, table, new).await?;
                self.number = Some(*last);
                self.trim(db, new.len() as i64).await?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Reads all devices into a new table.
    async fn load(&mut self, db: &Db, table: &RwLock<DeviceTable>) -> Result<()> {
        // Before the devices: what changes meanwhile is read again.
        let (number, devices): (i64, i64) = db
            .fetch_one("select (select max(number) from idx_changes), (select count(*) from idx_devices)", params![])
            .await?;
        let mut loaded = DeviceTable::new();
        loaded.reserve(usize::try_from(devices).unwrap_or_default());
        let sql = format!(
            "select {READ} from idx_devices d join idx_device_state s on s.dsn = d.dsn where d.dsn > $1 order by d.dsn limit $2"
        );
        let mut after = String::new();
        loop {
            let rows: Vec<DeviceValues> = db.fetch_all(AssertSqlSafe(sql.clone()), params![&after, LOADED]).await?;
            rows.iter().for_each(|row| loaded.set(row));
            match rows.last() {
                Some(last) if rows.len() as i64 == LOADED => after.clone_from(&last.dsn),
                _ => break,
            }
        }
        loaded.order();
        *table.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        self.number = Some(number);
        Ok(())
    }

    /// Shortens the log now and then.
    async fn trim(&mut self, db: &Db, changes: i64) -> Result<()> {
        self.since_trimmed += changes;
        if self.since_trimmed > KEPT / 2 {
            let sql = "delete from idx_changes where number < (select max(number) from idx_changes) - $1";
            db.execute(sql, params![KEPT]).await?;
            self.since_trimmed = 0;
        }
        Ok(())
    }
}

/// The change with this number and those after it.
async fn changes_from(db: &Db, known: i64) -> Result<Vec<(i64, String)>> {
    let sql = "select number, dsn from idx_changes where number >= $1 order by number limit $2";
    db.fetch_all(sql, params![known, CHANGES]).await
}

/// Reads the changed devices as they are now.
async fn apply(db: &Db, table: &RwLock<DeviceTable>, changes: &[(i64, String)]) -> Result<()> {
    let mut dsns: Vec<&str> = changes.iter().map(|(_, dsn)| dsn.as_str()).collect();
    dsns.sort_unstable();
    dsns.dedup();
    let mut found = Vec::new();
    for run in key_runs(&dsns) {
        let keys = platform::db::rows::placeholders(db.dialect(), run.len());
        let sql = format!(
            "select {READ} from idx_devices d join idx_device_state s on s.dsn = d.dsn where d.dsn in ({keys})"
        );
        let params = run.into_iter().fold(Params::default(), Params::with);
        let rows: Vec<DeviceValues> = db.fetch_all(AssertSqlSafe(sql), params).await?;
        found.extend(rows);
    }
    let mut table = table.write().unwrap_or_else(PoisonError::into_inner);
    let present: std::collections::HashSet<&str> = found.iter().map(|values| values.dsn.as_str()).collect();
    dsns.iter().filter(|dsn| !present.contains(*dsn)).for_each(|dsn| table.remove(dsn));
    found.iter().for_each(|values| table.set(values));
    table.order();
    Ok(())
}
