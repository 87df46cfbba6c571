//! The mail server of the demo's console, unless options name another: it accepts mails by SMTP on a loopback address, for the
//! mailbox of the cloud.

use std::io;
use std::net::Ipv4Addr;
use std::slice::Iter;
use std::time::Duration;

use cloud::operator::{Oem, Operator, ReceivedMail};
use mail_parser::MessageParser;
use platform::mail::{MailSecurity, MailServer};
use smtp_proto::request::receiver::{DataReceiver, RequestReceiver};
use smtp_proto::{Error, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::product;

/// Longer than any mail of a console.
const MAX_MAIL: usize = 1024 * 1024;
const MAX_RECIPIENTS: usize = 10;
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);
const READ_SIZE: usize = 8192;

/// The mail server.
pub(super) struct MailboxServer {
    listener: TcpListener,
    operator: Operator,
    oem: Oem,
}

impl MailboxServer {
    /// Listens on a free port.
    pub(super) async fn bind(operator: Operator, oem: Oem) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Ok(Self { listener, operator, oem })
    }

    /// How the console reaches it.
    pub(super) fn settings(&self) -> io::Result<MailServer> {
        let address = self.listener.local_addr()?;
        Ok(MailServer {
            host: address.ip().to_string(),
            port: address.port(),
            security: MailSecurity::None,
            credentials: None,
            authority: None,
            sender: format!("{} <no-reply@sillage.example>", product::NAME),
        })
    }

    /// Accepts mails, one connection after the other. Never returns.
    pub(super) async fn run(self) {
        loop {
            let served = match self.listener.accept().await {
                Ok((connection, _)) => timeout(CONNECTION_TIMEOUT, self.serve(connection)).await,
                Err(error) => Ok(Err(error)),
            };
            if let Ok(Err(error)) = served {
                tracing::debug!(%error, "a mail was not accepted");
            }
        }
    }

    async fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        let (mut session, mut buffer) = (SmtpSession::default(), vec![0; READ_SIZE]);
        reply(&mut connection, "220 the mailbox of the demo").await?;
        loop {
            let length = connection.read(&mut buffer).await?;
            if length == 0 {
                return Ok(());
            }
            let mut bytes = buffer[..length].iter();
            while let Some(step) = session.step(&mut bytes) {
                match step {
                    Step::Reply(text) => reply(&mut connection, text).await?,
                    Step::Keep(envelope) => reply(&mut connection, self.keep(&envelope).await).await?,
                    Step::End(text) => return reply(&mut connection, text).await,
                }
            }
        }
    }

    /// Adds a mail to the mailbox, and returns the reply.
    async fn keep(&self, Envelope { recipients, mail }: &Envelope) -> &'static str {
        let Some(mail) = MessageParser::default().parse(mail) else { return "554 not a mail" };
        let (subject, body) = (mail.subject().unwrap_or_default(), mail.body_text(0).unwrap_or_default());
        for recipient in recipients {
            let message = ReceivedMail { recipient, subject, body: &body };
            if let Err(error) = self.operator.keep_message(&self.oem, message).await {
                tracing::warn!(%error, "a mail of the console is not in the mailbox");
                return "451 not stored";
            }
        }
        "250 OK"
    }
}

/// The server's side of one connection, with the fewest commands of a mail server (RFC 5321, section 4.5.1).
#[derive(Default)]
struct SmtpSession {
    requests: RequestReceiver,
    envelope: Envelope,
    /// While the client sends a mail.
    data: Option<DataReceiver>,
}

#[derive(Debug, Default, PartialEq)]
struct Envelope {
    recipients: Vec<String>,
    mail: Vec<u8>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Reply(&'static str),
    /// A mail is complete and needs a reply.
    Keep(Envelope),
    /// The last reply.
    End(&'static str),
}

impl SmtpSession {
    /// The next step, or `None` if it needs more bytes.
    fn step(&mut self, bytes: &mut Iter<'_, u8>) -> Option<Step> {
        if let Some(data) = &mut self.data {
            let is_complete = data.ingest(bytes, &mut self.envelope.mail);
            if self.envelope.mail.len() > MAX_MAIL {
                return Some(Step::End("552 too long"));
            }
            return is_complete.then(|| {
                self.data = None;
                Step::Keep(std::mem::take(&mut self.envelope))
            });
        }
        let recipients = &mut self.envelope.recipients;
        Some(Step::Reply(match self.requests.ingest(bytes) {
            Ok(Request::Ehlo { .. } | Request::Helo { .. }) => "250 localhost",
            Ok(Request::Mail { .. } | Request::Rset) => {
                recipients.clear();
                "250 OK"
            }
            Ok(Request::Rcpt { .. }) if recipients.len() == MAX_RECIPIENTS => "452 too many recipients",
            Ok(Request::Rcpt { to }) => {
                recipients.push(to.address.into_owned());
                "250 OK"
            }
            Ok(Request::Data) if recipients.is_empty() => "503 no recipient",
            Ok(Request::Data) => {
                self.data = Some(DataReceiver::new());
                "354 go on"
            }
            Ok(Request::Noop { .. }) => "250 OK",
            Ok(Request::Quit) => return Some(Step::End("221 bye")),
            Ok(_) => "502 not a command of this server",
            Err(Error::NeedsMoreData { .. }) => return None,
            Err(_) => "500 not a command",
        }))
    }
}

async fn reply(connection: &mut TcpStream, text: &str) -> io::Result<()> {
    connection.write_all(format!("{text}\r\n").as_bytes()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(texts: &[&str]) -> Vec<Step> {
        let mut session = SmtpSession::default();
        let mut steps = Vec::new();
        for text in texts {
            let mut bytes = text.as_bytes().iter();
            while let Some(step) = session.step(&mut bytes) {
                let has_ended = matches!(step, Step::End(_));
                steps.push(step);
                if has_ended {
                    return steps;
                }
            }
        }
        steps
    }

    #[test]
    fn mail_is_complete_with_a_dot_on_a_line() {
        let begin =
            ["EHLO localhost\r\n", "MAIL FROM:<no-reply@example.com>\r\n", "RCPT TO:<jo@", "example.com>\r\nDATA\r\n"];
        let mail = ["Subject: x\r\n\r\n", "..y\r\n", ".\r\nQUIT\r\n"];
        let steps = steps(&[&begin[..], &mail[..]].concat());
        let [.., Step::Keep(envelope), Step::End("221 bye")] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!(envelope.recipients, ["jo@example.com"]);
        assert_eq!(envelope.mail, b"Subject: x\r\n\r\n.y\r\n");
        let replies = ["250 localhost", "250 OK", "250 OK", "354 go on"].map(Step::Reply);
        assert_eq!(steps[..4], replies);
    }

    #[test]
    fn nonsense_gets_an_error_and_does_not_end_the_session() {
        let long = format!("NOOP {}\r\n", "x".repeat(5000));
        let texts = ["DATA\r\n", "TURN\r\n", "RCPT TO:jo\r\n", "VRFY jo\r\n", &long, "NOOP\r\n"];
        let steps = steps(&texts);
        let codes: Vec<&str> =
            steps.iter().map(|step| if let Step::Reply(text) = step { &text[..3] } else { "" }).collect();
        assert_eq!((codes[..4].to_vec(), codes.last()), (vec!["503", "500", "500", "502"], Some(&"250")));
    }

    #[test]
    fn mails_and_recipients_are_limited() {
        let begin = ["MAIL FROM:<>\r\n", "RCPT TO:<jo@example.com>\r\n", "DATA\r\n"];
        let line = "x".repeat(MAX_MAIL / 2);
        let long = steps(&[&begin[..], &[&line, &line, "y"]].concat());
        assert_eq!(long.last(), Some(&Step::End("552 too long")));
        let many = steps(&[begin[1]; MAX_RECIPIENTS + 1]);
        assert_eq!(many.last(), Some(&Step::Reply("452 too many recipients")));
    }
}
