//! Messages to people.

use std::fmt;

use jiff::Timestamp;
use platform::clock::from_micros;

use super::{Oem, Operator, Result};
use crate::mail::{AccountMail, Address, Notice};
use crate::records::message::{MessageKind, MessageState};
use crate::sms::PhoneNumber;
use crate::store::outbox::{self, MessageRow};

/// A message of the outbox. Its `Debug` shows neither address nor text: that may hold a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Its key; also in its Message-ID.
    pub id: String,
    /// What it is about, such as `invitation`.
    pub kind: String,
    /// `email` or `sms`.
    pub channel: String,
    /// The address or the phone that it goes to.
    pub recipient: String,
    /// Its subject; a text has none.
    pub subject: String,
    /// Its plain text.
    pub body: String,
    /// The page of the console that it wants opened.
    pub link: Option<String>,
    /// The template that its caller named.
    pub email_template_id: Option<String>,
    /// How far it has come: a [`MessageState`].
    pub state: String,
    /// How often the mail server or the gateway was offered it.
    pub attempts: i64,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it is tried next, while it waits.
    pub due_at: Timestamp,
    /// What they last said against it, without addresses.
    pub last_error: Option<String>,
    /// When it was taken.
    pub delivered_at: Option<Timestamp>,
}

impl From<MessageRow> for Message {
    fn from(row: MessageRow) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            channel: row.channel,
            recipient: row.recipient,
            subject: row.subject,
            body: row.body,
            link: row.link,
            email_template_id: row.email_template_id,
            state: row.state,
            attempts: row.attempts,
            created_at: from_micros(row.created_at),
            due_at: from_micros(row.due_at),
            last_error: row.last_error,
            delivered_at: row.delivered_at.map(from_micros),
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("id", &self.id).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Operator {
    /// Up to `most` messages of one state, or of all, the newest first. They are those of all manufacturers.
    ///
    /// # Errors
    /// A database error.
    pub async fn messages(&self, state: Option<MessageState>, most: u32) -> Result<Vec<Message>> {
        let rows = outbox::newest(&self.db, state, most.into()).await?;
        Ok(rows.into_iter().map(Message::from).collect())
    }

    /// One message.
    ///
    /// # Errors
    /// A database error.
    pub async fn message(&self, id: &str) -> Result<Option<Message>> {
        Ok(outbox::find(&self.db, id).await?.map(Message::from))
    }

    /// Lets a message that was given up or kept wait to be sent. Returns whether it was.
    ///
    /// # Errors
    /// A database error.
    pub async fn retry_message(&self, id: &str) -> Result<bool> {
        Ok(outbox::retry(&self.db, id, self.clock.now()).await?)
    }

    /// Writes a message to this address into the outbox, to see whether mail arrives.
    ///
    /// # Errors
    /// A database error.
    pub async fn write_test_message(&self, oem: &Oem, recipient: &str) -> Result<()> {
        let mail = AccountMail {
            kind: MessageKind::Test,
            oem_id: oem.id,
            user_id: None,
            recipient,
            token: None,
            email_template_id: None,
        };
        let mut tx = self.db.begin().await?;
        self.mail.enqueue(&mut tx, &mail, self.clock.now()).await?;
        Ok(tx.commit().await?)
    }

    /// Writes a text message to this phone into the outbox, to see whether texts arrive.
    ///
    /// # Errors
    /// A database error.
    pub async fn write_test_text(&self, oem: &Oem, number: &PhoneNumber) -> Result<()> {
        let sentence = format!(
            "An operator of {} asked for this text, to see whether texts arrive. It does.",
            self.mail.product()
        );
        let notice = Notice {
            kind: MessageKind::Test,
            oem_id: oem.id,
            user_id: None,
            to: Address::Phone(number.clone()),
            subject: String::new(),
            opening: None,
            sentence,
            email_template_id: None,
        };
        let mut tx = self.db.begin().await?;
        self.mail.enqueue_notices(&mut tx, &[notice], self.clock.now()).await?;
        Ok(tx.commit().await?)
    }
}
