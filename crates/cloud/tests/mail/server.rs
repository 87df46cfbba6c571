//! A real mail server on loopback: `tools/mail-server`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use platform::mail::{MailCredentials, MailSecurity, MailServer};
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/mail-server");
pub(crate) const USER: &str = "sillage";
pub(crate) const PASSWORD: &str = "hush";

/// A mail server; stopped on drop.
pub(crate) struct Server {
    process: Child,
    /// Its output, read continuously so that it never blocks.
    lines: Receiver<String>,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(PROGRAM).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let printed = BufReader::new(process.stdout.take().unwrap()).lines();
        let (sender, lines) = channel();
        thread::spawn(move || printed.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let port = lines.recv().expect("the mail server starts (`make setup` installs it)");
        Self { process, lines, port: port.parse().unwrap() }
    }

    /// The next message that the server accepts.
    pub(crate) fn next(&self) -> Value {
        serde_json::from_str(&self.lines.recv().unwrap()).unwrap()
    }

    /// Stops the server. Returns the remaining messages.
    pub(crate) fn stop(mut self) -> Vec<Value> {
        self.process.kill().unwrap();
        self.lines.iter().map(|line| serde_json::from_str(&line).unwrap()).collect()
    }

    /// The settings for a connection without encryption and credentials.
    pub(crate) fn plain(&self) -> MailServer {
        MailServer {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            security: MailSecurity::None,
            credentials: None,
            authority: None,
            sender: "Sillage <no-reply@cloud.example.com>".to_owned(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A certificate and key for a mail server on loopback.
pub(crate) struct Certificate {
    folder: TempDir,
    pub(crate) pem: Vec<u8>,
}

impl Certificate {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        std::fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Self { folder, pem: made.cert.pem().into() }
    }

    /// A server with TLS and this certificate.
    pub(crate) fn server(&self, tls: &str, more: &[&str]) -> Server {
        let file = |name: &str| self.folder.path().join(name).display().to_string();
        let (cert, key) = (file("cert.pem"), file("key.pem"));
        Server::start(&[&["--tls", tls, "--cert", &cert, "--key", &key], more].concat())
    }
}

pub(crate) fn credentials(password: &str) -> Option<MailCredentials> {
    Some(MailCredentials { user: USER.to_owned(), password: password.into() })
}
