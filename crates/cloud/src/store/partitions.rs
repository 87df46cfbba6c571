//! The partitions of the history on PostgreSQL, one for each month (docs/adr/0014). The id of a datapoint is ordered by time, so a
//! month is a range of ids. On SQLite the history is one table, and these functions do nothing.
//!
//! Functions of the database change the partitions, because the role of a node need not own the tables.

use std::collections::BTreeSet;
use std::iter::successors;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use platform::db::{Db, Dialect, Result, Tx, params};
use platform::nodes::clock_reading::SKEW;
use platform::run::random::{first_uuid_at, instant_of};
use sqlx::AssertSqlSafe;

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
    // A datapoint of a later month comes from a clock ahead.
    let until = first_uuid_at(now + SKEW).to_string();
    loop {
        let sql = "select id from datapoint_default where id >= $1 and id < $2 order by id limit 1";
        let row: Option<(String,)> = db.fetch_optional(sql, params![&since, &until]).await?;
        let Some(at) = row.and_then(|(id,)| instant_of(&id)) else { return Ok(()) };
        let month = Month::of(at);
        create_month(db, month).await?;
        since = month.next().first_id();
    }
}

/// Creates the partition of a month that has none, and moves its rows out of the default partition.
async fn create_month(db: &Db, month: Month) -> Result<()> {
    let mut tx = begin(db).await?;
    tx.execute("select create_history_month(cast($1 as date))", params![month.first_day()]).await?;
    tx.commit().await
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
