//! What is kept for a time goes when it is over.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;
use platform::db::{Db, Result};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::store;

const EVERY: Duration = Duration::from_secs(3600);
const HOURS_PER_DAY: i64 = 24;
/// How long changes of a connection are kept: as long as our template keeps datapoints.
const CONNECTIONS: SignedDuration = SignedDuration::from_hours(400 * HOURS_PER_DAY);
/// How long a file may take from its placeholder until it is complete.
const UPLOAD: SignedDuration = SignedDuration::from_hours(24);
/// How long messages to people are kept: they hold addresses.
const MESSAGES: SignedDuration = SignedDuration::from_hours(30 * HOURS_PER_DAY);

pub(crate) async fn run(db: Db, clock: Clock, stop: CancellationToken) {
    loop {
        match stop.run_until_cancelled(clear(&db, clock.now())).await {
            None => return,
            Some(Ok(())) => {}
            Some(Err(error)) => tracing::error!(%error, "what is no longer kept could not be deleted"),
        }
        if stop.run_until_cancelled(sleep(EVERY)).await.is_none() {
            return;
        }
    }
}

/// Deletes the datapoints and the changes of connections whose retention is over, files that were never completed, old
/// messages, tokens that are honoured no more, and shares that are over. In small transactions: whoever writes meanwhile
/// waits for one of them at most.
///
/// # Errors
/// A database error; the rest is deleted by the next run.
pub(crate) async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    for days in store::retention::all(db).await? {
        // Longer than time itself is for ever.
        let Ok(until) = now.checked_sub(SignedDuration::from_hours(days.saturating_mul(HOURS_PER_DAY))) else {
            continue;
        };
        while store::retention::clear(db, days, until).await? {}
    }
    while store::connection_history::clear(db, now - CONNECTIONS).await? {}
    store::files::clear(db, now - UPLOAD).await?;
    store::user_tokens::clear(db, now).await?;
    store::outbox::clear(db, now - MESSAGES).await?;
    store::sessions::clear(db, now).await?;
    store::shares::clear(db, now).await
}
