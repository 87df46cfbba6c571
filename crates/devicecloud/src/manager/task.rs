use std::future::pending;

use tokio::task::AbortHandle;
use tokio::time::Instant;

/// A task that is aborted on drop.
pub(super) struct Task(AbortHandle);

impl Task {
    pub(super) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(task).abort_handle())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sleeps until then; forever if there is no time.
pub(super) async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => pending().await,
    }
}
