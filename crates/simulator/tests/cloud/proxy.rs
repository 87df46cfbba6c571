//! A TCP proxy between a diffuser and its cloud that can be closed and reopened.

use std::net::SocketAddr;

use platform::testing::own_address;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) struct Proxy {
    address: SocketAddr,
    server: SocketAddr,
    task: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((own_address(), 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        Self { address, server, task: tokio::spawn(forward(listener, server)) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes the connection, and rejects new ones until [`reopen`](Self::reopen).
    pub(crate) async fn close(&mut self) {
        self.task.abort();
        assert!((&mut self.task).await.unwrap_err().is_cancelled());
    }

    pub(crate) async fn reopen(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.task = tokio::spawn(forward(listener, self.server));
    }
}

/// Forwards one connection at a time, which is enough for a single diffuser.
async fn forward(listener: TcpListener, server: SocketAddr) {
    loop {
        let (mut device, _) = listener.accept().await.unwrap();
        let mut cloud = TcpStream::connect(server).await.unwrap();
        let _ = copy_bidirectional(&mut device, &mut cloud).await;
    }
}
