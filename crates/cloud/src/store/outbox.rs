//! The outbox: messages to people, from the transaction that causes them until they are delivered or given up.

use jiff::Timestamp;
use platform::db::{Result, Tx, params};
use uuid::Uuid;

use crate::mail::{Letter, Words};

/// How far a message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Written by a node without a mail server: it stays where it is.
    Kept,
}

impl State {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
        }
    }
}

/// A message to be written.
pub(crate) struct NewMessage<'a> {
    pub(crate) id: Uuid,
    pub(crate) letter: &'a Letter<'a>,
    pub(crate) text: &'a Words,
    pub(crate) link: Option<&'a str>,
    pub(crate) state: State,
    pub(crate) now: Timestamp,
}

pub(crate) async fn insert(tx: &mut Tx, message: &NewMessage<'_>) -> Result<()> {
    let NewMessage { id, letter, text, link, state, now } = message;
    tx.execute(
        "insert into outbox (id, oem_id, user_id, kind, channel, recipient, subject, body, html, link, email_template_id,
                             state, created_at, due_at)
         values ($1, $2, $3, $4, 'email', $5, $6, $7, $8, $9, $10, $11, $12, $12)",
        params![
            *id,
            letter.oem_id,
            letter.user_id,
            letter.kind.as_str(),
            letter.recipient,
            &text.subject,
            &text.body,
            &text.html,
            *link,
            letter.email_template_id,
            state.as_str(),
            *now,
        ],
    )
    .await?;
    Ok(())
}
