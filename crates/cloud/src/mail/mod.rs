//! Messages to people. Who causes one writes it into the outbox in its own transaction; the
//! [job](crate::jobs::delivery) takes it from there to the mail server, or to the gateway for [texts](crate::sms).

mod channel;
mod notice;
mod refusal;
mod retry;
mod server;
mod state;
mod templates;
mod transport;

use std::sync::{Arc, RwLock};

use jiff::Timestamp;
use platform::db::{Result, Tx};
use platform::random::Random;

use crate::store::outbox::{self, NewMessage};
pub(crate) use channel::Channel;
pub(crate) use notice::{Address, Notice};
pub(crate) use refusal::Refusal;
pub use retry::MailRetry;
pub use server::{MailCredentials, MailError, MailSecurity, MailServer};
pub use state::MessageState;
use templates::Templates;
pub(crate) use templates::Words;
pub(crate) use transport::Transport;

const NEVER_PANICS: &str = "no holder of this lock can panic";

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Made an account: confirm the address.
    Confirmation,
    /// Somebody else made the account: confirm the address.
    Invitation,
    /// Asked for a new password.
    PasswordReset,
    /// The address was changed; goes to the old one and to the new one.
    EmailChanged,
    /// The password was changed.
    PasswordChanged,
    /// An operator wants to see whether mail arrives.
    Test,
    /// A device came or went.
    Connection,
    /// A property has a value that somebody waits for.
    Value,
    /// A rule of a user wrote it, in the user's words.
    Rule,
}

impl Kind {
    /// As the database keeps it; also the name of its template, if it has one.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Invitation => "invitation",
            Self::PasswordReset => "password_reset",
            Self::EmailChanged => "email_changed",
            Self::PasswordChanged => "password_changed",
            Self::Test => "test",
            Self::Connection => "connection",
            Self::Value => "value",
            Self::Rule => "rule",
        }
    }

    /// The page of the console that takes the token.
    fn page(self) -> Option<&'static str> {
        match self {
            Self::Confirmation | Self::Invitation => Some("/account/confirm"),
            Self::PasswordReset => Some("/password/set"),
            Self::EmailChanged | Self::PasswordChanged | Self::Test | Self::Connection | Self::Value | Self::Rule => {
                None
            }
        }
    }
}

/// One message to one person.
#[derive(Clone, Copy)]
pub(crate) struct Letter<'a> {
    pub(crate) kind: Kind,
    pub(crate) oem_id: i64,
    /// Whom it is about.
    pub(crate) user_id: Option<i64>,
    /// The address that it goes to.
    pub(crate) recipient: &'a str,
    /// What its link carries; kinds that only tell something have none.
    pub(crate) token: Option<&'a str>,
    /// The template that the caller named. Ours are used all the same; it is kept with the message.
    pub(crate) email_template_id: Option<&'a str>,
}

/// What stands in every message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letterhead {
    /// The name of the service.
    pub product: String,
    /// The console to which messages link, such as `https://console.example.com`.
    pub console_url: String,
}

impl Default for Letterhead {
    fn default() -> Self {
        Self { product: "Device cloud".to_owned(), console_url: "http://127.0.0.1:8080".to_owned() }
    }
}

/// Writes messages. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Mail(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    letterhead: RwLock<Letterhead>,
    templates: Templates,
    random: Random,
    /// On which messages go out; those on others are kept.
    channels: Vec<Channel>,
}

impl Mail {
    /// Messages on these channels wait to be delivered; others are kept.
    pub(crate) fn new(letterhead: Letterhead, channels: impl Into<Vec<Channel>>, random: Random) -> Self {
        let console_url = letterhead.console_url.trim_end_matches('/').to_owned();
        let letterhead = RwLock::new(Letterhead { console_url, ..letterhead });
        Self(Arc::new(Inner { letterhead, templates: Templates::new(), random, channels: channels.into() }))
    }

    /// From now on messages link to this console.
    pub(crate) fn link_to(&self, console_url: &str) {
        let mut letterhead = self.0.letterhead.write().expect(NEVER_PANICS);
        letterhead.console_url = console_url.trim_end_matches('/').to_owned();
    }

    /// The name of the service that messages bear.
    pub(crate) fn product(&self) -> String {
        self.letterhead().product
    }

    /// Puts the message into the outbox: there exactly when the caller's transaction is committed.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn enqueue(&self, tx: &mut Tx, letter: &Letter<'_>, now: Timestamp) -> Result<()> {
        let letterhead = self.letterhead();
        // A token has no character that a query would have to escape: it is hexadecimal.
        let link = letter
            .kind
            .page()
            .zip(letter.token)
            .map(|(page, token)| format!("{}{page}?token={token}", letterhead.console_url));
        let message = NewMessage {
            id: self.0.random.uuid_at(now),
            oem_id: letter.oem_id,
            user_id: letter.user_id,
            kind: letter.kind,
            channel: Channel::Email,
            recipient: letter.recipient,
            words: &self.0.templates.write(letter.kind, &letterhead, link.as_deref()),
            link: link.as_deref(),
            email_template_id: letter.email_template_id,
            state: self.begins_as(Channel::Email),
            now,
        };
        outbox::insert(tx, &[message]).await
    }

    fn begins_as(&self, channel: Channel) -> MessageState {
        if self.0.channels.contains(&channel) { MessageState::Waiting } else { MessageState::Kept }
    }

    fn letterhead(&self) -> Letterhead {
        self.0.letterhead.read().expect(NEVER_PANICS).clone()
    }
}
