//! Delivers stored mails.

use std::time::Duration;

use jiff::SignedDuration;
use platform::db;
use platform::mail::{DeliveryError, FailureLog, RetryPolicy, Transport};
use platform::run::clock::from_micros;

use super::Mailer;
use super::store::{self, DueMail};

const POLL_INTERVAL: Duration = Duration::from_secs(5);
const BATCH: i64 = 20;
/// Duration of a claim: five times the longest attempt, to allow for clock skew and slow databases.
const CLAIM: SignedDuration = SignedDuration::from_mins(5);

/// The delivery of mails by this node.
pub(crate) struct Delivery {
    pub(crate) mailer: Mailer,
    pub(crate) transport: Transport,
    pub(crate) retry: RetryPolicy,
    pub(crate) failures: FailureLog,
}

impl Delivery {
    /// Delivers mails, forever. Cancel-safe: an interrupted attempt is repeated.
    pub(crate) async fn run(self) {
        loop {
            match self.deliver_due().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) if error.is_unavailable() => {}
                Err(error) => tracing::warn!(%error, "mails could not be read"),
            }
            // Mails of other nodes, and further attempts.
            let _ = tokio::time::timeout(POLL_INTERVAL, self.mailer.stored.notified()).await;
        }
    }

    /// Tries to deliver a batch. Returns whether there may be more.
    async fn deliver_due(&self) -> db::Result<bool> {
        let base = &self.mailer.base;
        let due = store::due(&base.db, base.clock.now(), BATCH).await?;
        for mail in &due {
            if store::claim(&base.db, mail, base.clock.now() + CLAIM).await? {
                let sent = self.transport.send(&mail.outgoing()).await;
                self.settle(mail, sent).await?;
            }
        }
        Ok(i64::try_from(due.len()).is_ok_and(|count| count == BATCH))
    }

    async fn settle(&self, mail: &DueMail, sent: Result<(), DeliveryError>) -> db::Result<()> {
        let base = &self.mailer.base;
        let Err(DeliveryError { permanent, reason }) = sent else { return store::delete(&base.db, mail).await };
        let (attempts, written_at) = (mail.attempts + 1, from_micros(mail.created_at));
        if self.failures.is_due(&reason, base.clock.now()) {
            tracing::error!(
                channel = "email",
                reason,
                "a message could not be delivered; others with the same cause are not logged for an hour"
            );
        }
        let next = self.retry.next(attempts, written_at, base.clock.now(), &base.random).filter(|_| !permanent);
        match next {
            Some(next) => store::postpone(&base.db, mail, next).await,
            None => {
                tracing::warn!(mail.id, attempts, "gave up on a message");
                store::delete(&base.db, mail).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use platform::bus::Bus;
    use platform::db::{Db, Tx};
    use platform::run::clock::Clock;
    use platform::run::random::Random;
    use platform::testing::TestMailServer;

    use super::*;
    use crate::base::Base;

    /// A delivery to this server, with a stored mail to this recipient.
    async fn delivery(db: Db, server: &TestMailServer, recipient: &str) -> Delivery {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let mailer = Mailer::new(Base { db, bus: Bus::in_process(), clock, random: Random::seeded(1) }, true);
        let mail = mailer.write(recipient, "Subject", "Body".to_owned());
        let store = async |mut tx: Tx| {
            crate::mail::store(&mut tx, mail.as_ref()).await?;
            tx.commit().await
        };
        mailer.base.db.write(store).await.unwrap();
        let transport = Transport::new(&server.plain()).unwrap();
        Delivery { mailer, transport, retry: RetryPolicy::default(), failures: FailureLog::default() }
    }

    /// The number of attempts at the mail and the time of the next one; `None` after the last.
    async fn stored(delivery: &Delivery) -> Option<(i64, Timestamp)> {
        let due = store::due(&delivery.mailer.base.db, Timestamp::MAX, 1).await.unwrap();
        due.first().map(|mail| (mail.attempts, from_micros(mail.due_at)))
    }

    async fn accepted_mail_is_sent_once(db: Db) {
        let server = TestMailServer::start(&[]);
        let delivery = delivery(db, &server, "tess@example.com").await;
        delivery.deliver_due().await.unwrap();
        delivery.deliver_due().await.unwrap();
        assert_eq!(stored(&delivery).await, None);
        let mail = server.next();
        assert_eq!(mail["to"][0], "tess@example.com");
        let content = mail["content"].as_str().unwrap();
        for part in ["Subject: Subject", "Auto-Submitted: auto-generated", "text/plain", "Body"] {
            assert!(content.contains(part), "{part}: {content}");
        }
        assert!(server.stop().is_empty());
    }

    async fn temporarily_rejected_mail_is_retried_until_it_is_given_up(db: Db) {
        let server = TestMailServer::start(&[]);
        let delivery = delivery(db, &server, "full@example.com").await;
        let clock = delivery.mailer.base.clock.clone();
        delivery.deliver_due().await.unwrap();
        let (attempts, next) = stored(&delivery).await.unwrap();
        let delay = next.duration_since(clock.now());
        assert_eq!(attempts, 1);
        assert!(delay > SignedDuration::ZERO && delay <= delivery.retry.first, "{delay}");
        delivery.deliver_due().await.unwrap();
        assert_eq!(stored(&delivery).await, Some((1, next)), "before its time");
        clock.advance(delay);
        delivery.deliver_due().await.unwrap();
        assert_eq!(stored(&delivery).await.unwrap().0, 2);
        clock.advance(delivery.retry.give_up_after);
        delivery.deliver_due().await.unwrap();
        assert_eq!(stored(&delivery).await, None);
    }

    async fn permanently_rejected_mail_is_not_retried(db: Db) {
        let server = TestMailServer::start(&[]);
        let delivery = delivery(db, &server, "nobody@example.com").await;
        delivery.deliver_due().await.unwrap();
        assert_eq!(stored(&delivery).await, None);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            accepted_mail_is_sent_once,
            temporarily_rejected_mail_is_retried_until_it_is_given_up,
            permanently_rejected_mail_is_not_retried,
        ]
    );
}
