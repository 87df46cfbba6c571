//! A private NATS server.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

use super::own_address;

/// A NATS server on a free port of this process's loopback address; killed on drop.
#[derive(Debug)]
pub struct NatsServer {
    child: Option<Child>,
    address: SocketAddr,
    arguments: Vec<String>,
    folder: TempDir,
}

impl NatsServer {
    /// Starts a server without sign-in and TLS.
    ///
    /// # Panics
    /// Panics if there is no `nats-server`, so that its absence fails the test.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(|_| Vec::new())
    }

    /// Starts a server with further arguments, which may name files in the given temporary folder.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    #[must_use]
    pub fn start_with(arguments: impl FnOnce(&Path) -> Vec<String>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let arguments = arguments(folder.path());
        // The server takes a free port.
        let mut server = Self { child: None, address: (own_address(), 0).into(), arguments, folder };
        server.run("-1");
        server
    }

    /// Where the server listens, also after a restart.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for `--bus`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Kills the server.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts the stopped server again, on the same port.
    ///
    /// # Panics
    /// Panics if it does not start.
    pub fn restart(&mut self) {
        self.stop();
        self.run(&self.address.port().to_string());
    }

    fn run(&mut self, port: &str) {
        let spawn = |program: &str| {
            Command::new(program)
                .args(["--addr", &self.address.ip().to_string(), "--port", port])
                .args(&self.arguments)
                .current_dir(&self.folder)
                .stderr(Stdio::piped())
                .spawn()
        };
        // Debian's folder of servers is not on every user's path.
        let mut child = spawn("nats-server")
            .or_else(|_| spawn("/usr/sbin/nats-server"))
            .expect("nats-server is missing: run `make setup`");
        let mut log = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
        let mut lines = Vec::new();
        for line in log.by_ref() {
            if let Some((_, address)) = line.split_once("client connections on ") {
                self.address = address.trim().parse().expect("an address");
            }
            let is_ready = line.contains("Server is ready");
            lines.push(line);
            if is_ready {
                self.child = Some(child);
                thread::spawn(move || log.for_each(drop));
                return;
            }
        }
        let _ = child.wait();
        assert!(self.child.is_some(), "nats-server ended: {}", lines.join("\n"));
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.stop();
    }
}
