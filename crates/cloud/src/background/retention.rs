//! Deletes data whose retention period is over.

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};
use platform::nodes::clock_reading;
use platform::nodes::retention::{batches, is_clock_trusted, repeat, run_all};
use platform::run::clock::Clock;
use tokio_util::sync::CancellationToken;

use crate::messages::alerts::budgets::day;
use crate::nodes::Nodes;
use crate::people::password::FAILURE_RETENTION;
use crate::store;

const HOURS_PER_DAY: i64 = 24;
/// Retention of connection changes: the same as our template sets for datapoints.
const CONNECTIONS: SignedDuration = SignedDuration::from_hours(400 * HOURS_PER_DAY);
/// Time limit from the creation of a file to its completion.
const UPLOAD: SignedDuration = SignedDuration::from_hours(24);
/// Retention of messages to people, which contain addresses, and of their daily counters.
const MESSAGES: SignedDuration = SignedDuration::from_hours(30 * HOURS_PER_DAY);
/// Retention of the counts of messages that were held back and never followed by a message.
const MESSAGE_GAPS: SignedDuration = SignedDuration::from_hours(7 * HOURS_PER_DAY);
/// Retention of failed tries to claim a device; registrations stay.
const FAILED_CLAIMS: SignedDuration = SignedDuration::from_hours(HOURS_PER_DAY);

/// Retention of a node.
pub(crate) struct Retention {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) nodes: Nodes,
    pub(crate) session_lifetime: SignedDuration,
    /// A time that an operator confirmed after a long stop.
    pub(crate) clock_confirmed: Option<Timestamp>,
}

impl Retention {
    pub(crate) async fn run(self, stop: CancellationToken) {
        // `pass` logs its errors.
        stop.run_until_cancelled(repeat(|| self.pass())).await;
    }

    /// Deletes what has expired, if the clock can be trusted.
    ///
    /// # Errors
    /// A database error; the next pass repeats it.
    pub(crate) async fn pass(&self) -> Result<()> {
        let now = self.clock.now();
        let is_trusted = async {
            let heartbeat = store::clock::newest_heartbeat(&self.db, self.nodes.identity().id()).await?;
            is_clock_trusted(&self.db, now, heartbeat, self.clock_confirmed).await
        };
        if !is_trusted.await.inspect_err(|error| tracing::error!(%error, "the clock could not be checked"))? {
            return Ok(());
        }
        clear(&self.db, now, self.session_lifetime).await?;
        clock_reading::trust(&self.db, now).await
    }
}

/// Deletes datapoints and connection changes whose retention is over, incomplete files, old messages, expired tokens,
/// unused sessions, counts of wrong passwords and expired shares. Works in small transactions, so that concurrent writers
/// wait for at most one of them.
///
/// # Errors
/// The database error of the last step that failed; the next run repeats it.
pub(crate) async fn clear(db: &Db, now: Timestamp, session_lifetime: SignedDuration) -> Result<()> {
    let first_day = day(now - MESSAGES);
    let steps: [(&str, BoxFuture<'_, Result<()>>); 15] = [
        ("months of datapoints", months(db, now).boxed()),
        ("datapoints", datapoints(db, now).boxed()),
        ("connection changes", batches(|| store::connection_history::clear(db, now - CONNECTIONS)).boxed()),
        ("files", store::files::clear(db, now - UPLOAD).boxed()),
        ("tokens of users", store::user_tokens::clear(db, now).boxed()),
        ("changes of addresses", store::email_changes::clear(db, now).boxed()),
        ("messages", batches(|| store::outbox::clear(db, now - MESSAGES)).boxed()),
        ("access tokens", batches(|| store::sessions::clear_tokens(db, now)).boxed()),
        ("sessions", batches(|| store::sessions::clear_unused(db, now - session_lifetime)).boxed()),
        ("message gaps", batches(|| store::message_gaps::clear(db, now - MESSAGE_GAPS)).boxed()),
        ("message counters", batches(|| store::message_budgets::clear(db, &first_day)).boxed()),
        ("budget notices", batches(|| store::message_budgets::clear_notices(db, &first_day)).boxed()),
        ("failed claims", batches(|| store::claims::clear_failures(db, now - FAILED_CLAIMS)).boxed()),
        ("unknown sign-ins", batches(|| store::unknown_sign_ins::clear(db, now - FAILURE_RETENTION)).boxed()),
        ("shares", store::shares::clear(db, now).boxed()),
    ];
    run_all(steps).await
}

/// Drops the partitions of months in which the longest retention is over.
async fn months(db: &Db, now: Timestamp) -> Result<()> {
    let longest = store::retention::all(db).await?.into_iter().max();
    let Some(until) = longest.and_then(|days| limit(now, days)) else { return Ok(()) };
    match store::partitions::drop_expired(db, until).await {
        Ok(0) => {}
        Ok(months) => tracing::info!(months, "dropped partitions of the history"),
        Err(error) if error.is_lock_timeout() => {
            tracing::info!("the history is in use by a long transaction: its old partitions are dropped later");
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

async fn datapoints(db: &Db, now: Timestamp) -> Result<()> {
    for days in store::retention::all(db).await? {
        if let Some(until) = limit(now, days) {
            batches(|| store::retention::clear(db, days, until)).await?;
        }
    }
    Ok(())
}

/// The time before which a retention of `days` is over. A retention beyond the range of timestamps means forever.
fn limit(now: Timestamp, days: i64) -> Option<Timestamp> {
    now.checked_sub(SignedDuration::from_hours(days.saturating_mul(HOURS_PER_DAY))).ok()
}
