//! Rules look at what happened.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::rules::Rules;

/// Lets rules look, `every` so often, until `stop`; at once again when there was something.
pub(crate) async fn run(rules: Rules, every: Duration, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match rules.look().await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => tracing::error!(%error, "rules could not look at what happened"),
        }
        stop.run_until_cancelled(sleep(every)).await;
    }
}
