//! The outbox: messages to people, from the transaction that causes them until they are delivered or given up.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use platform::random::first_uuid_at;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::mail::{Letter, Words};

/// How far a message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Written by a node without a mail server: it stays where it is.
    Kept,
    /// Not delivered yet.
    Waiting,
    /// The mail server took it.
    Sent,
    /// Given up.
    Failed,
}

impl State {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }
}

/// A message to be written.
pub(crate) struct NewMessage<'a> {
    pub(crate) id: Uuid,
    pub(crate) letter: &'a Letter<'a>,
    pub(crate) words: &'a Words,
    pub(crate) link: Option<&'a str>,
    pub(crate) state: State,
    pub(crate) now: Timestamp,
}

/// A message that is tried.
#[derive(Clone, sqlx::FromRow)]
pub(crate) struct DueRow {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) recipient: String,
    pub(crate) subject: String,
    pub(crate) body: String,
    pub(crate) html: String,
    pub(crate) created_at: i64,
    pub(crate) waiting_since: i64,
    /// This one counted.
    pub(crate) attempts: i64,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome<'a> {
    /// The mail server took it.
    Sent,
    /// Refused; `next` = when it is tried again, if ever.
    Refused { reason: &'a str, next: Option<Timestamp> },
}

pub(crate) async fn insert(tx: &mut Tx, message: &NewMessage<'_>) -> Result<()> {
    let NewMessage { id, letter, words, link, state, now } = message;
    tx.execute(
        "insert into outbox (id, oem_id, user_id, kind, channel, recipient, subject, body, html, link, email_template_id,
                             state, created_at, waiting_since, due_at)
         values ($1, $2, $3, $4, 'email', $5, $6, $7, $8, $9, $10, $11, $12, $12, $12)",
        params![
            *id,
            letter.oem_id,
            letter.user_id,
            letter.kind.as_str(),
            letter.recipient,
            &words.subject,
            &words.body,
            &words.html,
            *link,
            letter.email_template_id,
            state.as_str(),
            *now,
        ],
    )
    .await?;
    Ok(())
}

/// Takes up to `most` messages whose time has come. Nobody else takes them before `until`; whoever still holds one then
/// has lost it.
pub(crate) async fn claim(db: &Db, claim: &str, most: i64, now: Timestamp, until: Timestamp) -> Result<Vec<DueRow>> {
    let mut tx = db.begin().await?;
    let sql = format!(
        "update outbox set claim = $1, due_at = $2, attempts = attempts + 1
         where id in (select id from outbox where state = 'waiting' and due_at <= $3 order by due_at limit $4{})
         returning id, kind, recipient, subject, body, html, created_at, waiting_since, attempts",
        tx.for_update_of_free()
    );
    let rows = tx.fetch_all(AssertSqlSafe(sql), params![claim, until, now, most]).await?;
    tx.commit().await?;
    Ok(rows)
}

/// Notes what became of a message, unless somebody else has taken it meanwhile.
pub(crate) async fn settle(db: &Db, id: &str, claim: &str, outcome: Outcome<'_>, now: Timestamp) -> Result<()> {
    let (state, next, reason, delivered_at) = match outcome {
        Outcome::Sent => (State::Sent, None, None, Some(now)),
        Outcome::Refused { reason, next: Some(next) } => (State::Waiting, Some(next), Some(reason), None),
        Outcome::Refused { reason, next: None } => (State::Failed, None, Some(reason), None),
    };
    db.execute(
        "update outbox set claim = null, state = $3, due_at = coalesce($4, due_at), last_error = $5, delivered_at = $6
         where id = $1 and claim = $2",
        params![id, claim, state.as_str(), next, reason, delivered_at],
    )
    .await?;
    Ok(())
}

/// Deletes what was written before `until`.
pub(crate) async fn clear(db: &Db, until: Timestamp) -> Result<()> {
    db.execute("delete from outbox where id < $1", params![first_uuid_at(until)]).await?;
    Ok(())
}
