//! Reactions of the cloud to changes of devices. Every change passes through here, within its transaction: messages of
//! triggers and notifications are written, and events for rules recorded.

mod connections;
mod held_connections;
mod held_values;
mod occurrence;
mod rules;
mod texts;
mod triggers;

pub(crate) use occurrence::{Occurrence, OccurrenceKind};
#[cfg(test)]
pub(crate) use rules::{MAX_PENDING_OF_OWNER, MAX_PENDING_OF_RULE};

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx};
use platform::run::random::Random;

use crate::messages::alerts::Alerts;

/// Reacts to changes of devices. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Reactions {
    alerts: Alerts,
    /// Upper bound for the thresholds of notifications.
    longest_threshold: SignedDuration,
    random: Random,
    /// How many chained rules led to the changes.
    depth: i64,
}

impl Reactions {
    /// `longest_threshold`: maximum delay before a lost connection is reported.
    pub(crate) fn new(alerts: Alerts, longest_threshold: Option<Duration>, random: Random) -> Self {
        let longest_threshold = longest_threshold.and_then(|longest| longest.try_into().ok());
        Self { alerts, longest_threshold: longest_threshold.unwrap_or(SignedDuration::MAX), random, depth: 0 }
    }

    /// The same reactions for changes that `depth` chained rules led to.
    pub(crate) fn after_rules(&self, depth: i64) -> Self {
        Self { depth, ..self.clone() }
    }

    /// Reacts to changes. Call it once per transaction, right before the commit. At that point commands,
    /// properties and connections are locked (see `devices::link::persist`); this function then locks triggers and
    /// notifications, in this order and each in key order.
    ///
    /// A transaction can contain thousands of devices, so each kind of reaction runs its queries once for all of them.
    ///
    /// # Errors
    /// A database error; nothing has changed then.
    pub(crate) async fn react(&self, tx: &mut Tx, occurrences: &[Occurrence<'_>], now: Timestamp) -> Result<()> {
        let mut alerts = self.check_triggers(tx, occurrences, now).await?;
        alerts.extend(self.check_connections(tx, occurrences, now).await?);
        rules::record_events(tx, occurrences, self.depth, now, &self.random).await?;
        self.alerts.enqueue(tx, alerts, now).await
    }

    /// Settles some messages that gaps or budgets held back and whose time has come: sends the state after the events, unless it is over
    /// or the recipient knows it. Returns their number. Each is sent once, also when several nodes run.
    ///
    /// # Errors
    /// A database error; what was not settled is settled by the next run.
    pub(crate) async fn settle_held(&self, db: &Db, now: Timestamp) -> Result<usize> {
        Ok(self.settle_connections(db, now).await? + self.settle_values(db, now).await?)
    }
}
