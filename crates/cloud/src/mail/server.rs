//! The mail server that takes our messages.

use std::fmt;
use std::net::IpAddr;

use secrecy::SecretString;

/// A mail server that takes messages by SMTP.
#[derive(Clone)]
pub struct MailServer {
    /// Its name, which its certificate bears, or its IP address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the way there is protected.
    pub security: MailSecurity,
    /// What we sign in with; `None` = we do not.
    pub credentials: Option<MailCredentials>,
    /// PEM of certificates that may vouch for it, beside those that browsers trust.
    pub authority: Option<Vec<u8>>,
    /// Whom messages come from, such as `Sillage <no-reply@example.com>`.
    pub sender: String,
}

/// How the way to a mail server is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailSecurity {
    /// Not at all: for a server on this machine or in its own network.
    None,
    /// Encrypted after STARTTLS. A server that does not offer it gets nothing.
    StartTls,
    /// Encrypted from the first byte.
    Tls,
}

/// A user of a mail server.
#[derive(Clone)]
pub struct MailCredentials {
    /// The user's name.
    pub user: String,
    /// The user's password.
    pub password: SecretString,
}

/// Why a mail server cannot be used. Quotes neither addresses nor secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MailError {
    /// [`MailServer::sender`].
    #[error("the sender is no mail address such as \"Sillage <no-reply@example.com>\"")]
    Sender,
    /// [`MailServer::authority`].
    #[error("the file of authorities holds no usable certificate in PEM")]
    Authority,
    /// Credentials without encryption, and the server is on another machine.
    #[error("the password of the mail server would be sent unencrypted to another machine")]
    Unencrypted,
}

impl MailServer {
    /// Whether no other machine sees what is sent there.
    pub(super) fn is_on_this_machine(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailServer")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("security", &self.security)
            .finish_non_exhaustive()
    }
}
