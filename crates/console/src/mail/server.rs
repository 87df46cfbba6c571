//! The mail server of the console.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use devicecloud::SecretText;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use url::Url;

use super::store::DueMail;

/// Time limit for the delivery of one mail.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// Time limit for a probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Authentication required: the settings are wrong, not the mail.
const SIGN_IN_FIRST: u16 = 530;

/// A mail server that accepts messages by SMTP.
#[derive(Clone)]
pub struct MailServer {
    /// `smtps://USER:PASSWORD@HOST:PORT`, or `smtp://…?tls=required` for STARTTLS. Plain `smtp://HOST` is not encrypted.
    pub url: SecretText,
    /// The sender, such as `Sillage <no-reply@example.com>`.
    pub sender: String,
    /// PEM with certificates to trust in addition to the public ones.
    pub authority: Option<Vec<u8>>,
}

/// Why a mail server cannot be used. Contains no secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailServerError {
    /// [`MailServer::url`].
    #[error("the address of the mail server is not smtps://… or smtp://…")]
    Url,
    /// [`MailServer::sender`].
    #[error("the sender is not a mail address such as \"Sillage <no-reply@example.com>\"")]
    Sender,
    /// [`MailServer::authority`].
    #[error("the file contains no valid certificate")]
    Authority,
}

/// Why the mail server does not let the console send mails. Contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailProbeError {
    /// The settings are invalid.
    #[error(transparent)]
    Settings(#[from] MailServerError),
    /// A refusal, with its status.
    #[error("the mail server answers with status {0}")]
    Refused(u16),
    /// The connection fails, or is not encrypted as the address demands, for this reason.
    #[error("the mail server cannot be reached as its address says: {0}")]
    Unreachable(String),
    /// No answer.
    #[error("the mail server took too long")]
    TimedOut,
}

/// Why a mail was not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeliveryError {
    /// Whether a later attempt would fail too.
    pub(super) is_permanent: bool,
    /// The status of the server, if it answered.
    pub(super) status: Option<u16>,
}

impl MailServer {
    /// Connects, encrypts and signs in as for a mail, but sends none.
    ///
    /// # Errors
    /// What fails.
    pub async fn probe(&self) -> Result<(), MailProbeError> {
        let smtp = Transport::new(self)?.smtp;
        match tokio::time::timeout(PROBE_TIMEOUT, smtp.test_connection()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(MailProbeError::Unreachable("it ended the connection".to_owned())),
            Ok(Err(error)) => Err(match error.status() {
                Some(status) => MailProbeError::Refused(status.into()),
                None => MailProbeError::Unreachable(cause(&error)),
            }),
            Err(_) => Err(MailProbeError::TimedOut),
        }
    }
}

/// Delivers mails to one server.
#[derive(Clone)]
pub(crate) struct Transport {
    smtp: AsyncSmtpTransport<Tokio1Executor>,
    sender: Mailbox,
}

impl Transport {
    /// # Errors
    /// If the settings are invalid. Does not connect.
    pub(crate) fn new(server: &MailServer) -> Result<Self, MailServerError> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(server.url.expose());
        let mut builder = builder.map_err(|_| MailServerError::Url)?.timeout(Some(SEND_TIMEOUT));
        if let Some(pem) = &server.authority {
            builder = builder.tls(tls(server.url.expose(), pem)?);
        }
        let smtp = builder.build();
        Ok(Self { smtp, sender: server.sender.parse().map_err(|_| MailServerError::Sender)? })
    }

    /// Delivers a mail. `Ok` means that the server has accepted responsibility for it.
    pub(super) async fn send(&self, mail: &DueMail) -> Result<(), DeliveryError> {
        let unsendable = DeliveryError { is_permanent: true, status: None };
        let recipient: Address = mail.recipient.parse().map_err(|_| unsendable)?;
        let message = Message::builder()
            .from(self.sender.clone())
            .to(recipient.into())
            .subject(&mail.subject)
            .date(platform::clock::from_micros(mail.created_at).into())
            // The same at every attempt, so that mail clients show duplicates as one.
            .message_id(Some(format!("<{}@{}>", mail.id, self.sender.email.domain())))
            // Suppresses automatic replies (RFC 3834).
            .raw_header(HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN)
            .body(mail.body.clone())
            .map_err(|_| unsendable)?;
        match tokio::time::timeout(SEND_TIMEOUT, self.smtp.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => {
                let status = error.status().map(u16::from);
                Err(DeliveryError { is_permanent: error.is_permanent() && status != Some(SIGN_IN_FIRST), status })
            }
            Err(_) => Err(DeliveryError { is_permanent: false, status: None }),
        }
    }
}

/// The encryption that the address demands, as lettre reads it, with these certificates.
fn tls(url: &str, pem: &[u8]) -> Result<Tls, MailServerError> {
    let url: Url = url.parse().map_err(|_| MailServerError::Url)?;
    let host = url.host_str().ok_or(MailServerError::Url)?.to_owned();
    // lettre accepts a PEM without a certificate as an empty list.
    CertificateDer::from_pem_slice(pem).map_err(|_| MailServerError::Authority)?;
    let certificate = Certificate::from_pem(pem).map_err(|_| MailServerError::Authority)?;
    let parameters = TlsParameters::builder(host).add_root_certificate(certificate);
    let parameters = parameters.build_rustls().map_err(|_| MailServerError::Authority)?;
    let demanded = url.query_pairs().find_map(|(name, value)| (name == "tls").then_some(value));
    Ok(match (url.scheme(), demanded.as_deref()) {
        ("smtps", _) => Tls::Wrapper(parameters),
        (_, Some("required")) => Tls::Required(parameters),
        (_, Some("opportunistic")) => Tls::Opportunistic(parameters),
        _ => Tls::None,
    })
}

/// The innermost cause of an error.
fn cause(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => cause(source),
        None => error.to_string(),
    }
}

impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailServer").field("sender", &self.sender).finish_non_exhaustive()
    }
}
