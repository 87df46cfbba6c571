//! Delivers mail by SMTP. Each message uses its own connection: messages are few, and a failure affects only one of
//! them.

use std::time::Duration;

use jiff::Timestamp;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, Message};
use secrecy::ExposeSecret;
use tokio::time::timeout;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use super::server::{MailCredentials, MailError, MailSecurity, MailServer};
use super::smtp_error::{self, DeliveryError, ProbeError};

/// Time limit for the delivery of one message.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
const QUIT_TIMEOUT: Duration = Duration::from_secs(5);
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Servers offer one or both.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// A mail to one recipient.
#[derive(Clone, Copy)]
pub struct OutgoingMail<'a> {
    /// Identifies the mail. Attempts with the same id have the same `Message-ID`, so that mail clients show duplicates as one.
    pub id: &'a str,
    /// The recipient's address, without a name.
    pub recipient: &'a str,
    /// The subject in one line.
    pub subject: &'a str,
    /// The plain text.
    pub body: &'a str,
    /// The same content as HTML, if the mail has both forms.
    pub html: Option<&'a str>,
    /// The time in the header `Date`.
    pub written_at: Timestamp,
}

/// Delivers mail to one server.
pub struct Transport {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
    sender: Mailbox,
    hello: ClientId,
}

enum Security {
    None,
    StartTls(TlsParameters),
    Tls(TlsParameters),
}

impl Transport {
    /// # Errors
    /// [`MailError`] if the settings are invalid. Does not connect.
    pub fn new(server: &MailServer) -> Result<Self, MailError> {
        let MailServer { host, port, security, credentials, authority, sender } = server;
        if *security == MailSecurity::None && credentials.is_some() && !server.is_on_this_machine() {
            return Err(MailError::Unencrypted);
        }
        let tls = || tls(host, authority.as_deref());
        Ok(Self {
            host: host.clone(),
            port: *port,
            security: match security {
                MailSecurity::None => Security::None,
                MailSecurity::StartTls => Security::StartTls(tls()?),
                MailSecurity::Tls => Security::Tls(tls()?),
            },
            credentials: credentials.as_ref().map(|MailCredentials { user, password }| {
                Credentials::new(user.clone(), password.expose_secret().to_owned())
            }),
            sender: sender.parse().map_err(|_| MailError::Sender)?,
            hello: ClientId::default(),
        })
    }

    /// Delivers a message. `Ok` means that the server has accepted responsibility for it.
    ///
    /// # Errors
    /// [`DeliveryError`].
    pub async fn send(&self, mail: &OutgoingMail<'_>) -> Result<(), DeliveryError> {
        let message = self.message(mail)?;
        match timeout(SEND_TIMEOUT, self.hand_over(&message, mail.recipient)).await {
            Ok(result) => result,
            Err(_) => Err(DeliveryError::transient("the mail server took too long")),
        }
    }

    /// The message with its headers.
    fn message(&self, mail: &OutgoingMail<'_>) -> Result<Message, DeliveryError> {
        let recipient: Address =
            mail.recipient.parse().map_err(|_| DeliveryError::permanent("the recipient is not a mail address"))?;
        let message = Message::builder()
            .from(self.sender.clone())
            .to(recipient.into())
            .subject(mail.subject)
            .date(mail.written_at.into())
            .message_id(Some(format!("<{}@{}>", mail.id, self.sender.email.domain())))
            // Suppresses automatic replies (RFC 3834).
            .raw_header(HeaderValue::new(
                HeaderName::new_from_ascii_str("Auto-Submitted"),
                "auto-generated".to_owned(),
            ));
        let body = mail.body.to_owned();
        match mail.html {
            Some(html) => message.multipart(MultiPart::alternative_plain_html(body, html.to_owned())),
            None => message.singlepart(SinglePart::plain(body)),
        }
        .map_err(|_| DeliveryError::permanent("the message cannot be written"))
    }

    async fn hand_over(&self, message: &Message, recipient: &str) -> Result<(), DeliveryError> {
        let mut connection = self.connect().await.map_err(|error| smtp_error::before_message(&error, recipient))?;
        connection
            .send(message.envelope(), &message.formatted())
            .await
            .map_err(|error| smtp_error::by_server(&error, recipient))?;
        // The message is accepted; the result must be recorded without waiting for the QUIT.
        tokio::spawn(async move { timeout(QUIT_TIMEOUT, connection.quit()).await });
        Ok(())
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, lettre::transport::smtp::Error> {
        let wrapper = match &self.security {
            Security::Tls(tls) => Some(tls.clone()),
            Security::None | Security::StartTls(_) => None,
        };
        let server = (&*self.host, self.port);
        let mut connection = AsyncSmtpConnection::connect_tokio1(server, None, &self.hello, wrapper, None).await?;
        if let Security::StartTls(tls) = &self.security {
            connection.starttls(tls.clone(), &self.hello).await?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(&MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }
}

impl MailServer {
    /// Connects, encrypts the connection and signs in as for a message, and sends none.
    ///
    /// # Errors
    /// [`ProbeError`].
    pub async fn probe(&self) -> Result<(), ProbeError> {
        let connected = timeout(PROBE_TIMEOUT, Transport::new(self)?.connect()).await;
        let connected = connected.map_err(|_| DeliveryError::transient("the mail server took too long"))?;
        let mut connection = connected.map_err(|error| smtp_error::before_message(&error, ""))?;
        let _ = timeout(QUIT_TIMEOUT, connection.quit()).await;
        Ok(())
    }
}

fn tls(host: &str, authority: Option<&[u8]>) -> Result<TlsParameters, MailError> {
    let mut parameters = TlsParameters::builder(host.to_owned());
    if let Some(pem) = authority {
        // lettre accepts a PEM without a certificate as an empty list.
        if CertificateDer::from_pem_slice(pem).is_err() {
            return Err(MailError::Authority);
        }
        parameters = parameters.add_root_certificate(Certificate::from_pem(pem).map_err(|_| MailError::Authority)?);
    }
    parameters.build_rustls().map_err(|_| MailError::Authority)
}
