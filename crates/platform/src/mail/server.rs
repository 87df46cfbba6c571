//! Settings of the mail server.

use std::fmt;
use std::net::IpAddr;

use secrecy::SecretString;

/// A mail server that accepts messages by SMTP.
#[derive(Clone)]
pub struct MailServer {
    /// Host name, as in its certificate, or IP address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Encryption of the connection.
    pub security: MailSecurity,
    /// Credentials; `None` to send without authentication.
    pub credentials: Option<MailCredentials>,
    /// Additional root certificates; PEM.
    pub authority: Option<Vec<u8>>,
    /// The sender of messages, such as `Sillage <no-reply@example.com>`.
    pub sender: String,
}

/// Encryption of the connection to a mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailSecurity {
    /// No encryption: for a server on this machine or in its own network.
    None,
    /// STARTTLS. Nothing is sent to a server that does not offer it.
    StartTls,
    /// TLS from the first byte.
    Tls,
}

/// Credentials of a mail server.
#[derive(Clone)]
pub struct MailCredentials {
    /// The user's name.
    pub user: String,
    /// The user's password.
    pub password: SecretString,
}

/// Why a mail server cannot be used. Contains neither addresses nor secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// [`MailServer::sender`].
    #[error("the sender is not a mail address such as \"Sillage <no-reply@example.com>\"")]
    Sender,
    /// [`MailServer::authority`].
    #[error("the file of authorities contains no usable certificate in PEM")]
    Authority,
    /// Credentials without encryption for a server on another machine.
    #[error("the password of the mail server would be sent unencrypted to another machine")]
    Unencrypted,
}

impl MailServer {
    /// Whether the connection stays on this machine.
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
