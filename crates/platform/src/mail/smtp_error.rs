//! Why a mail is not delivered, without addresses.

use std::error::Error as _;

use lettre::transport::smtp::Error;

use super::server::MailError;

/// The longest reason, in characters.
const MAX_REASON: usize = 300;
/// Authentication required: the settings are wrong, not the message.
const SIGN_IN_FIRST: u16 = 530;

/// Why a delivery attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct DeliveryError {
    /// Whether another attempt would fail the same way.
    pub permanent: bool,
    /// For the operator, in one line of up to 300 characters: the status code and text of the server, or the error of the
    /// connection. Contains neither addresses nor secrets.
    pub reason: String,
}

/// Why a mail server cannot be used now. Contains neither addresses nor secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// The settings are invalid.
    #[error(transparent)]
    Settings(#[from] MailError),
    /// The connection fails, or the server refuses it.
    #[error(transparent)]
    Server(#[from] DeliveryError),
}

impl DeliveryError {
    /// A failure that says nothing about the message.
    pub(super) fn transient(reason: &str) -> Self {
        Self { permanent: false, reason: reason.to_owned() }
    }

    /// The message itself cannot be delivered.
    pub(super) fn permanent(reason: &str) -> Self {
        Self { permanent: true, reason: reason.to_owned() }
    }
}

/// An error before the server was offered the message: it says nothing about the message.
pub(super) fn before_message(error: &Error, recipient: &str) -> DeliveryError {
    DeliveryError { permanent: false, reason: reason(error, recipient) }
}

/// An error after the server was offered the message.
pub(super) fn by_server(error: &Error, recipient: &str) -> DeliveryError {
    let sign_in_first = error.status().is_some_and(|code| u16::from(code) == SIGN_IN_FIRST);
    // A client error means that the address cannot be sent to this server.
    let permanent = (error.is_permanent() && !sign_in_first) || error.is_client();
    DeliveryError { permanent, reason: reason(error, recipient) }
}

fn reason(error: &Error, recipient: &str) -> String {
    let text = match (error.status(), error.source()) {
        (Some(code), Some(words)) => format!("{code} {words}"),
        (None, Some(cause)) => cause.to_string(),
        (_, None) => error.to_string(),
    };
    without_addresses(&text, recipient)
}

/// Puts the text on one line, shortens it and masks mail addresses and the recipient's name.
fn without_addresses(text: &str, recipient: &str) -> String {
    let name = recipient.split('@').next().unwrap_or_default().to_lowercase();
    let is_address = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        word.contains('@') || (!name.is_empty() && word == name)
    };
    let words: Vec<&str> =
        text.split_whitespace().map(|word| if is_address(word) { "[address]" } else { word }).collect();
    words.join(" ").chars().take(MAX_REASON).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_a_server_response_are_masked() {
        let table = [
            ("550 5.1.1 <bob@example.com>: no such user", "550 5.1.1 [address] no such user"),
            ("550 5.1.1 user bob, unknown", "550 5.1.1 user [address] unknown"),
            ("550 BOB@EXAMPLE.COM and admin@other.example", "550 [address] and [address]"),
            ("452 4.2.2 bobby's mailbox is full", "452 4.2.2 bobby's mailbox is full"),
            ("two\r\n lines", "two lines"),
            ("", ""),
        ];
        for (response, masked) in table {
            assert_eq!(without_addresses(response, "bob@example.com"), masked, "{response:?}");
        }
        assert_eq!(without_addresses("an address is missing", ""), "an address is missing");
        assert_eq!(without_addresses(&"ä".repeat(1000), "bob@example.com").chars().count(), MAX_REASON);
    }
}
