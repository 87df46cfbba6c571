//! A real mail server on loopback: `tools/mail-server`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/mail-server");

/// A mail server that accepts every message; killed on drop.
pub(crate) struct MailServer {
    process: Child,
    lines: Receiver<String>,
    pub(crate) port: String,
}

impl MailServer {
    /// Starts the server with these options, by default on any free port.
    pub(crate) fn start(options: &[&str]) -> Self {
        let mut process = Command::new(PROGRAM).args(options).stdout(Stdio::piped()).spawn().unwrap();
        let printed = BufReader::new(process.stdout.take().unwrap()).lines();
        let (sender, lines) = channel();
        thread::spawn(move || printed.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let port = lines.recv().expect("the mail server starts (`make setup` installs it)");
        Self { process, lines, port }
    }

    /// Waits for the next message and returns its recipient.
    pub(crate) fn next_recipient(&self) -> String {
        let message: Value = serde_json::from_str(&self.lines.recv().unwrap()).unwrap();
        message["to"][0].as_str().unwrap().to_owned()
    }

    /// Stops the server and returns the number of messages that were not read yet.
    pub(crate) fn stop(mut self) -> usize {
        self.process.kill().unwrap();
        self.lines.iter().count()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
