//! A bus on the database of the nodes, by `LISTEN` and `NOTIFY`.
//!
//! Each purpose has a channel. A notification is `NODE NUMBER SUBJECT FORM PAYLOAD`, or `NODE NUMBER !resync PURPOSE`. Numbers
//! differ because PostgreSQL omits equal notifications of a transaction.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{Acquire, Connection};

use super::Message;
use super::session::{Incoming, LinkResult};
use crate::db::Server;
use crate::nodes::node_lock::KEEPALIVE;
use crate::run::random::Random;

/// PostgreSQL's limit of a payload is 8,000 bytes, exclusive.
const MAX_PAYLOAD: usize = 7_999;
/// PostgreSQL's limit of a name.
const MAX_NAME: usize = 63;
/// Takes the place of the subject.
const RESYNC: &str = "!resync";
/// What a subject may not contain in a notification.
const RESERVED: &AsciiSet = &CONTROLS.add(b' ').add(b'!').add(b'%');

/// Opens sessions of one node.
pub(super) struct Connector {
    options: PgConnectOptions,
    /// Marks this node's own notifications, which it also receives.
    node: String,
}

impl Connector {
    pub(super) fn new(server: &Server, random: &Random) -> Self {
        let options = server.pool().connect_options().as_ref().clone();
        let options = options
            .application_name("sillage bus")
            .options(KEEPALIVE)
            // A notification is not worth a wait for the disk.
            .options([("synchronous_commit", "off")]);
        Self { options, node: random.hex(8) }
    }

    pub(super) async fn connect(&self) -> LinkResult<PostgresSession> {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .acquire_timeout(Duration::from_secs(5))
            .connect_with(self.options.clone())
            .await?;
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.eager_reconnect(false);
        Ok(PostgresSession { listener, node: self.node.clone(), number: 0 })
    }
}

/// A connection that listens and notifies.
pub(super) struct PostgresSession {
    listener: PgListener,
    node: String,
    number: u64,
}

impl PostgresSession {
    pub(super) async fn listen(&mut self, purpose: &str) -> LinkResult<()> {
        Ok(self.listener.listen(&channel(purpose)).await?)
    }

    pub(super) async fn send(&mut self, batch: &[Message]) -> LinkResult<()> {
        let notifications = batch.iter().map(|message| {
            let (purpose, head) = (message.purpose(), self.head());
            let text = notification(&head, message).unwrap_or_else(|| resync(&head, purpose));
            (channel(purpose), text)
        });
        let (channels, texts) = notifications.unzip();
        self.notify(channels, texts).await
    }

    pub(super) async fn send_resync(&mut self, purposes: &BTreeSet<String>) -> LinkResult<()> {
        let notifications = purposes.iter().map(|purpose| (channel(purpose), resync(&self.head(), purpose)));
        let (channels, texts) = notifications.unzip();
        self.notify(channels, texts).await
    }

    async fn notify(&mut self, channels: Vec<String>, texts: Vec<String>) -> LinkResult<()> {
        let sql = "select pg_notify(channel, text) from unnest($1::text[], $2::text[]) as n(channel, text)";
        sqlx::query(sql).bind(channels).bind(texts).execute(&mut self.listener).await?;
        Ok(())
    }

    fn head(&mut self) -> String {
        self.number += 1;
        format!("{} {}", self.node, self.number)
    }

    pub(super) async fn receive(&mut self) -> LinkResult<Incoming> {
        loop {
            let notification = self.listener.try_recv().await?.ok_or("the server closed the connection")?;
            let (node, rest) = notification.payload().split_once(' ').unwrap_or_default();
            if node == self.node {
                continue;
            }
            match parse(rest) {
                Some(incoming) => return Ok(incoming),
                None => tracing::error!("a notification on the bus is not readable"),
            }
        }
    }

    pub(super) async fn check(&mut self) -> LinkResult<()> {
        Ok(self.listener.acquire().await?.ping().await?)
    }
}

/// The channel of a purpose. Purposes that begin with the same 55 bytes share one.
fn channel(purpose: &str) -> String {
    let mut name = format!("sillage_{purpose}");
    name.truncate(name.floor_char_boundary(MAX_NAME));
    name
}

/// `None` if it would be too long.
fn notification(head: &str, Message { subject, payload }: &Message) -> Option<String> {
    let subject = utf8_percent_encode(subject, RESERVED);
    // Text is sent as it is, unless it contains the byte that PostgreSQL's texts cannot.
    let (form, payload) = match str::from_utf8(payload) {
        Ok(text) if !text.contains('\0') => ('t', Cow::Borrowed(text)),
        _ => ('b', Cow::Owned(STANDARD.encode(payload))),
    };
    let text = format!("{head} {subject} {form} {payload}");
    (text.len() <= MAX_PAYLOAD).then_some(text)
}

fn resync(head: &str, purpose: &str) -> String {
    format!("{head} {RESYNC} {}", utf8_percent_encode(purpose, RESERVED))
}

/// Parses what follows the node.
fn parse(text: &str) -> Option<Incoming> {
    let (_, text) = text.split_once(' ')?;
    let (subject, rest) = text.split_once(' ')?;
    let decode = |text| percent_decode_str(text).decode_utf8().ok();
    if subject == RESYNC {
        return Some(Incoming::Resync(decode(rest)?.into_owned()));
    }
    let payload = match rest.split_once(' ')? {
        ("t", text) => Bytes::copy_from_slice(text.as_bytes()),
        ("b", text) => STANDARD.decode(text).ok()?.into(),
        _ => return None,
    };
    Some(Incoming::Message(Message { subject: decode(subject)?.into(), payload }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(subject: &str, payload: impl Into<Bytes>) -> Message {
        Message { subject: subject.into(), payload: payload.into() }
    }

    #[test]
    fn notifications_are_read_back() {
        for message in [
            message("events", ""),
            message("link.", "a b  c"),
            message("link.SC 1.%20!*>\0\u{fc}", "changed\0North"),
            message("!resync", vec![0xff, 0, 0x80]),
            message("", "\n"),
        ] {
            let text = notification("3", &message).unwrap();
            assert!(!text.contains('\0'));
            assert_eq!(parse(&text), Some(Incoming::Message(message)));
        }
        for purpose in ["events", "a b%"] {
            assert_eq!(parse(&resync("3", purpose)), Some(Incoming::Resync(purpose.to_owned())));
        }
        for text in ["", "3", "3 events", "3 events x y", "3 events b ?", "3 %ff t "] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn notification_has_at_most_7999_bytes() {
        let longest = MAX_PAYLOAD - "3 events t ".len();
        assert_eq!(notification("3", &message("events", "x".repeat(longest))).unwrap().len(), MAX_PAYLOAD);
        assert_eq!(notification("3", &message("events", "x".repeat(longest + 1))), None);
        let (head, bytes) = ("0123456789abcdef 18446744073709551615", vec![0xff; super::super::SAFE_PAYLOAD]);
        assert!(notification(head, &message("connection.0123456789abcdef0123456789abcdef", bytes)).is_some());
    }

    #[test]
    fn channel_has_at_most_63_bytes() {
        assert_eq!(channel("events"), "sillage_events");
        assert_eq!(channel(&"ü".repeat(40)).len(), 62);
    }
}
