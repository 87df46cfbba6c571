//! A bus on NATS.
//!
//! The subject of an event is `sillage.SCOPE.PURPOSE.SUBJECT`, where PURPOSE and SUBJECT are percent-encoded, so that each is one
//! token. The scope keeps installations that share a server apart.

use std::collections::BTreeSet;

use async_nats::{Client, ConnectOptions, Event, PublishErrorKind, RequestErrorKind, ServerAddr, Subscriber};
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::SelectAll;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tokio::sync::mpsc;

use super::address::{Credentials, NatsAddress};
use super::session::{CHECK_EVERY, Incoming, LinkResult};
use super::{Message, purpose_of};
use crate::db::{self, Db, params};
use crate::run::random::Random;

/// How many received events of a purpose may wait for this node.
const RECEIVED: usize = 65_536;
/// Takes the place of the subject.
const RESYNC: &str = "!resync";
/// What a token of a subject may contain as it is.
const TOKEN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');
/// Maximum length of a subject's last token. The server closes a connection that sends a line of more than 4,096 bytes.
const MAX_TOKEN: usize = 2_000;
/// The place of the subject's last token.
const LAST_TOKEN: usize = 3;

/// The random name of the installation that owns this database: its row of the table `bus_scope`, which the first node writes.
///
/// # Errors
/// A database error.
pub(super) async fn scope(db: &Db, random: &Random) -> db::Result<String> {
    let sql = "insert into bus_scope (id, scope) values (1, $1) on conflict (id) do nothing";
    db.execute(sql, params![random.hex(8)]).await?;
    let (scope,) = db.fetch_one::<(String,)>("select scope from bus_scope where id = 1", params![]).await?;
    Ok(scope)
}

/// Opens sessions of one node.
pub(super) struct Connector {
    address: NatsAddress,
    scope: String,
}

impl Connector {
    pub(super) fn new(address: NatsAddress, scope: String) -> Self {
        Self { address, scope }
    }

    pub(super) async fn connect(&self) -> LinkResult<NatsSession> {
        let servers = self.address.servers.iter().map(|url| ServerAddr::from_url(url.clone()));
        let servers = servers.collect::<std::io::Result<Vec<_>>>()?;
        let prefix = format!("sillage.{}.", self.scope);
        let (notices, events) = mpsc::channel(16);
        let options = match &self.address.credentials {
            None => ConnectOptions::new(),
            Some(Credentials::Token(token)) => ConnectOptions::with_token(token.clone()),
            Some(Credentials::User { name, password }) => {
                ConnectOptions::with_user_and_password(name.clone(), password.clone())
            }
            Some(Credentials::Jwt(file)) => ConnectOptions::with_credentials(file)?,
        };
        let options = options
            .name("sillage")
            .no_echo()
            // A user needs permissions for `sillage.>` only.
            .custom_inbox_prefix(format!("{prefix}reply"))
            .ping_interval(CHECK_EVERY)
            .subscription_capacity(RECEIVED)
            // One attempt at each server; the link repeats it.
            .max_reconnects(servers.len())
            .event_callback(move |event| {
                let notices = notices.clone();
                // If there are many, the first one matters.
                async move { _ = notices.try_send(event) }
            });
        let options = match &self.address.ca_file {
            Some(path) => options.add_root_certificates(path.clone()),
            None => options,
        };
        let client = options.connect(servers).await?;
        Ok(NatsSession { client, events, received: SelectAll::new(), prefix })
    }
}

/// A connection. It is given up when it is lost, although the client could repair it: only then it is known what was missed.
pub(super) struct NatsSession {
    client: Client,
    events: mpsc::Receiver<Event>,
    received: SelectAll<Subscriber>,
    /// Of every subject.
    prefix: String,
}

impl NatsSession {
    pub(super) async fn listen(&mut self, purpose: &str) -> LinkResult<()> {
        let subject = self.subject(purpose, "*");
        self.received.push(self.client.subscribe(subject).await?);
        self.round_trip().await
    }

    pub(super) async fn send(&mut self, batch: &[Message]) -> LinkResult<()> {
        for Message { subject, payload } in batch {
            let purpose = purpose_of(subject);
            let token = utf8_percent_encode(subject, TOKEN).to_string();
            let is_too_large = token.len() > MAX_TOKEN
                || match self.client.publish(self.subject(purpose, &token), payload.clone()).await {
                    Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => true,
                    published => published.map(|()| false)?,
                };
            if is_too_large {
                self.client.publish(self.subject(purpose, RESYNC), Bytes::new()).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn send_resync(&mut self, purposes: &BTreeSet<String>) -> LinkResult<()> {
        for purpose in purposes {
            self.client.publish(self.subject(purpose, RESYNC), Bytes::new()).await?;
        }
        Ok(())
    }

    fn subject(&self, purpose: &str, last: &str) -> String {
        format!("{}{}.{last}", self.prefix, utf8_percent_encode(purpose, TOKEN))
    }

    pub(super) async fn receive(&mut self) -> LinkResult<Incoming> {
        loop {
            tokio::select! {
                Some(message) = self.received.next() => match parse(&message.subject, message.payload) {
                    Some(incoming) => return Ok(incoming),
                    None => tracing::error!("a message on the bus is not readable"),
                },
                event = self.events.recv() => match event {
                    Some(Event::SlowConsumer(_)) => return Ok(Incoming::Lost),
                    Some(Event::Disconnected | Event::Closed) | None => return Err("the server closed the connection".into()),
                    Some(_) => {}
                },
            }
        }
    }

    /// Returns when the server has handled everything that was sent before. Nobody answers this request, which the server says
    /// at once.
    pub(super) async fn round_trip(&self) -> LinkResult<()> {
        match self.client.request(self.subject("!", "!"), Bytes::new()).await {
            Err(error) if error.kind() != RequestErrorKind::NoResponders => Err(error.into()),
            _ => Ok(()),
        }
    }
}

fn parse(subject: &str, payload: Bytes) -> Option<Incoming> {
    let mut tokens = subject.split('.');
    let (purpose, last) = (tokens.nth(LAST_TOKEN - 1)?, tokens.next()?);
    let decode = |text| percent_decode_str(text).decode_utf8().ok();
    Some(match last {
        RESYNC => Incoming::Resync(decode(purpose)?.into_owned()),
        subject => Incoming::Message(Message { subject: decode(subject)?.into(), payload }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_read_back() {
        for subject in ["events", "link.SC 1.*>\t!\u{fc}", "!resync", "a.%2E"] {
            let token = utf8_percent_encode(subject, TOKEN).to_string();
            assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_%".contains(&byte)), "{token}");
            let message = Message { subject: subject.into(), payload: "x".into() };
            assert_eq!(parse(&format!("sillage.0a.p.{token}"), "x".into()), Some(Incoming::Message(message)));
        }
        assert_eq!(parse("sillage.0a.a%20b.!resync", "".into()), Some(Incoming::Resync("a b".to_owned())));
        for subject in ["", "sillage.0a.events", "sillage.0a.p.%ff"] {
            assert_eq!(parse(subject, "".into()), None, "{subject}");
        }
    }
}
