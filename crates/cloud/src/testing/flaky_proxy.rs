use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A proxy between clients and a cloud that breaks connections, also in the middle of a message.
#[derive(Debug)]
pub struct FlakyProxy {
    address: SocketAddr,
    breaks: Arc<AtomicUsize>,
    _stop: DropGuard,
}

impl FlakyProxy {
    /// Forwards to `cloud`. `budget` returns for each connection how many bytes from the cloud it forwards before it
    /// breaks; `None` for no limit.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn to(cloud: SocketAddr, mut budget: impl FnMut() -> Option<u64> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (breaks, stop) = (Arc::<AtomicUsize>::default(), CancellationToken::new());
        let counter = breaks.clone();
        let carry_all = async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(carry(client, cloud, budget(), counter.clone()));
                while connections.try_join_next().is_some() {}
            }
        };
        tokio::spawn(stop.clone().run_until_cancelled_owned(carry_all));
        Self { address, breaks, _stop: stop.drop_guard() }
    }

    /// Base URL, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The number of broken connections.
    #[must_use]
    pub fn breaks(&self) -> usize {
        self.breaks.load(Ordering::SeqCst)
    }
}

async fn carry(client: TcpStream, cloud: SocketAddr, budget: Option<u64>, breaks: Arc<AtomicUsize>) {
    let Ok(cloud) = TcpStream::connect(cloud).await else { return };
    let ((mut from_client, mut to_client), (from_cloud, mut to_cloud)) = (client.into_split(), cloud.into_split());
    let mut from_cloud = from_cloud.take(budget.unwrap_or(u64::MAX));
    let down = async {
        let carried = copy(&mut from_cloud, &mut to_client).await;
        if budget.is_some() && from_cloud.limit() == 0 {
            breaks.fetch_add(1, Ordering::SeqCst);
        }
        carried
    };
    tokio::select! {
        _ = copy(&mut from_client, &mut to_cloud) => {}
        _ = down => {}
    }
}
