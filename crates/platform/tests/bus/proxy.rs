//! A TCP proxy that can cut its connections.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A proxy on a free port.
pub(crate) struct Proxy {
    pub(crate) addr: SocketAddr,
    open: watch::Sender<bool>,
}

impl Proxy {
    pub(crate) async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let open = watch::Sender::new(true);
        let opened = open.clone();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let mut opened = opened.subscribe();
                tokio::spawn(async move {
                    let forward = async {
                        let mut server = TcpStream::connect(server).await?;
                        copy_bidirectional(&mut client, &mut server).await
                    };
                    tokio::select! {
                        _ = opened.wait_for(|open| !open) => {}
                        _ = forward => {}
                    }
                });
            }
        });
        Self { addr, open }
    }

    /// Closes all connections, and every new one until [`heal`](Self::heal).
    pub(crate) fn cut(&self) {
        self.open.send_replace(false);
    }

    pub(crate) fn heal(&self) {
        self.open.send_replace(true);
    }
}
