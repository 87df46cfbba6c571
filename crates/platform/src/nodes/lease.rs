//! Leases: only one of several nodes does a task at a time.
//!
//! A lease is a row of the table `leases (name text primary key, holder text not null, until bigint not null)` in the user's
//! schema. The holder renews it. If the holder dies or loses its connection to the database, the lease expires and another node
//! acquires it. The nodes' clocks must agree to within [`SKEW`].

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::SignedDuration;

use crate::db::{Db, Result, Tx, params};
use crate::run::clock::{Clock, to_micros};

/// How long a lease is valid without renewal.
pub const LIFETIME: SignedDuration = SignedDuration::from_secs(8);
/// The holder treats a lease as expired this much earlier than other nodes do.
pub const SKEW: SignedDuration = SignedDuration::from_secs(2);

/// One node's handle of a lease. Cheap to clone; clones share the lease.
#[derive(Clone, Debug)]
pub struct Lease(Arc<Claim>);

#[derive(Debug)]
struct Claim {
    db: Db,
    clock: Clock,
    name: Cow<'static, str>,
    holder: String,
    /// When this node's lease expires, in microseconds since 1970.
    held_until: AtomicI64,
}

impl Lease {
    /// A handle of the lease `name`, not held yet. `holder` must be unique for each node and each start.
    #[must_use]
    pub fn new(db: Db, clock: Clock, name: impl Into<Cow<'static, str>>, holder: String) -> Self {
        Self(Arc::new(Claim { db, clock, name: name.into(), holder, held_until: AtomicI64::new(i64::MIN) }))
    }

    /// Acquires the lease if it is free, or renews it. Returns whether it is held.
    ///
    /// # Errors
    /// A database error. A held lease stays held until it expires.
    pub async fn take(&self) -> Result<bool> {
        // Read the clock before the statement, which may be slow.
        let now = self.0.clock.now();
        let taken = self
            .0
            .db
            .execute(
                "insert into leases (name, holder, until) values ($1, $2, $3) on conflict (name) do update \
                 set holder = excluded.holder, until = excluded.until \
                 where leases.holder = excluded.holder or leases.until <= $4",
                params![&*self.0.name, &self.0.holder, now + LIFETIME, now],
            )
            .await?
            > 0;
        self.hold_until(if taken { to_micros(now + LIFETIME - SKEW) } else { i64::MIN });
        Ok(taken)
    }

    /// Renews the lease and returns whether it is still held. A revoked lease is not acquired again.
    ///
    /// # Errors
    /// A database error. The lease stays held until it expires.
    pub async fn renew(&self) -> Result<bool> {
        let now = self.0.clock.now();
        let renewed = self
            .0
            .db
            .execute(
                "update leases set until = $3 where name = $1 and holder = $2",
                params![&*self.0.name, &self.0.holder, now + LIFETIME],
            )
            .await?
            > 0;
        self.hold_until(if renewed { to_micros(now + LIFETIME - SKEW) } else { i64::MIN });
        Ok(renewed)
    }

    /// Whether this node holds the lease. Uses only the local clock, so that a lease also expires without a connection to the
    /// database.
    #[must_use]
    pub fn is_held(&self) -> bool {
        to_micros(self.0.clock.now()) < self.0.held_until.load(Ordering::Acquire)
    }

    /// Whether this node holds the lease. Renews it if only the time known here has run out, for example because this
    /// process or the database paused, and nobody else has acquired it.
    ///
    /// # Errors
    /// A database error.
    pub async fn ensure_held(&self) -> Result<bool> {
        let was_held = self.0.held_until.load(Ordering::Acquire) != i64::MIN;
        Ok(self.is_held() || (was_held && self.renew().await?))
    }

    /// Checks that this node holds the lease, and locks it until the end of the transaction.
    ///
    /// # Errors
    /// A database error.
    pub async fn confirm(&self, tx: &mut Tx) -> Result<bool> {
        let row = params![&*self.0.name, &self.0.holder];
        Ok(tx.execute("update leases set until = until where name = $1 and holder = $2", row).await? > 0)
    }

    /// Releases the lease if it is held.
    ///
    /// # Errors
    /// A database error. The lease then expires by itself.
    pub async fn release(&self) -> Result<()> {
        self.hold_until(i64::MIN);
        let row = params![&*self.0.name, &self.0.holder];
        self.0.db.execute("delete from leases where name = $1 and holder = $2", row).await?;
        Ok(())
    }

    fn hold_until(&self, micros: i64) {
        self.0.held_until.store(micros, Ordering::Release);
    }
}

/// Revokes the lease `name`. Its holder notices when it renews or [confirms](Lease::confirm) the lease.
///
/// # Errors
/// A database error.
pub async fn revoke(tx: &mut Tx, name: &str) -> Result<()> {
    tx.execute("delete from leases where name = $1", params![name]).await?;
    Ok(())
}
