//! The partitions of the history on PostgreSQL, one for each month (docs/adr/0014). The id of a datapoint is ordered by time, so a
//! month is a range of ids. On SQLite the history is one table, and these functions do nothing.
//!
//! The history of an earlier version is a plain table `datapoint`. Migration 39 adds the partitioned table `datapoint_next`, to
//! which triggers copy each insert and delete. [`move_step`] copies the older rows, then replaces one table with the other.

use std::collections::BTreeSet;
use std::iter::successors;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use platform::db::{Db, Dialect, Result, Tx, params};
use platform::random::{first_uuid_at, instant_of};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// How many months have a partition before they begin.
pub(crate) const MONTHS_AHEAD: usize = 3;
/// The key of the advisory lock that one session at a time holds while it changes partitions: "history" in ASCII.
const LOCK: i64 = 0x68_69_73_74_6f_72_79;
/// The partition of what was kept of the months that were dropped.
const KEPT: &str = "datapoint_kept";

/// A month of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Month(Date);

impl Month {
    fn of(at: Timestamp) -> Self {
        Self(at.to_zoned(TimeZone::UTC).date().first_of_month())
    }

    fn next(self) -> Self {
        Self(self.0.saturating_add(1.month()))
    }

    /// Ids of earlier months are less.
    fn first_id(self) -> String {
        let start = TimeZone::UTC.to_timestamp(self.0.to_datetime(Time::midnight()));
        first_uuid_at(start.unwrap_or(Timestamp::MAX)).to_string()
    }

    fn table(self) -> String {
        self.0.strftime("datapoint_%Y_%m").to_string()
    }
}

#[derive(sqlx::FromRow)]
struct Partition {
    name: String,
    /// The first id; `None` for all up to `until`, and for the default partition.
    since: Option<String>,
    /// Exclusive; `None` for the default partition.
    until: Option<String>,
}

impl Partition {
    fn covers(&self, id: &str) -> bool {
        self.since.as_deref().unwrap_or_default() <= id && self.until.as_deref().is_some_and(|until| id < until)
    }
}

/// Creates the partitions of these times that do not exist. While a long transaction uses the history it creates none; their
/// datapoints are then moved later, by [`create_ahead`].
pub(crate) async fn create(db: &Db, times: impl IntoIterator<Item = Timestamp>) -> Result<()> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(());
    }
    let months: BTreeSet<Month> = times.into_iter().map(|at| Month::of(at.max(Timestamp::UNIX_EPOCH))).collect();
    for month in months {
        match create_month(db, month).await {
            Err(error) if error.is_lock_timeout() => return Ok(()),
            created => created?,
        }
    }
    Ok(())
}

/// Creates the partitions of the history on PostgreSQL: of this month, of the following ones, and of datapoints that were stored
/// without one, which it moves there.
///
/// # Errors
/// A database error, also if a long transaction uses the history. Months that have their partition by then keep it.
pub async fn create_ahead(db: &Db, now: Timestamp) -> Result<()> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(());
    }
    for month in successors(Some(Month::of(now)), |month| Some(month.next())).take(1 + MONTHS_AHEAD) {
        create_month(db, month).await?;
    }
    let mut since = String::new();
    loop {
        let sql = "select id from datapoint_default where id >= $1 order by id limit 1";
        let row: Option<(String,)> = db.fetch_optional(sql, params![since]).await?;
        let Some(at) = row.and_then(|(id,)| instant_of(&id)) else { return Ok(()) };
        let month = Month::of(at);
        create_month(db, month).await?;
        since = month.next().first_id();
    }
}

async fn create_month(db: &Db, month: Month) -> Result<()> {
    let mut tx = begin(db).await?;
    if let Some(parent) = partitioned_table(&mut tx).await? {
        create_partition(&mut tx, &parent, month).await?;
    }
    tx.commit().await
}

/// Creates the partition of a month and moves its rows out of the default partition. The lock on the whole table is held for the
/// time of that: a writer that had chosen the default partition already would fail.
async fn create_partition(tx: &mut Tx, parent: &str, month: Month) -> Result<()> {
    let (since, until, name) = (month.first_id(), month.next().first_id(), month.table());
    if partitions(tx, parent).await?.iter().any(|partition| partition.covers(&since)) {
        return Ok(());
    }
    execute_all(
        tx,
        [
            format!("lock table {parent} in access exclusive mode"),
            format!("create table {name} (like {parent} including all)"),
            format!(
                "with moved as (delete from datapoint_default where id >= '{since}' and id < '{until}' returning *)
                 insert into {name} select * from moved"
            ),
            format!("alter table {parent} attach partition {name} for values from ('{since}') to ('{until}')"),
        ],
    )
    .await
}

/// What [`move_step`] did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MoveStep {
    /// Copied some datapoints.
    Copied {
        /// How many.
        rows: i64,
        /// How many in all steps.
        total: i64,
        /// The estimated number of all datapoints.
        of: i64,
    },
    /// All were copied, and the partitioned table took the place of the plain one.
    Finished {
        /// How many were copied in all steps.
        total: i64,
    },
}

#[derive(sqlx::FromRow)]
struct MoveRow {
    copied_to: String,
    copy_until: String,
    copied: i64,
    estimate: i64,
}

/// Continues the move of a plain table to partitions, with at most `limit` datapoints. `None` if there is none, or no longer.
pub(crate) async fn move_step(db: &Db, limit: i64) -> Result<Option<MoveStep>> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(None);
    }
    let mut tx = begin(db).await?;
    let (moving,): (bool,) = tx.fetch_one("select to_regclass('datapoint_move') is not null", params![]).await?;
    if !moving {
        return Ok(None);
    }
    let sql = "select copied_to, copy_until, copied,
                   (select reltuples::bigint from pg_class where oid = 'datapoint'::regclass) as estimate
               from datapoint_move";
    let MoveRow { copied_to, copy_until, copied, estimate } = tx.fetch_one(sql, params![]).await?;
    let sql = "select id from datapoint where id > $1 and id <= $2 order by id limit 1";
    let next: Option<(String,)> = tx.fetch_optional(sql, params![&copied_to, &copy_until]).await?;
    let Some((next,)) = next else {
        replace_plain_table(&mut tx).await?;
        tx.commit().await?;
        // New tables have no statistics for the planner.
        db.execute("analyze datapoint", params![]).await?;
        return Ok(Some(MoveStep::Finished { total: copied }));
    };
    // Transactions that delete datapoints lock this row before they change the copy.
    tx.execute("select 1 from datapoint_move for update", params![]).await?;
    let month = instant_of(&next).map(Month::of);
    if let Some(month) = month {
        create_partition(&mut tx, "datapoint_next", month).await?;
    }
    let end = month.map_or_else(|| Uuid::max().to_string(), |month| month.next().first_id());
    let sql = "with batch as materialized (
                   select * from datapoint where id > $1 and id <= $2 and id < $3 order by id limit $4
               ), copied as (
                   insert into datapoint_next select * from batch on conflict do nothing
               )
               select max(id), count(*) from batch";
    let values = params![copied_to, copy_until, end, limit];
    let (last, rows): (Option<String>, i64) = tx.fetch_one(sql, values).await?;
    let total = copied + rows;
    // There are none if they were deleted before the row was locked.
    let sql = "update datapoint_move set copied_to = coalesce($1, copied_to), copied = $2";
    tx.execute(sql, params![last, total]).await?;
    tx.commit().await?;
    Ok(Some(MoveStep::Copied { rows, total, of: estimate.max(total) }))
}

async fn replace_plain_table(tx: &mut Tx) -> Result<()> {
    for sql in [
        // In the order in which writers lock them.
        "lock table datapoint in access exclusive mode",
        "lock table datapoint_next in access exclusive mode",
        "drop table datapoint",
        "drop table datapoint_move",
        "drop function copy_new_datapoints()",
        "drop function delete_copied_datapoints()",
        "alter table datapoint_next rename to datapoint",
        "alter index datapoint_next_pkey rename to datapoint_pkey",
        "alter index ix_datapoint_next_sparse rename to ix_datapoint_sparse",
    ] {
        tx.execute(sql, params![]).await?;
    }
    Ok(())
}

/// Drops the months that ended before `until`, with their settled commands and files. The newest datapoint of each property and
/// those with a pending command stay, in a partition of their own. Returns the number of months.
pub(crate) async fn drop_expired(db: &Db, until: Timestamp) -> Result<usize> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(0);
    }
    let end = Month::of(until.max(Timestamp::UNIX_EPOCH)).first_id();
    let mut tx = begin(db).await?;
    if partitioned_table(&mut tx).await?.as_deref() != Some("datapoint") {
        return Ok(0);
    }
    let mut expired = partitions(&mut tx, "datapoint").await?;
    expired.retain(|partition| partition.until.as_ref().is_some_and(|until| *until <= end));
    let months = expired.iter().filter(|partition| partition.name != KEPT).count();
    if months == 0 {
        return Ok(0);
    }
    let names = expired.iter().map(|partition| &*partition.name).collect::<Vec<_>>().join(", ");
    let is_newest = |row: &str| {
        format!("exists (select 1 from property p where p.id = {row}.property_id and p.last_datapoint = {row}.id)")
    };
    execute_all(
        &mut tx,
        [
            // Other nodes that delete datapoints wait here, then continue after these months.
            format!(
                "insert into retention (days, cleared_to) select distinct retention_days, '{end}' from template_property
                 on conflict (days) do update set cleared_to = greatest(retention.cleared_to, excluded.cleared_to)"
            ),
            format!("lock table {names} in share row exclusive mode"),
            format!("delete from command c where c.id < '{end}' and c.state <> 'pending' and not {}", is_newest("c")),
            format!("delete from file f where f.id < '{end}' and not {}", is_newest("f")),
            format!(
                "create table kept_next (like datapoint including all, constraint kept_range check (id < '{end}'))"
            ),
            format!(
                "insert into kept_next select * from datapoint where id < '{end}' and id in (
                     select last_datapoint from property where last_datapoint < '{end}'
                     union select id from command where state = 'pending' and id < '{end}'
                 )"
            ),
            "lock table datapoint in access exclusive mode".to_owned(),
            format!("drop table {names}"),
            format!("delete from datapoint_default where id < '{end}'"),
            format!("alter table datapoint attach partition kept_next for values from (minvalue) to ('{end}')"),
            "alter table kept_next drop constraint kept_range".to_owned(),
            format!("alter table kept_next rename to {KEPT}"),
        ],
    )
    .await?;
    tx.commit().await?;
    Ok(months)
}

/// Begins a transaction that changes partitions, which one session does at a time.
async fn begin(db: &Db) -> Result<Tx> {
    let mut tx = db.begin().await?;
    // While a statement waits for the lock on a table, later ones wait behind it.
    tx.execute("set local lock_timeout = '2s'", params![]).await?;
    tx.execute("set local statement_timeout = 0", params![]).await?;
    tx.execute(AssertSqlSafe(format!("select pg_advisory_xact_lock({LOCK})")), params![]).await?;
    Ok(tx)
}

/// The partitioned table: `datapoint`, or `datapoint_next` during the move. `None` before migration 39.
async fn partitioned_table(tx: &mut Tx) -> Result<Option<String>> {
    let sql = "select relname::text from pg_class
               where oid in (to_regclass('datapoint'), to_regclass('datapoint_next')) and relkind = 'p'";
    Ok(tx.fetch_optional::<(String,)>(sql, params![]).await?.map(|(name,)| name))
}

async fn partitions(tx: &mut Tx, parent: &str) -> Result<Vec<Partition>> {
    let sql = "select c.relname::text as name,
                   substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(''([^'']+)''') as since,
                   substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''([^'']+)''') as until
               from pg_inherits i join pg_class c on c.oid = i.inhrelid
               where i.inhparent = to_regclass($1)";
    tx.fetch_all(sql, params![parent]).await
}

async fn execute_all<const N: usize>(tx: &mut Tx, statements: [String; N]) -> Result<()> {
    for sql in statements {
        tx.execute(AssertSqlSafe(sql), params![]).await?;
    }
    Ok(())
}
