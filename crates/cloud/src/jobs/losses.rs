//! Losses of connections are told when they have lasted long enough.

use std::time::Duration;

use platform::clock::Clock;
use platform::db::Db;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::reactions::Reactions;

/// Looks for losses that are due, `every` so often, until `stop`.
pub(crate) async fn run(reactions: Reactions, db: Db, clock: Clock, every: Duration, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match reactions.tell_of_losses(&db, clock.now()).await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => tracing::error!(%error, "lost connections could not be told"),
        }
        stop.run_until_cancelled(sleep(every)).await;
    }
}
