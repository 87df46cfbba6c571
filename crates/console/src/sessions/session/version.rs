//! The version of all sessions. A stream rechecks its session when the version changes.

use std::sync::atomic::{AtomicU64, Ordering};

use platform::db::{Db, Result};
use tokio::sync::Mutex;

use super::store;

/// Reads the version for many callers: those that wait for a running read share the next one.
#[derive(Default)]
pub(super) struct VersionReads {
    started: AtomicU64,
    last: Mutex<VersionRead>,
}

#[derive(Clone, Copy, Default)]
struct VersionRead {
    /// Counted from 1.
    number: u64,
    version: i64,
}

impl VersionReads {
    /// Returns the version at a time after the call began.
    pub(super) async fn read(&self, db: &Db) -> Result<i64> {
        let started_before = self.started.load(Ordering::SeqCst);
        let mut last = self.last.lock().await;
        if last.number <= started_before {
            let number = self.started.fetch_add(1, Ordering::SeqCst) + 1;
            *last = VersionRead { number, version: store::version(db).await? };
        }
        Ok(last.version)
    }
}
