//! Schedules whose time has come do what they do.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::devices::schedules::Schedules;

/// Looks for them `every` so often, until `stop`. Of several nodes each takes some.
pub(crate) async fn run(schedules: Schedules, every: Duration, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match schedules.fire().await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => tracing::error!(%error, "schedules could not do what they do"),
        }
        stop.run_until_cancelled(sleep(every)).await;
    }
}
