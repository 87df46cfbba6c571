//! A proxy between a console and its cloud that withholds the response to a token refresh.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

const REFRESH: &[u8] = b"users/refresh_token.json";

/// A proxy on a free port.
pub(crate) struct Proxy {
    addr: SocketAddr,
}

impl Proxy {
    /// Starts a proxy for this cloud.
    pub(crate) async fn start(cloud: &str) -> Self {
        let cloud = cloud.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let cloud = TcpStream::connect(&cloud).await.unwrap();
                let ((from_client, to_client), (from_cloud, to_cloud)) = (client.into_split(), cloud.into_split());
                let refreshes = Arc::new(AtomicBool::new(false));
                tokio::spawn(forward_requests(from_client, to_cloud, Arc::clone(&refreshes)));
                tokio::spawn(forward_responses(from_cloud, to_client, refreshes));
            }
        });
        Self { addr }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }
}

async fn forward_requests(mut client: OwnedReadHalf, mut cloud: OwnedWriteHalf, refreshes: Arc<AtomicBool>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = client.read(&mut buffer).await {
        // The client sends the request line in one piece.
        if buffer[..length].windows(REFRESH.len()).any(|window| window == REFRESH) {
            refreshes.store(true, Ordering::SeqCst);
        }
        if cloud.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn forward_responses(mut cloud: OwnedReadHalf, mut client: OwnedWriteHalf, refreshes: Arc<AtomicBool>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = cloud.read(&mut buffer).await {
        if refreshes.load(Ordering::SeqCst) {
            // Never answer; the client waits until its timeout.
            std::future::pending::<()>().await;
        }
        if client.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
