//! Messages that devices cause: of triggers, notifications and rules. They are merged, so that a transaction
//! writes at most one per recipient and source.

mod merge;

use jiff::Timestamp;
use platform::db::{Result, Tx};

use crate::mail::{Mail, Notice};

/// What a recipient gets messages from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Source {
    Trigger(i64),
    Notification(i64),
    RuleAction(i64),
}

/// A message that a device causes.
pub(crate) struct Alert<'a> {
    pub(crate) source: Source,
    /// How many events of the transaction it reports.
    pub(crate) count: u64,
    /// About the newest of these events.
    pub(crate) notice: Notice<'a>,
}

/// Writes messages that devices cause to the outbox. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Alerts {
    mail: Mail,
}

impl Alerts {
    pub(crate) fn new(mail: Mail) -> Self {
        Self { mail }
    }

    /// Writes the messages within the caller's transaction, one per recipient and source.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn enqueue(&self, tx: &mut Tx, alerts: Vec<Alert<'_>>, now: Timestamp) -> Result<()> {
        let mut alerts = merge::by_recipient(alerts);
        for alert in &mut alerts {
            if alert.count > 1 {
                alert.notice.remark = Some(format!("This happened {} times.", alert.count));
            }
        }
        let notices: Vec<Notice<'_>> = alerts.into_iter().map(|alert| alert.notice).collect();
        self.mail.enqueue_notices(tx, &notices, now).await
    }
}
