//! A server that can be away: a way to it that is closed and opened again.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A free port that leads to a server.
pub(crate) struct Gate {
    address: SocketAddr,
    server: SocketAddr,
    closed: CancellationToken,
    tasks: TaskTracker,
}

impl Gate {
    pub(crate) async fn open(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let gate = Self { address, server, closed: CancellationToken::new(), tasks: TaskTracker::new() };
        gate.pass(listener);
        gate
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    fn pass(&self, listener: TcpListener) {
        let (server, closed, tasks) = (self.server, self.closed.clone(), self.tasks.clone());
        self.tasks.spawn(async move {
            while let Some(Ok((mut client, _))) = closed.run_until_cancelled(listener.accept()).await {
                let closed = closed.clone();
                tasks.spawn(async move {
                    let mut server = TcpStream::connect(server).await.unwrap();
                    let _ = closed.run_until_cancelled(tokio::io::copy_bidirectional(&mut client, &mut server)).await;
                });
            }
        });
    }

    /// Ends all connections; new ones are refused when this returns.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Opens a closed way again, at the same port.
    pub(crate) fn reopen(&mut self) {
        (self.closed, self.tasks) = (CancellationToken::new(), TaskTracker::new());
        let socket = TcpSocket::new_v4().unwrap();
        // Connections that were cut off still linger there.
        socket.set_reuseaddr(true).unwrap();
        socket.bind(self.address).unwrap();
        self.pass(socket.listen(64).unwrap());
    }
}
