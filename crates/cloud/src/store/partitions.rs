//! The partitions of the history on PostgreSQL, one for each month (docs/adr/0014). The id of a datapoint is ordered by time, so a
//! month is a range of ids. On SQLite the history is one table, and these functions do nothing.
//!
//! Functions of the database change the partitions (migration 40), because the role of a node need not own the tables.
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

    /// The first day, as `2026-11-01`.
    fn first_day(self) -> String {
        self.0.to_string()
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
    create_partition(&mut tx, month).await?;
    tx.commit().await
}

/// Creates the partition of a month that has none, and moves its rows out of the default partition.
async fn create_partition(tx: &mut Tx, month: Month) -> Result<()> {
    tx.execute("select create_history_month(cast($1 as date))", params![month.first_day()]).await?;
    Ok(())
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
        tx.execute("select replace_plain_history()", params![]).await?;
        tx.commit().await?;
        db.execute("select analyze_history()", params![]).await?;
        return Ok(Some(MoveStep::Finished { total: copied }));
    };
    // Transactions that delete datapoints lock this row before they change the copy.
    tx.execute("select 1 from datapoint_move for update", params![]).await?;
    let month = instant_of(&next).map(Month::of);
    if let Some(month) = month {
        create_partition(&mut tx, month).await?;
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

/// Drops the months that ended before `until`, with their settled commands and files. The newest datapoint of each property and
/// those with a pending command stay, in a partition of their own. Returns the number of months.
pub(crate) async fn drop_expired(db: &Db, until: Timestamp) -> Result<i64> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(0);
    }
    let month = Month::of(until.max(Timestamp::UNIX_EPOCH));
    let mut tx = begin(db).await?;
    let sql = "select drop_history_months(cast($1 as date))";
    let (months,): (i64,) = tx.fetch_one(sql, params![month.first_day()]).await?;
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
