//! A real mail server: `tools/mail-server`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

use crate::mail::{MailSecurity, MailServer};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/mail-server");

/// A mail server on a loopback address; killed on drop. It rejects the recipient `nobody` permanently and `full` temporarily, at any
/// domain.
#[derive(Debug)]
pub struct TestMailServer {
    process: Child,
    /// Its output, read continuously so that it never blocks.
    lines: Receiver<String>,
    /// Its port.
    pub port: u16,
}

impl TestMailServer {
    /// Starts the program with these arguments, by default on any free port.
    ///
    /// # Panics
    /// Panics if the program does not start, so that its absence fails the test.
    #[must_use]
    pub fn start(arguments: &[&str]) -> Self {
        let process = Command::new(PROGRAM).args(arguments).stdout(Stdio::piped()).spawn();
        let mut process = process.expect("tools/mail-server");
        let printed = BufReader::new(process.stdout.take().expect("its output")).lines();
        let (sender, lines) = channel();
        thread::spawn(move || printed.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let port = lines.recv().expect("the mail server starts (`make setup` installs it)");
        Self { process, lines, port: port.parse().expect("a port") }
    }

    /// The settings for a connection without encryption and credentials.
    #[must_use]
    pub fn plain(&self) -> MailServer {
        MailServer {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            security: MailSecurity::None,
            credentials: None,
            authority: None,
            sender: "Sillage <no-reply@cloud.example.com>".to_owned(),
        }
    }

    /// Waits for the next message that the server accepts.
    ///
    /// # Panics
    /// Panics if the server ends.
    #[must_use]
    pub fn next(&self) -> Value {
        parse(&self.lines.recv().expect("a message"))
    }

    /// Waits for the next message that the server accepts. Returns its first recipient.
    ///
    /// # Panics
    /// Panics if the server ends.
    #[must_use]
    pub fn next_recipient(&self) -> String {
        self.next()["to"][0].as_str().expect("an address").to_owned()
    }

    /// Stops the server. Returns the remaining messages.
    ///
    /// # Panics
    /// Panics if the server has ended.
    pub fn stop(mut self) -> Vec<Value> {
        self.process.kill().expect("the mail server runs");
        self.lines.iter().map(|line| parse(&line)).collect()
    }
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("a message")
}

impl Drop for TestMailServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
