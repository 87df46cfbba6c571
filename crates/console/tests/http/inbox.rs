//! A mail server for tests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use platform::mail::{MailSecurity, MailServer};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A mail server that accepts every message.
#[derive(Clone, Default)]
pub(crate) struct Inbox {
    /// The lines of each message, with its recipient first.
    messages: Arc<Mutex<VecDeque<Vec<String>>>>,
    arrived: Arc<Notify>,
}

/// A mail that the server accepted.
#[derive(Debug)]
pub(crate) struct ReceivedMail {
    pub(crate) recipient: String,
    pub(crate) subject: String,
    pub(crate) body: String,
}

impl Inbox {
    /// Returns the inbox and the settings of its server.
    pub(crate) async fn start() -> (Self, MailServer) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let inbox = Self::default();
        let server = MailServer {
            host: "127.0.0.1".to_owned(),
            port: listener.local_addr().unwrap().port(),
            security: MailSecurity::None,
            credentials: None,
            authority: None,
            sender: "Sillage <no-reply@example.com>".to_owned(),
        };
        let accepting = inbox.clone();
        tokio::spawn(async move {
            loop {
                let (connection, _) = listener.accept().await.unwrap();
                tokio::spawn(accepting.clone().serve(connection));
            }
        });
        (inbox, server)
    }

    async fn serve(self, connection: TcpStream) -> std::io::Result<()> {
        let (read, mut write) = connection.into_split();
        let mut lines = BufReader::new(read).lines();
        write.write_all(b"220 inbox\r\n").await?;
        let mut message = Vec::new();
        let mut is_data = false;
        while let Some(line) = lines.next_line().await? {
            if is_data && line == "." {
                is_data = false;
                self.messages.lock().unwrap().push_back(std::mem::take(&mut message));
                self.arrived.notify_one();
            } else if is_data {
                message.push(line);
                continue;
            }
            let answer = match line.get(..4) {
                Some("RCPT") => {
                    message.push(line);
                    "250 ok\r\n"
                }
                Some("DATA") => {
                    is_data = true;
                    "354 go on\r\n"
                }
                Some("QUIT") => "221 bye\r\n",
                _ => "250 ok\r\n",
            };
            write.write_all(answer.as_bytes()).await?;
        }
        Ok(())
    }

    /// Waits for the next mail.
    pub(crate) async fn next(&self) -> ReceivedMail {
        loop {
            let first = self.messages.lock().unwrap().pop_front();
            if let Some(lines) = first {
                return ReceivedMail::of(&lines);
            }
            self.arrived.notified().await;
        }
    }

    /// Whether no further mail has arrived.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.lock().unwrap().is_empty()
    }
}

impl ReceivedMail {
    fn of(lines: &[String]) -> Self {
        let subject = lines.iter().find_map(|line| line.strip_prefix("Subject: ")).unwrap();
        let empty = lines.iter().position(String::is_empty).unwrap();
        let recipient = lines[0].trim_start_matches("RCPT TO:<").trim_end_matches('>');
        // Long lines are sent in parts that end with "=" (RFC 2045).
        let body = lines[empty + 1..].join("\n").replace("=\n", "").replace("=3D", "=");
        Self { recipient: recipient.to_owned(), subject: subject.to_owned(), body }
    }
}
