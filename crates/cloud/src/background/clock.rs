//! Records the time, and corrects what a clock ahead has stored.

use std::time::Duration;

use jiff::Timestamp;
use platform::db::{Db, Result};
use platform::nodes::clock_reading;
use platform::run::clock::Clock;
use tokio_util::sync::CancellationToken;

use super::run_periodically;
use crate::store::clock::{self, Lifetimes};

const EVERY: Duration = Duration::from_secs(60);

pub(crate) async fn run(db: Db, clock: Clock, lifetimes: Lifetimes, stop: CancellationToken) {
    let failure = "stored times in the future could not be corrected";
    run_periodically(EVERY, stop, failure, || async { observe(&db, lifetimes, clock.now()).await.map(|()| 0) }).await;
}

/// See [`clock_reading::observe`].
///
/// # Errors
/// A database error; the next call repeats it.
pub(crate) async fn observe(db: &Db, lifetimes: Lifetimes, now: Timestamp) -> Result<()> {
    clock_reading::observe(db, now, || clock::correct(db, lifetimes, now)).await
}
