//! Why a message was not taken, without saying whose it is.

use std::error::Error as _;

use jiff::Timestamp;
use lettre::transport::smtp::Error;

/// The longest text that is kept, in characters.
const LONGEST: usize = 300;
/// The server wants us to sign in first: our settings are wrong, not the message.
const SIGN_IN_FIRST: u16 = 530;

/// What became of an attempt that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Trying again would end the same.
    pub(crate) permanent: bool,
    /// For the operator: the status code and the server's words, or what happened on the way. Holds no addresses.
    pub(crate) reason: String,
    /// When the server wants to be asked again, if it said so.
    pub(crate) not_before: Option<Timestamp>,
}

impl Refusal {
    /// The message itself is at fault.
    pub(super) fn of_message(reason: &str) -> Self {
        Self { permanent: true, reason: reason.to_owned(), not_before: None }
    }

    /// Nothing was said about the message.
    pub(crate) fn on_the_way(reason: &str) -> Self {
        Self { permanent: false, reason: reason.to_owned(), not_before: None }
    }

    /// The server did not get as far as the message: whatever it says, it says of us.
    pub(super) fn before_message(error: &Error, recipient: &str) -> Self {
        Self { permanent: false, reason: told(error, recipient), not_before: None }
    }

    /// The server was offered the message.
    pub(super) fn by_server(error: &Error, recipient: &str) -> Self {
        let sign_in_first = error.status().is_some_and(|code| u16::from(code) == SIGN_IN_FIRST);
        // A client's error: the address cannot be written to this server.
        let permanent = (error.is_permanent() && !sign_in_first) || error.is_client();
        Self { permanent, reason: told(error, recipient), not_before: None }
    }
}

fn told(error: &Error, recipient: &str) -> String {
    let text = match (error.status(), error.source()) {
        (Some(code), Some(words)) => format!("{code} {words}"),
        (None, Some(cause)) => cause.to_string(),
        (_, None) => error.to_string(),
    };
    without_addresses(&text, recipient)
}

/// The text, on one line and not too long, without anything that looks like a mail address or names the recipient.
fn without_addresses(text: &str, recipient: &str) -> String {
    let name = recipient.split('@').next().unwrap_or_default().to_lowercase();
    let is_address = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        word.contains('@') || (!name.is_empty() && word == name)
    };
    let words: Vec<&str> =
        text.split_whitespace().map(|word| if is_address(word) { "[address]" } else { word }).collect();
    words.join(" ").chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_is_left_in_what_a_server_said() {
        let table = [
            ("550 5.1.1 <bob@example.com>: no such user", "550 5.1.1 [address] no such user"),
            ("550 5.1.1 user bob, unknown", "550 5.1.1 user [address] unknown"),
            ("550 BOB@EXAMPLE.COM and admin@other.example", "550 [address] and [address]"),
            ("452 4.2.2 bobby's mailbox is full", "452 4.2.2 bobby's mailbox is full"),
            ("two\r\n lines", "two lines"),
            ("", ""),
        ];
        for (said, kept) in table {
            assert_eq!(without_addresses(said, "bob@example.com"), kept, "{said:?}");
        }
        assert_eq!(without_addresses("an address is missing", ""), "an address is missing");
        assert_eq!(without_addresses(&"ä".repeat(1000), "bob@example.com").chars().count(), LONGEST);
    }
}
