//! Settings of the SMS gateway.

use std::fmt;

use reqwest::Url;
use secrecy::SecretString;
use url::Host;

use super::number::PhoneNumber;

/// An SMS gateway with Twilio's API: a form with `From`, `To` and `Body`.
#[derive(Clone)]
pub struct SmsGateway {
    /// The URL that texts are posted to, such as `https://api.twilio.com/2010-04-01/Accounts/AC…/Messages.json`.
    pub url: String,
    /// The account at the gateway.
    pub account: String,
    /// The secret of the account.
    pub token: SecretString,
    /// The sender of texts: a number such as `+33612345678`, a short number, or a name of up to eleven letters and
    /// digits.
    pub sender: String,
}

/// Why an SMS gateway cannot be used. Contains neither numbers nor secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SmsError {
    /// [`SmsGateway::url`].
    #[error("the address of the text gateway must look like https://sms.example.com/messages, without credentials")]
    Url,
    /// The gateway is on another machine and the connection is not encrypted.
    #[error("the token of the text gateway would be sent unencrypted to another machine")]
    Unencrypted,
    /// [`SmsGateway::account`] or [`SmsGateway::token`].
    #[error("the text gateway requires an account and a token")]
    Credentials,
    /// [`SmsGateway::sender`].
    #[error(
        "texts come from a number such as +33612345678, a short number, or a name of up to eleven letters and digits"
    )]
    Sender,
    /// TLS is not available on this machine.
    #[error("TLS cannot be set up")]
    Tls,
}

/// Longer names are not shown by phones.
const LONGEST_NAME: usize = 11;
/// Number of digits of a short number. More digits are an international number that lacks its `+`.
const SHORT_NUMBER: std::ops::RangeInclusive<usize> = 3..=8;

/// The URL of a gateway that a token may be sent to.
pub(super) fn address(url: &str) -> Result<Url, SmsError> {
    let url = Url::parse(url).map_err(|_| SmsError::Url)?;
    let is_this_machine = match url.host().ok_or(SmsError::Url)? {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    match url.scheme() {
        // Credentials do not belong in the URL, which proxies log.
        _ if !url.username().is_empty() || url.password().is_some() => Err(SmsError::Url),
        "https" => Ok(url),
        "http" if is_this_machine => Ok(url),
        "http" => Err(SmsError::Unencrypted),
        _ => Err(SmsError::Url),
    }
}

/// Whether phones can show the text as a sender.
pub(super) fn is_sender(text: &str) -> bool {
    let is_name = text.len() <= LONGEST_NAME
        && text.trim() == text
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == ' ')
        && text.contains(|character: char| character.is_ascii_alphabetic());
    let is_short_number = SHORT_NUMBER.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_name || is_short_number || PhoneNumber::parse(text).is_some_and(|number| number.as_str() == text)
}

impl fmt::Debug for SmsGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmsGateway")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_sent_encrypted_or_to_this_machine_only() {
        let table = [
            ("https://sms.example.com/messages", None),
            ("https://sms.example.com:8443/a?b=c", None),
            ("http://127.0.0.1:9000/messages", None),
            ("http://[::1]:9000/", None),
            ("http://localhost/", None),
            ("http://sms.example.com/messages", Some(SmsError::Unencrypted)),
            ("http://127.0.0.1.example.com/", Some(SmsError::Unencrypted)),
            ("http://192.168.0.2/", Some(SmsError::Unencrypted)),
            ("https://account:token@sms.example.com/", Some(SmsError::Url)),
            ("ftp://sms.example.com/", Some(SmsError::Url)),
            ("sms.example.com", Some(SmsError::Url)),
            ("file:///tmp/x", Some(SmsError::Url)),
            ("", Some(SmsError::Url)),
        ];
        for (url, error) in table {
            assert_eq!(address(url).err(), error, "{url}");
        }
    }

    #[test]
    fn sender_is_a_number_or_a_short_name() {
        for text in ["+33612345678", "Sillage", "38383", "My Shop 12"] {
            assert!(is_sender(text), "{text}");
        }
        for text in ["", " ", " Sillage", "Sillage of Paris", "Ünser", "+33 612345678", "a\r\nb", "+1", "12"] {
            assert!(!is_sender(text), "{text:?}");
        }
        assert!(!is_sender("33612345678"), "a number without its + is no name");
    }
}
