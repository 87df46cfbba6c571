//! The way between a diffuser and its cloud, which can be cut.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) struct Wire {
    near: SocketAddr,
    far: SocketAddr,
    carrying: JoinHandle<()>,
}

impl Wire {
    pub(crate) async fn to(far: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let near = listener.local_addr().unwrap();
        Self { near, far, carrying: tokio::spawn(carry(listener, far)) }
    }

    pub(crate) fn near(&self) -> SocketAddr {
        self.near
    }

    /// Both ends lose their connection, and no new one is made until it is mended.
    pub(crate) async fn cut(&mut self) {
        self.carrying.abort();
        assert!((&mut self.carrying).await.unwrap_err().is_cancelled());
    }

    pub(crate) async fn mend(&mut self) {
        let listener = TcpListener::bind(self.near).await.unwrap();
        self.carrying = tokio::spawn(carry(listener, self.far));
    }
}

/// One connection at a time: a single diffuser needs no more.
async fn carry(listener: TcpListener, far: SocketAddr) {
    loop {
        let (mut device, _) = listener.accept().await.unwrap();
        let mut cloud = TcpStream::connect(far).await.unwrap();
        let _ = copy_bidirectional(&mut device, &mut cloud).await;
    }
}
