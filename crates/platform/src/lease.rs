//! Which of several nodes does what only one may do at a time.
//!
//! A lease is a row in the table `leases (name text primary key, holder text not null, until bigint not null)`, which stands
//! in the schema of whoever uses it. Its holder renews it; whoever dies or is cut off from the database loses it when its
//! time is over, and another node takes it. The nodes' clocks must agree to within [`SKEW`].

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::SignedDuration;

use crate::clock::{Clock, to_micros};
use crate::db::{Db, Result, Tx, params};

/// How long a lease lasts that is not renewed.
pub const LIFETIME: SignedDuration = SignedDuration::from_secs(10);
/// The holder counts a lease as lost so long before the others do.
pub const SKEW: SignedDuration = SignedDuration::from_secs(2);

/// One node's claim to a lease. Cheap to clone; clones are the same claim.
#[derive(Clone, Debug)]
pub struct Lease(Arc<Claim>);

#[derive(Debug)]
struct Claim {
    db: Db,
    clock: Clock,
    name: &'static str,
    holder: String,
    /// In microseconds since 1970: until when this node may act.
    held_until: AtomicI64,
}

impl Lease {
    /// A claim to the lease `name`, not held yet. `holder` must be another text for each node and each start.
    #[must_use]
    pub fn new(db: Db, clock: Clock, name: &'static str, holder: String) -> Self {
        Self(Arc::new(Claim { db, clock, name, holder, held_until: AtomicI64::new(i64::MIN) }))
    }

    /// Takes the lease if nobody has it, or renews it; answers whether it is held now.
    ///
    /// # Errors
    /// What the database says. A lease that was held stays held until its time is over.
    pub async fn take(&self) -> Result<bool> {
        // Before the statement: it may take its time.
        let now = self.0.clock.now();
        let taken = self
            .0
            .db
            .execute(
                "INSERT INTO leases (name, holder, until) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE \
                 SET holder = excluded.holder, until = excluded.until \
                 WHERE leases.holder = excluded.holder OR leases.until <= $4",
                params![self.0.name, &self.0.holder, now + LIFETIME, now],
            )
            .await?
            > 0;
        self.hold_until(if taken { to_micros(now + LIFETIME - SKEW) } else { i64::MIN });
        Ok(taken)
    }

    /// Renews the lease; answers whether it is still held. One that was taken away is not taken back.
    ///
    /// # Errors
    /// What the database says. The lease stays held until its time is over.
    pub async fn renew(&self) -> Result<bool> {
        let now = self.0.clock.now();
        let renewed = self
            .0
            .db
            .execute(
                "UPDATE leases SET until = $3 WHERE name = $1 AND holder = $2",
                params![self.0.name, &self.0.holder, now + LIFETIME],
            )
            .await?
            > 0;
        self.hold_until(if renewed { to_micros(now + LIFETIME - SKEW) } else { i64::MIN });
        Ok(renewed)
    }

    /// Whether this node may act. Asks nobody, so that it ends in time also for a node that is cut off.
    #[must_use]
    pub fn is_held(&self) -> bool {
        to_micros(self.0.clock.now()) < self.0.held_until.load(Ordering::Acquire)
    }

    /// Whether this node still holds the lease, and nobody takes it away before the transaction ends.
    ///
    /// # Errors
    /// What the database says.
    pub async fn confirm(&self, tx: &mut Tx) -> Result<bool> {
        let row = params![self.0.name, &self.0.holder];
        Ok(tx.execute("UPDATE leases SET until = until WHERE name = $1 AND holder = $2", row).await? > 0)
    }

    /// Gives the lease back, if it is held.
    ///
    /// # Errors
    /// What the database says; then its time runs out by itself.
    pub async fn release(&self) -> Result<()> {
        self.hold_until(i64::MIN);
        let row = params![self.0.name, &self.0.holder];
        self.0.db.execute("DELETE FROM leases WHERE name = $1 AND holder = $2", row).await?;
        Ok(())
    }

    fn hold_until(&self, micros: i64) {
        self.0.held_until.store(micros, Ordering::Release);
    }
}

/// Takes the lease `name` away from whoever holds it. They learn of it when they renew or [confirm](Lease::confirm) it.
///
/// # Errors
/// What the database says.
pub async fn revoke(tx: &mut Tx, name: &str) -> Result<()> {
    tx.execute("DELETE FROM leases WHERE name = $1", params![name]).await?;
    Ok(())
}
