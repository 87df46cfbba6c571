//! Deletes data whose retention period is over. What lives for minutes, such as a sign-in that waits for its second factor, is deleted
//! where it is used.

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use platform::db::{Db, Result};
use platform::nodes::clock_reading;
use platform::nodes::retention::{is_clock_trusted, repeat, run_all};

use crate::base::Base;
use crate::events::nodes;
use crate::index::fleet_days;
use crate::sessions::session::{SessionLimits, delete_expired_sessions};
use crate::{attention, audit, devices, idempotency, jobs};

/// Retention of the node with the lease of the passes.
#[derive(Clone, Debug)]
pub(crate) struct Retention {
    pub(crate) base: Base,
    pub(crate) audit_days: u32,
    pub(crate) sessions: SessionLimits,
    /// A time that an operator confirmed after a long stop.
    pub(crate) clock_confirmed: Option<Timestamp>,
}

impl Retention {
    /// Never returns. Cancel-safe.
    pub(crate) async fn run(&self) {
        // `pass` logs its errors.
        repeat(|| self.pass()).await;
    }

    /// Deletes what has expired, if the clock can be trusted. Consoles have no heartbeats; several of them have the clock of
    /// PostgreSQL in common.
    ///
    /// # Errors
    /// A database error; the next pass repeats it.
    pub(crate) async fn pass(&self) -> Result<()> {
        let (db, now) = (&self.base.db, self.base.clock.now());
        let is_trusted = is_clock_trusted(db, now, None, self.clock_confirmed).await;
        if !is_trusted.inspect_err(|error| tracing::error!(%error, "the clock could not be checked"))? {
            return Ok(());
        }
        self.delete_expired(db, now).await?;
        clock_reading::trust(db, now).await
    }

    async fn delete_expired(&self, db: &Db, now: Timestamp) -> Result<()> {
        let sessions = async { delete_expired_sessions(db, now, self.sessions).await.map(drop) };
        let steps: [(&str, BoxFuture<'_, Result<()>>); 8] = [
            ("sessions", sessions.boxed()),
            ("audit", audit::delete_old_changes(db, now, self.audit_days).boxed()),
            ("jobs", jobs::delete_old_jobs(db, now).boxed()),
            ("level resets", devices::delete_old_resets(db, now).boxed()),
            ("idempotency keys", idempotency::delete_old_keys(db, now).boxed()),
            ("items of attention", attention::delete_old_items(db, now).boxed()),
            ("consoles", nodes::delete_dead(db, now).boxed()),
            ("days of the fleet", fleet_days::delete_old_days(db, now).boxed()),
        ];
        run_all(steps).await
    }
}

#[cfg(test)]
mod tests;
