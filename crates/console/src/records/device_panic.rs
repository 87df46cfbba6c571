//! Work on single devices whose panic must not stop the work on others.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use tokio::time::Instant;

/// A device and a kind of work are logged at most this often.
const LOG_INTERVAL: Duration = Duration::from_secs(3600);
/// Maximum number of devices and kinds of work that are logged within the interval.
const MAX_LOGGED: usize = 1000;

/// When the work of a kind on a device was logged.
static LOGGED: Mutex<BTreeMap<(&str, String), Instant>> = Mutex::new(BTreeMap::new());

/// In tests, work on this device panics.
#[cfg(test)]
pub(crate) const DEFECTIVE: &str = "DEFECTIVE";

/// The result of `work` on a device. `None` if it panicked, which is logged with the kind of work and the serial number. `work` must
/// not leave shared state half changed.
pub(crate) fn catch<T>(kind: &'static str, dsn: &str, work: impl FnOnce() -> T) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(test)]
        assert_ne!(dsn, DEFECTIVE, "a defect");
        work()
    }));
    outcome.inspect_err(|_| log(kind, dsn)).ok()
}

/// Like [`catch`], for a future.
pub(crate) async fn catch_async<T>(kind: &'static str, dsn: &str, work: impl Future<Output = T>) -> Option<T> {
    // On the heap, because work on a device may be too large to be moved on the stack.
    let work = Box::pin(work);
    #[cfg(test)]
    let work = Box::pin(async {
        assert_ne!(dsn, DEFECTIVE, "a defect");
        work.await
    });
    AssertUnwindSafe(work).catch_unwind().await.inspect_err(|_| log(kind, dsn)).ok()
}

fn log(kind: &'static str, dsn: &str) {
    let now = Instant::now();
    let is_due = {
        let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
        logged.retain(|_, at| now.duration_since(*at) < LOG_INTERVAL);
        let entry = (kind, dsn.to_owned());
        let is_due = logged.len() < MAX_LOGGED && !logged.contains_key(&entry);
        if is_due {
            logged.insert(entry, now);
        }
        is_due
    };
    if is_due {
        tracing::error!(work = kind, device.dsn = dsn, "work on a device panicked");
    }
}
