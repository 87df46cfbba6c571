//! Work on single devices whose panic must not stop the work on all others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;

/// In tests, work on this device panics.
#[cfg(test)]
pub(crate) const DEFECTIVE: &str = "DEFECTIVE";

/// The result of `work` on a device. `None` if it panicked, which is logged with the kind of work and the serial number; what `work`
/// had changed elsewhere until then must not matter.
pub(crate) fn caught<T>(kind: &'static str, dsn: &str, work: impl FnOnce() -> T) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(test)]
        assert_ne!(dsn, DEFECTIVE, "a defect");
        work()
    }));
    outcome.inspect_err(|_| log(kind, dsn)).ok()
}

/// As [`caught`], for a future.
pub(crate) async fn caught_in<T>(kind: &'static str, dsn: &str, work: impl Future<Output = T>) -> Option<T> {
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
    tracing::error!(work = kind, device.dsn = dsn, "work on a device panicked");
}
