//! Deletes what has expired, if the clock can be trusted: history cannot be brought back.

use std::convert::Infallible;
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use super::clock_reading::{database_time, reading};
use crate::db::{Db, Result};

/// Delay of the first run, in which an operator can set back a clock that is ahead.
const FIRST: Duration = Duration::from_secs(600);
const EVERY: Duration = Duration::from_secs(3600);
/// How far the clock may be ahead of PostgreSQL's.
const DATABASE_SKEW: SignedDuration = SignedDuration::from_hours(1);
/// How long after its last run retention believes the clock.
const LONGEST_STOP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Why nothing is deleted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// The clock differs from that of the database.
    #[error("the clock is ahead of PostgreSQL's, which reads {0}")]
    Database(Timestamp),
    /// Nobody has confirmed the clock for a week.
    #[error(
        "the clock is more than a week ahead of {0}, when data was last deleted or another node was seen; if the clock is right, \
         start with --clock-confirmed and the current time"
    )]
    LastRun(Timestamp),
}

/// The times with which the clock is compared.
#[derive(Clone, Copy, Debug, Default)]
struct References {
    /// PostgreSQL's clock.
    database: Option<Timestamp>,
    /// The newest heartbeat of another node.
    heartbeat: Option<Timestamp>,
    /// The last run of retention, or the first start.
    last_run: Option<Timestamp>,
    /// The time that an operator confirmed.
    confirmed: Option<Timestamp>,
}

impl References {
    fn check(self, now: Timestamp) -> std::result::Result<(), Doubt> {
        check_database(self.database, now)?;
        match self.last_run.max(self.heartbeat).max(self.confirmed) {
            Some(newest) if now.duration_since(newest) > LONGEST_STOP => Err(Doubt::LastRun(newest)),
            _ => Ok(()),
        }
    }
}

/// Compares the clock with that of the [database](database_time).
///
/// # Errors
/// [`Doubt::Database`].
pub fn check_database(database: Option<Timestamp>, now: Timestamp) -> std::result::Result<(), Doubt> {
    match database {
        Some(database) if now.duration_since(database) > DATABASE_SKEW => Err(Doubt::Database(database)),
        _ => Ok(()),
    }
}

/// Whether what has expired may be deleted now. If not, the reason is logged and counted. `heartbeat` is the newest one of another
/// node, and `confirmed` the time that an operator confirmed after a long stop.
///
/// # Errors
/// A database error.
pub async fn is_clock_trusted(
    db: &Db,
    now: Timestamp,
    heartbeat: Option<Timestamp>,
    confirmed: Option<Timestamp>,
) -> Result<bool> {
    let (database, last_run) = (database_time(db).await?, reading(db).await?.map(|reading| reading.trusted_at));
    let Err(doubt) = (References { database, heartbeat, last_run, confirmed }).check(now) else { return Ok(true) };
    tracing::error!(%now, %doubt, "no expired data is deleted, because the clock may be ahead");
    refusals().increment(1);
    Ok(false)
}

/// Makes the counter of refusals exist, whose first increase an alert must notice.
pub fn register_metrics() {
    refusals().increment(0);
}

fn refusals() -> metrics::Counter {
    metrics::counter!("sillage_retention_refusals_total")
}

/// Runs passes forever, the first one ten minutes after the start.
pub async fn repeat<F: Future>(pass: impl Fn() -> F) -> Infallible {
    sleep(FIRST).await;
    loop {
        pass().await;
        sleep(EVERY).await;
    }
}

/// Runs named steps. A step that fails does not keep the others from running.
///
/// # Errors
/// The database error of the last step that failed; the next run repeats it.
pub async fn run_all(steps: impl IntoIterator<Item = (&'static str, BoxFuture<'_, Result<()>>)>) -> Result<()> {
    let mut result = Ok(());
    for (name, step) in steps {
        if let Err(error) = step.await {
            tracing::error!(%error, step = name, "expired data could not be deleted");
            result = Err(error);
        }
    }
    result
}

/// Repeats a step, which returns whether there may be more.
///
/// # Errors
/// A database error.
pub async fn batches<F: Future<Output = Result<bool>>>(step: impl Fn() -> F) -> Result<()> {
    while step().await? {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::time::{Instant, timeout};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nothing_is_deleted_in_the_first_ten_minutes() {
        let (start, passes) = (Instant::now(), Mutex::new(Vec::new()));
        let pass = || async { passes.lock().unwrap().push(start.elapsed().as_secs()) };
        timeout(Duration::from_secs(8000), repeat(pass)).await.unwrap_err();
        assert_eq!(*passes.lock().unwrap(), [600, 4200, 7800]);
    }

    #[test]
    fn clock_is_trusted_only_if_all_references_agree() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let ago = |hours| Some(now - SignedDuration::from_hours(hours));
        let years = 2 * 365 * 24;
        let none = References::default();
        let database = |hours| Doubt::Database(ago(hours).unwrap());
        let last_run = |hours| Doubt::LastRun(ago(hours).unwrap());
        for (references, expected) in [
            (none, Ok(())),
            (References { last_run: ago(168), ..none }, Ok(())),
            (References { last_run: ago(169), ..none }, Err(last_run(169))),
            (References { last_run: ago(years), database: ago(years), ..none }, Err(database(years))),
            (References { last_run: ago(0), database: ago(2), ..none }, Err(database(2))),
            (References { last_run: ago(years), database: ago(0), ..none }, Err(last_run(years))),
            (References { last_run: ago(years), heartbeat: ago(0), database: ago(0), ..none }, Ok(())),
            (References { last_run: ago(years), heartbeat: ago(years - 1), ..none }, Err(last_run(years - 1))),
            (References { last_run: ago(years), confirmed: ago(1), ..none }, Ok(())),
            (References { confirmed: ago(1), database: ago(years), ..none }, Err(database(years))),
        ] {
            assert_eq!(references.check(now), expected, "{references:?}");
        }
    }
}
