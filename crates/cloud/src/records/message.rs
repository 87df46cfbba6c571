//! Messages to people, as the outbox stores them.

use jiff::Timestamp;
use platform::mail;

/// How a message reaches a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Channel {
    /// E-mail, through the mail server.
    Email,
    /// Text message, through the SMS gateway.
    Sms,
}

impl Channel {
    pub(crate) const ALL: [Self; 2] = [Self::Email, Self::Sms];

    /// As on the wire and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Sms => "sms",
        }
    }

    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// The recipient created an account and must confirm the address.
    Confirmation,
    /// Somebody else created the account; the recipient must confirm the address.
    Invitation,
    /// The recipient requested a password reset.
    PasswordReset,
    /// The user requested a change to another address. Sent to the old address.
    EmailChangeRequested,
    /// The recipient must confirm the new address of an account.
    EmailConfirmation,
    /// The address was changed. Sent to the old address and to the new one.
    EmailChanged,
    /// The password was changed.
    PasswordChanged,
    /// Wrong passwords locked the account for a while.
    SignInLocked,
    /// An operator tests delivery.
    Test,
    /// Another program wrote it; a demo keeps it for its mailbox.
    Received,
    /// A device connected or disconnected.
    Connection,
    /// A property received a value that meets the condition of a trigger.
    Value,
    /// A user's rule sends it; the user wrote the text.
    Rule,
    /// A daily budget is spent, so messages are held back.
    Budget,
}

impl MessageKind {
    /// As stored in the database; also the name of its template, if it has one.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Invitation => "invitation",
            Self::PasswordReset => "password_reset",
            Self::EmailChangeRequested => "email_change_requested",
            Self::EmailConfirmation => "email_confirmation",
            Self::EmailChanged => "email_changed",
            Self::PasswordChanged => "password_changed",
            Self::SignInLocked => "sign_in_locked",
            Self::Test => "test",
            Self::Received => "received",
            Self::Connection => "connection",
            Self::Value => "value",
            Self::Rule => "rule",
            Self::Budget => "budget",
        }
    }
}

/// Delivery status of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageState {
    /// Stored by a node without a mail server or SMS gateway; not delivered until an operator retries it.
    Kept,
    /// Not delivered yet.
    Waiting,
    /// Accepted by the mail server or the SMS gateway.
    Sent,
    /// Given up.
    Failed,
}

impl MessageState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Kept, Self::Waiting, Self::Sent, Self::Failed];

    /// As stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }
}

/// The text of one message. Only tests may print it: it can contain a token.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct MessageText {
    pub(crate) subject: String,
    /// Plain text: paragraphs separated by an empty line.
    pub(crate) body: String,
    pub(crate) html: String,
}

/// Why a delivery attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeliveryError {
    /// Whether a retry would fail the same way.
    pub(crate) permanent: bool,
    /// For the operator: the status code and text of the server, or the transport error. Contains no addresses.
    pub(crate) reason: String,
    /// The earliest retry that the server asked for.
    pub(crate) not_before: Option<Timestamp>,
}

/// Why a text gateway cannot be used. Contains no numbers and no secrets.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProbeError(pub(crate) String);

impl From<DeliveryError> for ProbeError {
    fn from(error: DeliveryError) -> Self {
        Self(error.reason)
    }
}

impl From<mail::DeliveryError> for DeliveryError {
    fn from(mail::DeliveryError { permanent, reason }: mail::DeliveryError) -> Self {
        Self { permanent, reason, not_before: None }
    }
}

impl DeliveryError {
    /// A failure that says nothing about the message.
    pub(crate) fn transient(reason: &str) -> Self {
        Self { permanent: false, reason: reason.to_owned(), not_before: None }
    }
}
