//! What the cloud itself does when something happens to a device. This is the one place that is told of everything that
//! happens, within the transaction that keeps it.

mod connections;
mod occurrence;
mod rules;
mod texts;
mod triggers;

pub(crate) use occurrence::{Occurrence, OccurrenceKind};

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Result, Tx};
use platform::random::Random;

use crate::mail::Mail;

/// Reacts. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Reactions {
    mail: Mail,
    /// No loss of a connection has to last longer until it is told, whatever its threshold.
    longest_threshold: SignedDuration,
    random: Random,
    /// How many rules led to what happens.
    depth: i64,
}

impl Reactions {
    /// `longest_threshold`: after how long a lost connection is told at the latest.
    pub(crate) fn new(mail: Mail, longest_threshold: Option<Duration>, random: Random) -> Self {
        let longest_threshold = longest_threshold.and_then(|longest| longest.try_into().ok());
        Self { mail, longest_threshold: longest_threshold.unwrap_or(SignedDuration::MAX), random, depth: 0 }
    }

    /// To what so many rules led.
    pub(crate) fn after_rules(&self, depth: i64) -> Self {
        Self { depth, ..self.clone() }
    }

    /// Reacts to what happened, in this order. Called once in a transaction, as the last thing before its commit: commands,
    /// properties and connections are held by then (`devices::link::persist`), and what a reaction holds comes after them: triggers,
    /// then notifications, each in the order of their keys.
    ///
    /// Thousands of devices share a transaction, so each kind of reaction asks once for all of them.
    ///
    /// # Errors
    /// A database error; nothing has changed then.
    pub(crate) async fn react(&self, tx: &mut Tx, happened: &[Occurrence<'_>], now: Timestamp) -> Result<()> {
        self.check_triggers(tx, happened, now).await?;
        self.check_connections(tx, happened, now).await?;
        rules::record_events(tx, happened, self.depth, now, &self.random).await
    }
}
