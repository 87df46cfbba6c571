//! What the cloud does by itself.

pub(crate) mod delivery;
pub(crate) mod expiry;
pub(crate) mod retention;

use std::time::Duration;

use platform::db::Result;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Does some of what is due, `every` so often, until `stop`; at once again when there was something. `work` answers how much
/// it did; `failure` is what the log says when it fails. Of several nodes each does some.
pub(crate) async fn run_periodically<F>(every: Duration, stop: CancellationToken, failure: &str, work: impl Fn() -> F)
where
    F: Future<Output = Result<usize>>,
{
    while !stop.is_cancelled() {
        match work().await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => tracing::error!(%error, "{failure}"),
        }
        stop.run_until_cancelled(sleep(every)).await;
    }
}
