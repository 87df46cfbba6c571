//! Background tasks of a node: message delivery, expiry of commands, retention, history partitions, and correction of stored times.

pub(crate) mod clock;
pub(crate) mod delivery;
pub(crate) mod expiry;
pub(crate) mod partitions;
pub(crate) mod retention;

use std::time::Duration;

use platform::db::Result;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Runs `work` at this interval until `stop`, and again immediately while it reports progress. `work` returns how much
/// it did; `failure` is the log message for errors. Several nodes share the work.
pub(crate) async fn run_periodically<F>(every: Duration, stop: CancellationToken, failure: &str, work: impl Fn() -> F)
where
    F: Future<Output = Result<usize>>,
{
    while !stop.is_cancelled() {
        match work().await {
            Ok(0) => {}
            Ok(_) => continue,
            // The database logs its own unavailability.
            Err(error) if error.is_unavailable() => {}
            Err(error) => tracing::error!(%error, "{failure}"),
        }
        stop.run_until_cancelled(sleep(every)).await;
    }
}
