//! Mails of the console to its users: about changes of their second factor, and digests. All other mails come from the cloud.
//!
//! A mail is stored in the transaction of its change, and delivered afterwards by any node.

mod delivery;
mod store;

use std::sync::Arc;

use jiff::Timestamp;
use platform::db::{Result, Tx};
use tokio::sync::Notify;

use crate::base::Base;

pub(crate) use delivery::Delivery;

/// A mail to a user.
#[derive(Clone, Debug)]
pub(crate) struct Mail {
    id: String,
    recipient: String,
    subject: String,
    body: String,
    written_at: Timestamp,
}

/// Writes mails. Without a mail server none is stored, because nobody would deliver it.
#[derive(Clone, Debug)]
pub(crate) struct Mailer {
    base: Base,
    has_server: bool,
    /// Wakes the delivery of this node.
    stored: Arc<Notify>,
}

impl Mailer {
    pub(crate) fn new(base: Base, has_server: bool) -> Self {
        Self { base, has_server, stored: Arc::default() }
    }

    /// A mail to be [stored](store) with what it is about.
    pub(crate) fn write(&self, recipient: &str, subject: &str, body: String) -> Option<Mail> {
        let now = self.base.clock.now();
        self.has_server.then(|| Mail {
            id: self.base.random.uuid_at(now).to_string(),
            recipient: recipient.to_owned(),
            subject: subject.to_owned(),
            body,
            written_at: now,
        })
    }

    /// Whether mails are delivered.
    pub(crate) fn has_server(&self) -> bool {
        self.has_server
    }

    /// Call after the transaction with the mail was committed.
    pub(crate) fn wake_delivery(&self) {
        self.stored.notify_one();
    }
}

/// Stores a mail within the transaction of its change.
///
/// # Errors
/// Database errors.
pub(crate) async fn store(tx: &mut Tx, mail: Option<&Mail>) -> Result<()> {
    match mail {
        Some(mail) => store::insert(tx, mail).await,
        None => Ok(()),
    }
}
