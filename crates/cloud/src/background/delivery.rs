//! Delivers messages of the outbox: mail to the mail server, texts to the SMS gateway. Each channel has its own
//! delivery, so that neither waits for the other.
//!
//! A node claims due messages before it sends them, for longer than sending can take, so that one of several nodes
//! sends a message. It records the result immediately. If the node crashes in between, the claim expires, or is released by the other nodes,
//! and the message is sent again. No message is lost; a message is sent twice only if the server accepted it and the node
//! crashed, or the connection broke, before the response was recorded. Both copies have the same Message-ID or
//! Idempotency-Key.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{self, Db};
use platform::mail::{self, FailureLog, RetryPolicy};
use platform::run::clock::{Clock, from_micros};
use platform::run::random::Random;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::messages::sms;
use crate::metrics;
use crate::nodes::{LONGEST_ATTEMPT, Nodes};
use crate::records::message::{Channel, DeliveryError};
use crate::store::outbox::{self, DueRow, NextMessages, Outcome};

/// How many messages are sent concurrently.
pub(crate) const CONCURRENCY: usize = 16;
/// Duration of a claim: five times the longest attempt, to allow for clock skew and slow databases.
pub(crate) const CLAIM: SignedDuration = SignedDuration::from_secs(5 * LONGEST_ATTEMPT.as_secs());
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The transport of a channel.
pub(crate) enum MessageTransport {
    Mail(mail::Transport),
    Texts(sms::Transport),
}

impl MessageTransport {
    pub(crate) fn channel(&self) -> Channel {
        match self {
            Self::Mail(_) => Channel::Email,
            Self::Texts(_) => Channel::Sms,
        }
    }

    pub(crate) async fn send(&self, row: &DueRow, now: Timestamp) -> Result<(), DeliveryError> {
        match self {
            Self::Mail(transport) => Ok(transport.send(&row.mail()).await?),
            Self::Texts(transport) => transport.send(row, now).await,
        }
    }
}

/// Delivery on one channel by this node.
pub(crate) struct Delivery {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) nodes: Nodes,
    pub(crate) transport: MessageTransport,
    pub(crate) retry: RetryPolicy,
    pub(crate) failures: FailureLog,
    /// Interval between checks for due messages.
    pub(crate) every: Duration,
}

impl Delivery {
    /// Delivers due messages until `stop`. Attempts in progress are completed.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let failure = "messages of the outbox could not be delivered";
        let delivery = Arc::new(self);
        super::run_periodically(delivery.every, stop.clone(), failure, || delivery.deliver(&stop)).await;
    }

    /// Attempts to deliver due messages until there are none, or until `stop`. Returns their number. A slow attempt occupies
    /// one place; the others are filled again.
    ///
    /// # Errors
    /// A database error, after the attempts in progress.
    pub(crate) async fn deliver(self: &Arc<Self>, stop: &CancellationToken) -> db::Result<usize> {
        // Tasks, because an attempt that is not polled could keep its database connection from the next claim.
        let mut attempts = JoinSet::new();
        let (mut attempted, mut last_oem, mut result) = (0, 0, Ok(()));
        loop {
            let free = CONCURRENCY - attempts.len();
            if free > 0 && result.is_ok() && !stop.is_cancelled() {
                let claim = self.nodes.identity().claim(&self.random);
                match self.claim(&claim, free, last_oem).await {
                    Ok(rows) => {
                        last_oem = rows.last().map_or(last_oem, |row| row.oem_id);
                        for row in rows {
                            let (delivery, claim) = (self.clone(), claim.clone());
                            attempts.spawn(async move { delivery.attempt(row, claim).await });
                        }
                    }
                    Err(error) => result = Err(error),
                }
            }
            tokio::select! {
                ended = attempts.join_next() => match ended {
                    Some(Ok(())) => attempted += 1,
                    Some(Err(error)) => resume_unwind(error.into_panic()),
                    None => return result.map(|()| attempted),
                },
                () = sleep(self.every), if attempts.len() < CONCURRENCY => {}
            }
        }
    }

    /// Claims at most this many due messages, beginning after a manufacturer.
    pub(crate) async fn claim(&self, claim: &str, most: usize, last_oem: i64) -> db::Result<Vec<DueRow>> {
        let now = self.clock.now();
        let next = NextMessages { channel: self.transport.channel(), most, last_oem };
        outbox::claim(&self.db, claim, next, now, now + CLAIM).await
    }

    async fn attempt(&self, row: DueRow, claim: String) {
        let begun = self.clock.now();
        let lost_at = begun + CLAIM;
        let result = self.transport.send(&row, begun).await;
        let now = self.clock.now();
        let outcome = match &result {
            Ok(()) => Outcome::Sent,
            Err(DeliveryError { permanent, reason, not_before }) => {
                if self.failures.is_due(reason, now) {
                    let channel = self.transport.channel().as_str();
                    tracing::error!(
                        channel,
                        reason,
                        "a message could not be delivered; others with the same cause are not logged for an hour"
                    );
                }
                let waiting_since = from_micros(row.waiting_since);
                let next = self.retry.next(row.attempts, waiting_since, now, &self.random).filter(|_| !permanent);
                let next = next.map(|next| not_before.map_or(next, |asked| next.max(asked)));
                if next.is_none() {
                    tracing::warn!(
                        message.id = row.id,
                        message.kind = row.kind,
                        attempts = row.attempts,
                        "gave up on a message"
                    );
                }
                Outcome::Refused { reason, next }
            }
        };
        metrics::delivery(
            self.transport.channel(),
            match outcome {
                Outcome::Sent => "sent",
                Outcome::Refused { next: Some(_), .. } => "refused",
                Outcome::Refused { next: None, .. } => "given_up",
            },
        );
        // A message whose result is not recorded is sent again.
        while let Err(error) = outbox::settle(&self.db, &row.id, &claim, outcome, now).await {
            if !error.is_unavailable() {
                tracing::error!(%error, message.id = row.id, "the result of a delivery could not be recorded");
            }
            if self.clock.now() >= lost_at {
                return;
            }
            sleep(RETRY_DELAY).await;
        }
    }
}
