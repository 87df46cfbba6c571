//! A TCP proxy that can be closed and reopened, which makes its server unreachable.

use std::net::SocketAddr;

use platform::testing::own_address;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A TCP proxy on a free port.
pub(crate) struct Gate {
    address: SocketAddr,
    server: SocketAddr,
    closed: CancellationToken,
    tasks: TaskTracker,
}

impl Gate {
    pub(crate) async fn open(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((own_address(), 0)).await.unwrap();
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

    /// Closes all connections. New ones are refused once this returns.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Accepts connections again, on the same port.
    pub(crate) fn reopen(&mut self) {
        (self.closed, self.tasks) = (CancellationToken::new(), TaskTracker::new());
        let socket = TcpSocket::new_v4().unwrap();
        // Closed connections may still occupy the port.
        socket.set_reuseaddr(true).unwrap();
        socket.bind(self.address).unwrap();
        self.pass(socket.listen(64).unwrap());
    }
}
