//! Compares the clock of this machine with that of the PostgreSQL server, with which all nodes share it.

use anyhow::bail;
use jiff::{SignedDuration, Timestamp};
use platform::db::{self, Db, Dialect, params};
use platform::run::clock::Clock;

/// A node says so if its clock differs by more.
const TOLERANCE: SignedDuration = SignedDuration::from_mins(1);
/// A node does not start if its clock differs by more: what it stores would be wrong on all nodes.
const LIMIT: SignedDuration = SignedDuration::from_hours(1);

pub(crate) const ADVICE: &str = "synchronize the clock of this machine (timedatectl), or that of the PostgreSQL server";

/// How far `now` is ahead of the server's clock. `None` on SQLite, which has none.
pub(crate) async fn difference(db: &Db, now: Timestamp) -> db::Result<Option<SignedDuration>> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(None);
    }
    let sql = "select cast(extract(epoch from clock_timestamp()) as bigint)";
    let (server,): (i64,) = db.fetch_one(sql, params![]).await?;
    Ok(Some(SignedDuration::from_secs(now.as_second() - server)))
}

/// Checks the clock of a node that starts with this database.
///
/// # Errors
/// A difference of more than an hour. A database that does not answer is no error here: the start reports it.
pub(crate) async fn check(database_url: &str, clock: &Clock) -> anyhow::Result<()> {
    if database_url.starts_with("sqlite:") {
        return Ok(());
    }
    let Ok(db) = Db::connect_existing(database_url).await else { return Ok(()) };
    let difference = difference(&db, clock.now()).await;
    db.close().await;
    let Ok(Some(difference)) = difference else { return Ok(()) };
    let seconds = difference.as_secs();
    if difference.abs() > LIMIT {
        bail!("the clock differs from that of the PostgreSQL server by {seconds} seconds (--database): {ADVICE}");
    }
    if difference.abs() > TOLERANCE {
        tracing::error!(seconds, "the clock differs from that of the PostgreSQL server (--database): {ADVICE}");
    }
    Ok(())
}
