//! Messages of the outbox go to the mail server, and texts to their gateway. Each has a delivery of its own: neither waits for
//! the other.
//!
//! A node claims what is due before it sends it, for longer than sending can take: of several nodes that live, one sends a
//! message. It notes the server's word as soon as it has it. A node that dies in between leaves its claim behind, and another
//! one, or itself, tries again when that is over. So nothing is forgotten, and the one message that a server can get twice is
//! one that it took while its word did not arrive: the node died in that moment, or the connection did. Both bear the same
//! Message-ID or Idempotency-Key.

use std::time::Duration;

use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use platform::clock::{Clock, from_micros};
use platform::db::{self, Db};
use platform::random::Random;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::mail::{self, MailRetry};
use crate::records::message::{Channel, DeliveryError};
use crate::sms;
use crate::store::outbox::{self, DueRow, Outcome};

/// How many messages are under way at a time.
const AT_ONCE: i64 = 8;
/// How long a claim lasts: five times what an attempt can take, for clocks that differ and databases that are slow.
const CLAIM: SignedDuration = SignedDuration::from_mins(5);
const NOTE_AGAIN: Duration = Duration::from_secs(1);

/// The way out of the outbox.
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
            Self::Mail(transport) => transport.send(row).await,
            Self::Texts(transport) => transport.send(row, now).await,
        }
    }
}

/// One node's delivery on one channel.
pub(crate) struct Delivery {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) transport: MessageTransport,
    pub(crate) retry: MailRetry,
}

impl Delivery {
    /// Looks for messages that are due, `every` so often, until `stop`. What is under way then is brought to its end.
    pub(crate) async fn run(self, every: Duration, stop: CancellationToken) {
        let failure = "messages could not be taken from the outbox";
        super::run_periodically(every, stop, failure, || self.deliver()).await;
    }

    /// Tries some messages that are due. Returns their number.
    ///
    /// # Errors
    /// A database error; nothing was sent then.
    pub(crate) async fn deliver(&self) -> db::Result<usize> {
        let claim = self.random.hex(16);
        let rows = self.claim(&claim).await?;
        join_all(rows.iter().map(|row| self.attempt(row, &claim))).await;
        Ok(rows.len())
    }

    pub(crate) async fn claim(&self, claim: &str) -> db::Result<Vec<DueRow>> {
        let now = self.clock.now();
        outbox::claim(&self.db, self.transport.channel(), claim, AT_ONCE, now, now + CLAIM).await
    }

    async fn attempt(&self, row: &DueRow, claim: &str) {
        let begun = self.clock.now();
        let lost_at = begun + CLAIM;
        let result = self.transport.send(row, begun).await;
        let now = self.clock.now();
        let outcome = match &result {
            Ok(()) => Outcome::Sent,
            Err(DeliveryError { permanent, reason, not_before }) => {
                let waiting_since = from_micros(row.waiting_since);
                let next = self.retry.next(row.attempts, waiting_since, now, &self.random).filter(|_| !permanent);
                let next = next.map(|next| not_before.map_or(next, |asked| next.max(asked)));
                if next.is_none() {
                    tracing::warn!(
                        message.id = row.id,
                        message.kind = row.kind,
                        attempts = row.attempts,
                        "gave a message up"
                    );
                }
                Outcome::Refused { reason, next }
            }
        };
        // Whatever is not noted is tried again.
        while let Err(error) = outbox::settle(&self.db, &row.id, claim, outcome, now).await {
            tracing::error!(%error, message.id = row.id, "what became of a message could not be noted");
            if self.clock.now() >= lost_at {
                return;
            }
            sleep(NOTE_AGAIN).await;
        }
    }
}
