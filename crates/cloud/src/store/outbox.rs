//! The outbox: messages to people, from the transaction that writes them until they are delivered or given up.

use jiff::Timestamp;
use platform::db::rows::insert_rows;
use platform::db::{Db, Result, Tx, params};
use platform::mail::OutgoingMail;
use platform::run::clock::from_micros;
use platform::run::random::first_uuid_at;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::records::message::{Channel, MessageKind, MessageState, MessageText};

/// How many messages one transaction deletes.
const BATCH: u64 = 1_000;

/// A message to write.
pub(crate) struct NewMessage<'a> {
    pub(crate) id: Uuid,
    pub(crate) oem_id: i64,
    pub(crate) user_id: Option<i64>,
    pub(crate) kind: MessageKind,
    pub(crate) channel: Channel,
    pub(crate) recipient: &'a str,
    pub(crate) text: &'a MessageText,
    pub(crate) link: Option<&'a str>,
    pub(crate) email_template_id: Option<&'a str>,
    pub(crate) state: MessageState,
    pub(crate) now: Timestamp,
}

/// A message with a delivery attempt in progress.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct DueRow {
    pub(crate) id: String,
    pub(crate) oem_id: i64,
    pub(crate) kind: String,
    pub(crate) recipient: String,
    pub(crate) subject: String,
    pub(crate) body: String,
    pub(crate) html: String,
    pub(crate) created_at: i64,
    pub(crate) waiting_since: i64,
    /// Number of attempts, including the current one.
    pub(crate) attempts: i64,
}

impl DueRow {
    /// The message as a mail.
    pub(crate) fn mail(&self) -> OutgoingMail<'_> {
        OutgoingMail {
            id: &self.id,
            recipient: &self.recipient,
            subject: &self.subject,
            body: &self.body,
            html: Some(&self.html),
            written_at: from_micros(self.created_at),
        }
    }
}

/// A message as operators see it.
#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct MessageRow {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) channel: String,
    pub(crate) recipient: String,
    pub(crate) subject: String,
    pub(crate) body: String,
    pub(crate) link: Option<String>,
    pub(crate) email_template_id: Option<String>,
    pub(crate) state: String,
    pub(crate) attempts: i64,
    pub(crate) created_at: i64,
    pub(crate) due_at: i64,
    pub(crate) last_error: Option<String>,
    pub(crate) delivered_at: Option<i64>,
}

/// The result of a delivery attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome<'a> {
    /// The server accepted the message.
    Sent,
    /// The attempt failed; `next` is the time of the next one, if any.
    Refused { reason: &'a str, next: Option<Timestamp> },
}

pub(crate) async fn insert(tx: &mut Tx, messages: &[NewMessage<'_>]) -> Result<()> {
    let insert = "insert into outbox (id, oem_id, user_id, kind, channel, recipient, subject, body, html, link, \
                  email_template_id, state, created_at, waiting_since, due_at)";
    insert_rows(tx, insert, 15, messages, |values, message| {
        values
            .with(message.id)
            .with(message.oem_id)
            .with(message.user_id)
            .with(message.kind.as_str())
            .with(message.channel.as_str())
            .with(message.recipient)
            .with(&message.text.subject)
            .with(&message.text.body)
            .with(&message.text.html)
            .with(message.link)
            .with(message.email_template_id)
            .with(message.state.as_str())
            .with(message.now)
            .with(message.now)
            .with(message.now)
    })
    .await
}

/// Conditions of the two classes of messages, in the order of their delivery. Each has an index.
pub(super) const CLASSES: [&str; 2] =
    ["kind not in ('connection', 'value', 'rule', 'budget')", "kind in ('connection', 'value', 'rule', 'budget')"];

/// Selects the due messages to claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextMessages {
    pub(crate) channel: Channel,
    pub(crate) most: usize,
    /// The manufacturer that had the last turn.
    pub(crate) last_oem: i64,
}

/// Claims due messages until `until`: those about accounts first. Manufacturers take turns. A claim that has expired is lost.
pub(crate) async fn claim(
    db: &Db,
    claim: &str,
    NextMessages { channel, most, last_oem }: NextMessages,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<DueRow>> {
    let claim = async |mut tx: Tx| -> Result<Vec<DueRow>> {
        let mut claimed: Vec<DueRow> = Vec::with_capacity(most);
        for class in CLASSES {
            let due = format!("state = 'waiting' and {class} and channel = $1 and due_at <= $2");
            let sql = format!(
                "select id from oem where exists (select 1 from outbox where oem_id = oem.id and {due}) order by id"
            );
            let oems: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(sql), params![channel.as_str(), now]).await?;
            let sql = format!(
                "update outbox set claim = $3, due_at = $4, attempts = attempts + 1
                 where id in (select id from outbox where {due} and oem_id = $5 order by due_at, id limit $6{})
                 returning id, oem_id, kind, recipient, subject, body, html, created_at, waiting_since, attempts",
                tx.for_update_of_free()
            );
            let next = oems.partition_point(|(oem,)| *oem <= last_oem);
            for (index, (oem,)) in oems[next..].iter().chain(&oems[..next]).enumerate() {
                let share = (most - claimed.len()).div_ceil(oems.len() - index);
                if share == 0 {
                    break;
                }
                let values = params![channel.as_str(), now, claim, until, *oem, share as i64];
                let mut rows: Vec<DueRow> = tx.fetch_all(AssertSqlSafe(sql.as_str()), values).await?;
                rows.sort_unstable_by(|one, other| one.id.cmp(&other.id));
                claimed.append(&mut rows);
            }
        }
        tx.commit().await?;
        Ok(claimed)
    };
    db.write(claim).await
}

/// Makes the messages that a node has claimed due at `due_at`, at the latest.
pub(crate) async fn release(db: &Db, node: &str, due_at: Timestamp) -> Result<()> {
    let sql = "update outbox set due_at = $2
               where claim is not null and claim like $1 and state = 'waiting' and due_at > $2";
    db.execute(sql, params![format!("{node}.%"), due_at]).await?;
    Ok(())
}

/// Records the result of an attempt, unless the claim was lost. A message with a link, which can contain a token, keeps no text when no
/// attempt follows.
pub(crate) async fn settle(db: &Db, id: &str, claim: &str, outcome: Outcome<'_>, now: Timestamp) -> Result<()> {
    let (state, next, reason, delivered_at) = match outcome {
        Outcome::Sent => (MessageState::Sent, None, None, Some(now)),
        Outcome::Refused { reason, next: Some(next) } => (MessageState::Waiting, Some(next), Some(reason), None),
        Outcome::Refused { reason, next: None } => (MessageState::Failed, None, Some(reason), None),
    };
    db.execute(
        "update outbox set claim = null, state = $3, due_at = coalesce($4, due_at), last_error = $5, delivered_at = $6,
             body = case when link is null or $3 = 'waiting' then body else '' end,
             html = case when link is null or $3 = 'waiting' then html else '' end,
             link = case when $3 = 'waiting' then link end
         where id = $1 and claim = $2",
        params![id, claim, state.as_str(), next, reason, delivered_at],
    )
    .await?;
    Ok(())
}

const MESSAGE: &str =
    "id, kind, channel, recipient, subject, body, link, email_template_id, state, attempts, created_at,
                       due_at, last_error, delivered_at";

/// The newest messages first, of one state or of all.
pub(crate) async fn newest(db: &Db, state: Option<MessageState>, most: i64) -> Result<Vec<MessageRow>> {
    let sql = format!("select {MESSAGE} from outbox where $1 is null or state = $1 order by id desc limit $2");
    db.fetch_all(AssertSqlSafe(sql), params![state.map(MessageState::as_str), most]).await
}

pub(crate) async fn find(db: &Db, id: &str) -> Result<Option<MessageRow>> {
    db.fetch_optional(AssertSqlSafe(format!("select {MESSAGE} from outbox where id = $1")), params![id]).await
}

/// Queues a failed or kept message again, if it still has its text. Returns whether it did.
pub(crate) async fn retry(db: &Db, id: &str, now: Timestamp) -> Result<bool> {
    let touched = db
        .execute(
            "update outbox set state = 'waiting', attempts = 0, waiting_since = $2, due_at = $2, last_error = null
             where id = $1 and state in ('failed', 'kept') and body <> ''",
            params![id, now],
        )
        .await?;
    Ok(touched == 1)
}

/// Deletes some messages written before `until`. Returns whether there may be more.
pub(crate) async fn clear(db: &Db, until: Timestamp) -> Result<bool> {
    let sql = "delete from outbox where id in (select id from outbox where id < $1 order by id limit $2)";
    Ok(db.execute(sql, params![first_uuid_at(until), BATCH as i64]).await? == BATCH)
}
