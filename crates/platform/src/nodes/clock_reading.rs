//! What a database knows of the time: the latest time that a node has read from its clock, and the last time that
//! [`retention`](super::retention) trusted.
//!
//! Both are in the only row of the table `clock_reading (id bigint primary key, seen_at bigint not null, trusted_at bigint not null)`
//! in the user's schema. Stored times in the future come from a clock that was ahead, and count as now: [`correct_times`] stores them
//! so, once the clock is right again, and no comparison with the present needs a rule of its own.

use jiff::{SignedDuration, Timestamp};
use sqlx::AssertSqlSafe;

use crate::db::{Db, Dialect, Result, Tx, params};
use crate::run::clock::from_micros;

/// How far the clocks of nodes may differ. Times that are further ahead come from a wrong clock.
pub const SKEW: SignedDuration = SignedDuration::from_mins(1);

/// The latest time that a node has read, and the last time that retention trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The latest time that a node has read.
    pub seen_at: Timestamp,
    /// The last time that retention trusted, or the first start.
    pub trusted_at: Timestamp,
}

/// `None` if no node has started yet.
///
/// # Errors
/// A database error.
pub async fn reading(db: &Db) -> Result<Option<Reading>> {
    let row: Option<(i64, i64)> = db.fetch_optional("select seen_at, trusted_at from clock_reading", params![]).await?;
    let reading = |(seen, trusted)| Reading { seen_at: from_micros(seen), trusted_at: from_micros(trusted) };
    Ok(row.map(reading))
}

/// Records that retention has trusted this time.
///
/// # Errors
/// A database error.
pub async fn trust(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("update clock_reading set trusted_at = $1 where trusted_at < $1", params![now]).await?;
    Ok(())
}

/// The time of the PostgreSQL server; `None` on SQLite, which has no clock of its own.
///
/// # Errors
/// A database error.
pub async fn database_time(db: &Db) -> Result<Option<Timestamp>> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(None);
    }
    let sql = "select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)";
    let (at,): (i64,) = db.fetch_one(sql, params![]).await?;
    Ok(Some(from_micros(at)))
}

/// Records the time. If a node has seen a later one, its clock was ahead: `correct` corrects the times that it stored. If PostgreSQL
/// has seen that time, too, this clock is behind, and nothing is corrected.
///
/// # Errors
/// A database error; the next call repeats it.
pub async fn observe<F>(db: &Db, now: Timestamp, correct: impl FnOnce() -> F) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    match reading(db).await? {
        Some(Reading { seen_at, .. }) if seen_at > now + SKEW => {
            if database_time(db).await?.is_some_and(|database| database + SKEW >= seen_at) {
                tracing::error!(%seen_at, %now, "the clock is behind those of other nodes and of PostgreSQL");
                return Ok(());
            }
            tracing::error!(%seen_at, "the clock was ahead and was set back: stored times in the future now count as now");
            correct().await?;
            set_back(db, now).await
        }
        _ => record(db, now).await,
    }
}

/// Sets the stored times in these columns that are ahead of `now`, or of the longest span from `now`, to the times that they would
/// have if they had been written now. May be repeated.
///
/// # Errors
/// A database error; the next call begins again.
pub async fn correct_times(
    db: &Db,
    now: Timestamp,
    events: &[(&str, &[&str])],
    ends: &[(&str, &str, SignedDuration)],
) -> Result<()> {
    for (table, columns) in events {
        for column in *columns {
            correct_column(db, table, column, now).await?;
        }
    }
    for (table, column, longest) in ends {
        correct_column(db, table, column, now + *longest).await?;
    }
    Ok(())
}

async fn correct_column(db: &Db, table: &str, column: &str, latest: Timestamp) -> Result<()> {
    let mut tx = begin_correction(db).await?;
    let sql = format!("update {table} set {column} = $1 where {column} > $1");
    tx.execute(AssertSqlSafe(sql), params![latest]).await?;
    tx.commit().await
}

/// Begins a transaction that may read a large table.
///
/// # Errors
/// A database error.
pub async fn begin_correction(db: &Db) -> Result<Tx> {
    let mut tx = db.begin().await?;
    if tx.dialect() == Dialect::Postgres {
        tx.execute("set local statement_timeout = 0", params![]).await?;
    }
    Ok(tx)
}

/// The first start begins with a time that retention trusts, because there is nothing to lose.
async fn record(db: &Db, now: Timestamp) -> Result<()> {
    db.execute(
        "insert into clock_reading (id, seen_at, trusted_at) values (1, $1, $1)
         on conflict (id) do update set seen_at = excluded.seen_at where clock_reading.seen_at < excluded.seen_at",
        params![now],
    )
    .await?;
    Ok(())
}

async fn set_back(db: &Db, now: Timestamp) -> Result<()> {
    db.execute(
        "update clock_reading set seen_at = $1, trusted_at = case when trusted_at > $1 then $1 else trusted_at end",
        params![now],
    )
    .await?;
    Ok(())
}
