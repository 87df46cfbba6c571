//! Copies a SQLite database into an empty PostgreSQL database with the same schema.
//!
//! The source is read in one snapshot and never written. The target's own description of its tables determines the order of the
//! tables and the types of the values. Each batch of rows is stored together with the position that it reached, so that an
//! interrupted transfer continues there. A table in the target holds these positions; while it exists, no node starts on the
//! target.

mod catalog;
mod progress;
mod rows;
#[cfg(test)]
mod tests;

use std::time::Duration;

use futures::TryStreamExt;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Sqlite, SqliteConnection, Transaction};

use crate::db::{self, Db, Migrations};
use crate::nodes::node_lock::{NodeLock, wait_for_lock};
use crate::run::clock::to_micros;
use catalog::{Catalog, Table};
use progress::Position;
use rows::{Batch, Fingerprint, Tuples};

/// Rows per transaction. A transaction also ends when its rows have this many bytes.
const BATCH_ROWS: usize = 5_000;
const BATCH_BYTES: usize = 1 << 20;
/// The key of the target's advisory lock: "transfer" in ASCII.
const LOCK: i64 = 0x74_72_61_6e_73_66_65_72;
/// How long a start waits for the session of a transfer that was killed.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// A transfer that failed. It continues when it is started again, unless the error says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The source is another database.
    #[error("the source must be a SQLite database: sqlite:PATH")]
    NotSqlite,
    /// The target is another database.
    #[error("the target must be a PostgreSQL database: postgres://USER:PASSWORD@HOST/NAME")]
    NotPostgres,
    /// A device cloud runs on the source.
    #[error("a node is running on the source database; stop it first")]
    NodeRuns,
    /// A console runs on the source.
    #[error("a console is running on the source database, or ended a few seconds ago; stop it first")]
    ConsoleRuns,
    /// Another process transfers into the target.
    #[error("another transfer into the target database is running")]
    TargetBusy,
    /// The target has tables, and no transfer began there.
    #[error("the target database is not empty")]
    TargetNotEmpty,
    /// The tables or columns differ, which is a defect of the program.
    #[error("the schemas of the two databases differ: {0}")]
    SchemasDiffer(String),
    /// PostgreSQL cannot store a value of the source.
    #[error("table {table}, row {row}: the value of {column} {reason}")]
    Value {
        /// The table.
        table: String,
        /// The row's key.
        row: String,
        /// The column.
        column: String,
        /// Why it cannot be stored.
        reason: &'static str,
    },
    /// The copy is not equal to the source.
    #[error(
        "the copy of table {0} differs from the source, which may have changed since the transfer began: \
             empty the target database and start again"
    )]
    CopyDiffers(String),
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

type Result<T> = std::result::Result<T, Error>;

/// What a transfer has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'t> {
    /// Rows of a table are stored in the target.
    Stored {
        /// The table.
        table: &'t str,
        /// The rows so far, including those of an interrupted transfer.
        rows: i64,
        /// The rows of the source.
        of: i64,
    },
    /// The copy of a table is equal to the source.
    Verified {
        /// The table.
        table: &'t str,
    },
}

/// A table that was copied and verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedTable {
    /// Its name.
    pub name: String,
    /// Its number of rows.
    pub rows: u64,
    /// The sum of the SHA-256 hashes of its rows, in hexadecimal digits: equal for equal rows in any order.
    pub hash: String,
}

/// Copies `from`, opened with [`Db::connect_read_only`], into `to`, and compares all rows. `now` is compared with the leases of
/// the source. Calls `report` after each transaction.
///
/// # Errors
/// An [`Error`]. The source is unchanged.
pub async fn transfer(
    from: &Db,
    to: &Db,
    migrations: &Migrations,
    now: Timestamp,
    report: impl FnMut(Progress<'_>),
) -> Result<Vec<VerifiedTable>> {
    transfer_in_batches(from, to, migrations, now, BATCH_ROWS, report).await
}

async fn transfer_in_batches(
    from: &Db,
    to: &Db,
    migrations: &Migrations,
    now: Timestamp,
    batch_rows: usize,
    mut report: impl FnMut(Progress<'_>),
) -> Result<Vec<VerifiedTable>> {
    let Db::Sqlite { read, .. } = from else { return Err(Error::NotSqlite) };
    let Db::Postgres(server) = to else { return Err(Error::NotPostgres) };
    from.check_schema(migrations).await?;
    // Held to the end: no node starts on the source meanwhile.
    let _lock = NodeLock::acquire(from).await?.ok_or(Error::NodeRuns)?;
    // One snapshot.
    let mut source = read.begin().await?;
    ensure_no_console(&mut source, now).await?;

    // Not of the pool, so that the lock ends with the transfer.
    let mut target = server.pool().acquire().await?.detach();
    if !wait_for_lock(&mut target, LOCK, LOCK_PATIENCE).await? {
        return Err(Error::TargetBusy);
    }
    let mut catalog = prepare(to, &mut target, migrations).await?;
    catalog.compare(&mut source).await?;
    let mut copy = Copy { source, target, batch_rows };
    for table in &catalog.tables {
        copy.copy_table(table, &mut report).await?;
    }
    copy.set_sequences(&catalog.tables).await?;
    let mut verified = Vec::with_capacity(catalog.tables.len());
    for table in &catalog.tables {
        verified.push(copy.verify(table).await?);
        report(Progress::Verified { table: &table.name });
    }
    copy.analyze(&catalog.tables).await?;
    progress::end(&mut copy.target).await?;
    copy.target.close().await?;
    Ok(verified)
}

/// Consoles take no node lock. Of all that run, one holds the lease of the passes.
async fn ensure_no_console(source: &mut SqliteConnection, now: Timestamp) -> Result<()> {
    let has_leases = "select 1 from sqlite_master where type = 'table' and name = 'leases'";
    if sqlx::query(has_leases).fetch_optional(&mut *source).await?.is_none() {
        return Ok(());
    }
    let held = sqlx::query("select 1 from leases where until > ? limit 1").bind(to_micros(now));
    if held.fetch_optional(source).await?.is_some() { Err(Error::ConsoleRuns) } else { Ok(()) }
}

/// Gives an empty target its schema, or checks that of an interrupted transfer.
async fn prepare(to: &Db, target: &mut PgConnection, migrations: &Migrations) -> Result<Catalog> {
    progress::begin(target).await?;
    if progress::is_prepared(target).await? {
        to.check_schema_of_copy(migrations).await?;
        return Catalog::read(target).await;
    }
    to.migrate_copy(migrations).await?;
    let catalog = Catalog::read(target).await?;
    // Migrations insert rows, which the source has, too.
    let names: Vec<String> = catalog.tables.iter().map(|table| quoted(&table.name)).collect();
    let mut tx = target.begin().await?;
    sqlx::query(AssertSqlSafe(format!("truncate {}", names.join(", ")))).execute(&mut *tx).await?;
    progress::prepare(&mut tx, catalog.tables.iter().map(|table| &*table.name)).await?;
    tx.commit().await?;
    Ok(catalog)
}

struct Copy {
    source: Transaction<'static, Sqlite>,
    target: PgConnection,
    batch_rows: usize,
}

impl Copy {
    async fn copy_table(&mut self, table: &Table, report: &mut impl FnMut(Progress<'_>)) -> Result<()> {
        let of = sqlx::query_scalar(AssertSqlSafe(format!("select count(*) from {}", quoted(&table.name))));
        let of: i64 = of.fetch_one(&mut *self.source).await?;
        let mut position = progress::load(&mut self.target, &table.name).await?;
        let mut report = |rows| report(Progress::Stored { table: &table.name, rows, of });
        if !position.stored {
            let mut rows = table.select_after(position.key.as_deref()).fetch(&mut *self.source);
            let mut batch = Batch::default();
            while let Some(row) = rows.try_next().await? {
                batch.push(table, &row, rows::SelfReferences::Null)?;
                if batch.rows >= self.batch_rows || batch.bytes() >= BATCH_BYTES {
                    position.advance(&batch);
                    insert(&mut self.target, table, batch, &position).await?;
                    report(position.rows);
                    batch = Batch::default();
                }
            }
            position.advance(&batch);
            position.stored = true;
            insert(&mut self.target, table, batch, &position).await?;
        }
        if table.has_self_references() {
            self.set_self_references(table).await?;
        }
        report(position.rows);
        Ok(())
    }

    /// Sets the columns that refer to rows of the same table, which must exist before. Can be repeated.
    async fn set_self_references(&mut self, table: &Table) -> Result<()> {
        let mut rows = table.select_self_references().fetch(&mut *self.source);
        let mut batch = Batch::default();
        loop {
            let row = rows.try_next().await?;
            let is_last = row.is_none();
            if let Some(row) = row {
                batch.push(table, &row, rows::SelfReferences::Only)?;
            }
            if is_last || batch.rows >= self.batch_rows {
                update_self_references(&mut self.target, table, std::mem::take(&mut batch)).await?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Ids that the target generates continue after those of the source.
    async fn set_sequences(&mut self, tables: &[Table]) -> Result<()> {
        for table in tables {
            for column in table.columns.iter().filter(|column| column.is_identity) {
                let (name, column) = (quoted(&table.name), quoted(&column.name));
                let sql = format!(
                    "select setval(pg_get_serial_sequence($1, $2), max({column})) from {name} having max({column}) > 0"
                );
                let set = sqlx::query(AssertSqlSafe(sql)).bind(&name).bind(column.trim_matches('"'));
                set.execute(&mut self.target).await?;
            }
        }
        Ok(())
    }

    /// New tables have no statistics for the planner. The tables by name, because a role may not analyze those of the server.
    async fn analyze(&mut self, tables: &[Table]) -> Result<()> {
        for table in tables {
            sqlx::query(AssertSqlSafe(format!("analyze {}", quoted(&table.name)))).execute(&mut self.target).await?;
        }
        Ok(())
    }

    /// Compares all rows of both databases.
    async fn verify(&mut self, table: &Table) -> Result<VerifiedTable> {
        let Self { source, target, .. } = self;
        let source = async {
            let mut rows = table.select_all().fetch(&mut **source);
            let mut fingerprint = Fingerprint::default();
            let mut batch = Batch::default();
            while let Some(row) = rows.try_next().await? {
                batch.clear();
                batch.push(table, &row, rows::SelfReferences::Values)?;
                fingerprint.add(batch.tuples());
            }
            Ok::<_, Error>(fingerprint)
        };
        let target = async {
            let sql =
                format!("copy (select {} from {}) to stdout (format binary)", table.columns(), quoted(&table.name));
            let mut chunks = target.copy_out_raw(&sql).await?;
            let mut fingerprint = Fingerprint::default();
            let mut tuples = Tuples::default();
            while let Some(chunk) = chunks.try_next().await? {
                tuples.split(&chunk, |tuple| fingerprint.add(tuple));
            }
            Ok(fingerprint)
        };
        let (source, target) = tokio::try_join!(source, target)?;
        if source == target {
            Ok(VerifiedTable { name: table.name.clone(), rows: source.rows, hash: source.hash() })
        } else {
            Err(Error::CopyDiffers(table.name.clone()))
        }
    }
}

/// Stores a batch and the position that it reached. Triggers must not change what the source has.
async fn insert(target: &mut PgConnection, table: &Table, batch: Batch, position: &Position) -> Result<()> {
    let name = quoted(&table.name);
    let mut tx = target.begin().await?;
    set_triggers(&mut tx, table, "disable").await?;
    copy_in(&mut tx, &format!("{name} ({})", table.columns()), batch).await?;
    set_triggers(&mut tx, table, "enable").await?;
    progress::store(&mut tx, &table.name, position).await?;
    Ok(tx.commit().await?)
}

async fn update_self_references(target: &mut PgConnection, table: &Table, batch: Batch) -> Result<()> {
    let (name, columns) = (quoted(&table.name), table.self_reference_columns());
    let mut tx = target.begin().await?;
    let create = format!(
        "create temporary table self_reference on commit drop as select {} from {name} with no data",
        columns.join(", ")
    );
    sqlx::query(AssertSqlSafe(create)).execute(&mut *tx).await?;
    copy_in(&mut tx, "self_reference", batch).await?;
    let (keys, references) = columns.split_at(table.primary_key.len());
    let set: Vec<String> = references.iter().map(|column| format!("{column} = s.{column}")).collect();
    let equal: Vec<String> = keys.iter().map(|column| format!("t.{column} = s.{column}")).collect();
    let update = format!("update {name} t set {} from self_reference s where {}", set.join(", "), equal.join(" and "));
    set_triggers(&mut tx, table, "disable").await?;
    sqlx::query(AssertSqlSafe(update)).execute(&mut *tx).await?;
    set_triggers(&mut tx, table, "enable").await?;
    Ok(tx.commit().await?)
}

/// Enables or disables the triggers of a table until the end of the transaction; foreign keys are checked in any case.
async fn set_triggers(tx: &mut PgConnection, table: &Table, change: &str) -> Result<()> {
    if table.has_triggers {
        let sql = format!("alter table {} {change} trigger user", quoted(&table.name));
        sqlx::query(AssertSqlSafe(sql)).execute(tx).await?;
    }
    Ok(())
}

async fn copy_in(tx: &mut PgConnection, into: &str, batch: Batch) -> Result<()> {
    let mut copy = tx.copy_in_raw(&format!("copy {into} from stdin (format binary)")).await?;
    copy.send(batch.into_copy()).await?;
    copy.finish().await?;
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
