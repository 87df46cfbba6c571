//! Expires unacknowledged commands.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::devices::commands::Commands;

pub(crate) async fn run(commands: Commands, every: Duration, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(every) => {}
        }
        // The database logs its own unavailability.
        if let Err(error) = commands.expire(commands.clock.now()).await
            && !error.is_unavailable()
        {
            tracing::error!(%error, "commands could not expire");
        }
    }
}
