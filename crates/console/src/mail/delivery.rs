//! Delivers stored mails.

use std::time::Duration;

use jiff::SignedDuration;
use platform::clock::from_micros;

use super::Mailer;
use super::server::{DeliveryError, Transport};
use super::store::{self, DueMail};
use crate::base::Base;

const POLL_INTERVAL: Duration = Duration::from_secs(5);
const BATCH: i64 = 20;
/// The first pause after a failed attempt; each further one is twice as long.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_mins(2);
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// A mail that the server has not accepted by then is dropped.
const GIVE_UP_AFTER: SignedDuration = SignedDuration::from_hours(48);

/// Delivers mails, forever. Cancel-safe: an interrupted attempt is repeated.
pub(crate) async fn deliver_forever(mailer: &Mailer, transport: &Transport) {
    loop {
        match deliver_due(&mailer.base, transport).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "mails could not be read"),
        }
        // Mails of other nodes, and further attempts.
        let _ = tokio::time::timeout(POLL_INTERVAL, mailer.stored.notified()).await;
    }
}

/// Tries to deliver a batch. Returns whether there may be more.
async fn deliver_due(base: &Base, transport: &Transport) -> platform::db::Result<bool> {
    let due = store::due(&base.db, base.clock.now(), BATCH).await?;
    for mail in &due {
        if store::claim(&base.db, mail, base.clock.now() + pause_after(mail.attempts)).await? {
            let sent = transport.send(mail).await;
            settle(base, mail, sent).await?;
        }
    }
    Ok(i64::try_from(due.len()).is_ok_and(|count| count == BATCH))
}

async fn settle(base: &Base, mail: &DueMail, sent: Result<(), DeliveryError>) -> platform::db::Result<()> {
    let is_old = base.clock.now().duration_since(from_micros(mail.created_at)) >= GIVE_UP_AFTER;
    match sent {
        Ok(()) => store::delete(&base.db, mail).await,
        Err(DeliveryError { is_permanent, status }) if is_permanent || is_old => {
            tracing::warn!(mail.id, smtp.status = status, "a mail was not delivered");
            store::delete(&base.db, mail).await
        }
        Err(DeliveryError { status, .. }) => {
            tracing::warn!(mail.id, smtp.status = status, "a mail could not be delivered yet");
            Ok(())
        }
    }
}

fn pause_after(attempts: i64) -> SignedDuration {
    let doublings = u32::try_from(attempts.clamp(0, 10)).unwrap_or_default();
    (FIRST_PAUSE * 2_i32.pow(doublings)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_an_hour() {
        let minutes = [0, 1, 2, 4, 5, 100].map(|attempts| pause_after(attempts).as_mins());
        assert_eq!(minutes, [2, 4, 8, 32, 60, 60]);
    }
}
