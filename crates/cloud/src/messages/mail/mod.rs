//! Messages to people. Each message is written to the outbox in the transaction that causes it; a
//! [job](crate::background::delivery) delivers it to the mail server, or to the SMS gateway for [texts](crate::messages::sms).

mod notice;
mod templates;

use std::sync::{Arc, RwLock};

use jiff::Timestamp;
use platform::db::{Result, Tx};
use platform::run::random::Random;

use crate::records::message::{Channel, MessageKind, MessageState};
use crate::store::outbox::{self, NewMessage};
pub(crate) use notice::{Address, Notice};
use templates::Templates;

const NEVER_PANICS: &str = "no holder of this lock can panic";

/// The console page that accepts the token of such a message.
fn token_page(kind: MessageKind) -> Option<&'static str> {
    match kind {
        MessageKind::Confirmation | MessageKind::Invitation => Some("/account/confirm"),
        MessageKind::EmailConfirmation => Some("/account/email/confirm"),
        MessageKind::EmailChangeRequested | MessageKind::EmailChanged => Some("/account/email/cancel"),
        MessageKind::PasswordReset => Some("/password/set"),
        MessageKind::PasswordChanged
        | MessageKind::SignInLocked
        | MessageKind::Test
        | MessageKind::Received
        | MessageKind::Connection
        | MessageKind::Value
        | MessageKind::Rule
        | MessageKind::Budget => None,
    }
}

/// A mail about an account.
#[derive(Clone, Copy)]
pub(crate) struct AccountMail<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) oem_id: i64,
    /// The user whom the mail is about.
    pub(crate) user_id: Option<i64>,
    /// The address that it is sent to.
    pub(crate) recipient: &'a str,
    /// The token in its link; informational kinds have none.
    pub(crate) token: Option<&'a str>,
    /// When its cause happened, for the kinds that name it.
    pub(crate) time: Option<Timestamp>,
    /// Who sends an invitation.
    pub(crate) inviter: Option<&'a str>,
    /// The template that the caller named. It is stored with the message, but our own template is used.
    pub(crate) email_template_id: Option<&'a str>,
}

/// Product and console of all messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branding {
    /// The name of the product.
    pub product: String,
    /// The base URL of the console that messages link to, such as `https://console.example.com`.
    pub console_url: String,
}

impl Default for Branding {
    fn default() -> Self {
        Self { product: "Device cloud".to_owned(), console_url: "http://127.0.0.1:8080".to_owned() }
    }
}

/// Writes messages to the outbox. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Mail(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    branding: RwLock<Branding>,
    templates: Templates,
    random: Random,
    /// Channels with a transport. Messages on others are kept undelivered.
    channels: Vec<Channel>,
}

impl Mail {
    /// Messages on `channels` wait for delivery; others are kept.
    pub(crate) fn new(branding: Branding, channels: impl Into<Vec<Channel>>, random: Random) -> Self {
        let console_url = branding.console_url.trim_end_matches('/').to_owned();
        let branding = RwLock::new(Branding { console_url, ..branding });
        Self(Arc::new(Inner { branding, templates: Templates::new(), random, channels: channels.into() }))
    }

    /// Makes later messages link to this console.
    pub(crate) fn link_to(&self, console_url: &str) {
        let mut branding = self.0.branding.write().expect(NEVER_PANICS);
        branding.console_url = console_url.trim_end_matches('/').to_owned();
    }

    /// The product name in messages.
    pub(crate) fn product(&self) -> String {
        self.branding().product
    }

    /// Writes the mail to the outbox within the caller's transaction.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn enqueue(&self, tx: &mut Tx, mail: &AccountMail<'_>, now: Timestamp) -> Result<()> {
        let branding = self.branding();
        // The token is hexadecimal and needs no escaping.
        let link = token_page(mail.kind)
            .zip(mail.token)
            .map(|(page, token)| format!("{}{page}?token={token}", branding.console_url));
        let message = NewMessage {
            id: self.0.random.uuid_at(now),
            oem_id: mail.oem_id,
            user_id: mail.user_id,
            kind: mail.kind,
            channel: Channel::Email,
            recipient: mail.recipient,
            text: &self.0.templates.write(mail, &branding, link.as_deref()),
            link: link.as_deref(),
            email_template_id: mail.email_template_id,
            state: self.initial_state(Channel::Email),
            now,
        };
        outbox::insert(tx, &[message]).await
    }

    fn initial_state(&self, channel: Channel) -> MessageState {
        if self.0.channels.contains(&channel) { MessageState::Waiting } else { MessageState::Kept }
    }

    fn branding(&self) -> Branding {
        self.0.branding.read().expect(NEVER_PANICS).clone()
    }
}
