//! The servers that several nodes need besides NATS, each private to one test and stopped on drop.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use platform::testing::own_address;
use tokio::net::TcpStream;

const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools");

/// Addresses on which nothing listens.
pub(crate) fn free_addresses<const N: usize>() -> [SocketAddr; N] {
    // All are held at the same time: a port that has been released can be given again.
    let listeners = [(); N].map(|()| TcpListener::bind((own_address(), 0)).unwrap());
    listeners.map(|listener| listener.local_addr().unwrap())
}

/// PostgreSQL, started by `tools/with-postgres`, which also removes it.
pub(crate) struct Postgres {
    owner: Child,
    pub(crate) url: String,
    control: String,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        // The server lives until this process closes the pipe, even if it is killed.
        let script = "echo $SILLAGE_TEST_POSTGRES; echo $SILLAGE_TEST_POSTGRES_CONTROL; exec cat";
        let mut command = Command::new(format!("{TOOLS}/with-postgres"));
        let pipes = command.args(["sh", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut owner = pipes.spawn().unwrap();
        let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        let mut line = || lines.next().expect("PostgreSQL starts").unwrap();
        Self { url: line(), control: line(), owner }
    }

    /// Ends the server as a crash would, and starts it again.
    pub(crate) fn crash_and_restart(&self) {
        assert!(Command::new(&self.control).args(["restart", "-m", "immediate"]).status().unwrap().success());
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.owner.stdin.take());
        let _ = self.owner.wait();
    }
}

/// The addresses of two nodes, and that of the balancer in front of them.
pub(crate) struct Balanced {
    pub(crate) front: SocketAddr,
    pub(crate) nodes: [SocketAddr; 2],
}

/// HAProxy with the configuration of `make cluster`.
pub(crate) struct Balancer(Child);

impl Balancer {
    pub(crate) async fn start(folder: &Path, consoles: &Balanced, clouds: &Balanced, links: &Balanced) -> Self {
        // Debian's folder of servers is not on every user's path.
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap());
        let mut command = Command::new("haproxy");
        // `-dW` refuses a configuration with warnings: HAProxy ignores settings that are in the wrong place.
        command.args(["-db", "-dW", "-f", &format!("{TOOLS}/balancer.cfg")]).env("PATH", path).stderr(Stdio::null());
        command.env("BALANCER_SOCKET", folder.join("balancer"));
        for (kind, balanced) in [("CONSOLE", consoles), ("CLOUD", clouds), ("LINK", links)] {
            command.env(format!("BALANCER_{kind}"), balanced.front.to_string());
            for (name, node) in ["A", "B"].iter().zip(&balanced.nodes) {
                command.env(format!("{kind}_{name}"), node.to_string());
            }
        }
        let mut balancer = Self(command.spawn().expect("haproxy is missing: run `make setup`"));
        while TcpStream::connect(consoles.front).await.is_err() {
            assert!(balancer.0.try_wait().unwrap().is_none(), "haproxy ended");
        }
        balancer
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
