//! The bus in its three forms.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod losses;
mod nats;
mod nodes;
mod proxy;
mod suite;

use std::time::Duration;

/// Waits for something that happens within milliseconds on an idle machine.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("it happens in time")
}
