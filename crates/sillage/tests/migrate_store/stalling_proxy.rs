//! A proxy in front of PostgreSQL that withholds a statement, so that a process can be killed in the middle of its work.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A proxy on a free port.
pub(crate) struct StallingProxy {
    addr: SocketAddr,
    stalled: Arc<Notify>,
}

impl StallingProxy {
    /// Starts a proxy for the server of this database. It forwards nothing more once a client sends `statement`.
    pub(crate) async fn start(database: &str, statement: &'static [u8]) -> Self {
        let server = server(database).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let stalled = Arc::new(Notify::new());
        let notify = Arc::clone(&stalled);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                let ((from_client, mut to_client), (mut from_server, to_server)) =
                    (client.into_split(), server.into_split());
                tokio::spawn(forward_statements(from_client, to_server, statement, Arc::clone(&notify)));
                tokio::spawn(async move { copy(&mut from_server, &mut to_client).await });
            }
        });
        Self { addr, stalled }
    }

    /// The database at this URL, through the proxy.
    pub(crate) fn url(&self, database: &str) -> String {
        database.replace(server(database), &self.addr.to_string())
    }

    /// Waits until a client has sent the statement.
    pub(crate) async fn stalled(&self) {
        self.stalled.notified().await;
    }
}

/// `HOST:PORT` of `postgres://USER@HOST:PORT/NAME`.
fn server(database: &str) -> &str {
    database.split('@').nth(1).unwrap().split('/').next().unwrap()
}

async fn forward_statements(
    mut client: OwnedReadHalf,
    mut server: OwnedWriteHalf,
    statement: &[u8],
    stalled: Arc<Notify>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = client.read(&mut buffer).await {
        // A client sends a statement in one piece.
        if buffer[..length].windows(statement.len()).any(|window| window == statement) {
            stalled.notify_one();
            // Keeps the connection until the client ends.
            while let Ok(1..) = client.read(&mut buffer).await {}
            return;
        }
        if server.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
