//! Messages in the outbox.

use std::fmt;

use jiff::Timestamp;
use platform::db::Tx;
use platform::run::clock::from_micros;

use super::{Oem, Operator, Result};
use crate::messages::mail::{AccountMail, Address, Notice};
use crate::messages::sms::PhoneNumber;
use crate::records::message::{Channel, MessageKind, MessageState, MessageText};
use crate::store::outbox::{self, MessageRow, NewMessage};

/// A message of the outbox. Its `Debug` output contains neither address nor text, which can contain a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Its id; also used in its Message-ID.
    pub id: String,
    /// What it is about, such as `invitation`.
    pub kind: String,
    /// `email` or `sms`.
    pub channel: String,
    /// The recipient's e-mail address or phone number.
    pub recipient: String,
    /// Its subject; empty for a text message.
    pub subject: String,
    /// Its plain text.
    pub body: String,
    /// The console page that it links to.
    pub link: Option<String>,
    /// The template that the caller named.
    pub email_template_id: Option<String>,
    /// Delivery status: a [`MessageState`].
    pub state: String,
    /// Number of delivery attempts.
    pub attempts: i64,
    /// When it was written.
    pub created_at: Timestamp,
    /// Time of the next attempt, while it waits.
    pub due_at: Timestamp,
    /// The last error, without addresses.
    pub last_error: Option<String>,
    /// Time of delivery.
    pub delivered_at: Option<Timestamp>,
}

/// A mail received from another program.
#[derive(Clone, Copy)]
pub struct ReceivedMail<'a> {
    /// The recipient's e-mail address.
    pub recipient: &'a str,
    /// Its subject.
    pub subject: &'a str,
    /// Its plain text.
    pub body: &'a str,
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
    /// Up to `most` messages of all manufacturers, newest first; of one state if given.
    ///
    /// # Errors
    /// A database error.
    pub async fn messages(&self, state: Option<MessageState>, most: u32) -> Result<Vec<Message>> {
        let rows = outbox::newest(&self.db, state, most.into()).await?;
        Ok(rows.into_iter().map(Message::from).collect())
    }

    /// A message by id.
    ///
    /// # Errors
    /// A database error.
    pub async fn message(&self, id: &str) -> Result<Option<Message>> {
        Ok(outbox::find(&self.db, id).await?.map(Message::from))
    }

    /// Queues a failed or kept message for delivery, unless its link was deleted when it failed. Returns whether there was one.
    ///
    /// # Errors
    /// A database error.
    pub async fn retry_message(&self, id: &str) -> Result<bool> {
        Ok(outbox::retry(&self.db, id, self.clock.now()).await?)
    }

    /// Queues a test mail to this address.
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
            time: None,
            inviter: None,
            email_template_id: None,
        };
        let write_test_message = async |mut tx: Tx| -> Result<()> {
            self.mail.enqueue(&mut tx, &mail, self.clock.now()).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(write_test_message).await
    }

    /// Keeps a mail of another program beside those of this cloud, without sending it, as the mailbox of a demo shows it.
    ///
    /// # Errors
    /// A database error.
    pub async fn keep_message(&self, oem: &Oem, message: ReceivedMail<'_>) -> Result<()> {
        let now = self.clock.now();
        let ReceivedMail { recipient, subject, body } = message;
        let text = MessageText { subject: subject.to_owned(), body: body.to_owned(), html: String::new() };
        let row = NewMessage {
            id: self.random.uuid_at(now),
            oem_id: oem.id,
            user_id: None,
            kind: MessageKind::Received,
            channel: Channel::Email,
            recipient,
            text: &text,
            link: None,
            email_template_id: None,
            state: MessageState::Kept,
            now,
        };
        let keep_message = async |mut tx: Tx| -> Result<()> {
            outbox::insert(&mut tx, std::slice::from_ref(&row)).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(keep_message).await
    }

    /// Queues a test text to this number.
    ///
    /// # Errors
    /// A database error.
    pub async fn write_test_text(&self, oem: &Oem, number: &PhoneNumber) -> Result<()> {
        let sentence =
            format!("An operator of {} sent this text to test the delivery of text messages.", self.mail.product());
        let notice = Notice {
            kind: MessageKind::Test,
            oem_id: oem.id,
            user_id: None,
            to: Address::Phone(number.clone()),
            subject: String::new(),
            opening: None,
            sentence,
            remark: None,
            email_template_id: None,
        };
        let write_test_text = async |mut tx: Tx| -> Result<()> {
            self.mail.enqueue_notices(&mut tx, std::slice::from_ref(&notice), self.clock.now()).await?;
            Ok(tx.commit().await?)
        };
        self.db.write(write_test_text).await
    }
}
