//! Where devices come in: accepts connections and passes on that commands wait.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use platform::bus::{Delivery, Subscription};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::registry::Registry;
use super::session::serve;
use crate::devices::commands::SUBJECT;
use crate::devices::link::LinkService;

const MAX_CONNECTIONS: usize = 20_000;
/// Until the next try when a connection could not be accepted, mostly for want of file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// The running device link (docs/device-link.md).
#[derive(Debug)]
pub(crate) struct Gateway {
    local_addr: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// What every connection of a gateway has in common.
pub(super) struct Shared {
    pub(super) service: LinkService,
    pub(super) registry: Arc<Registry>,
    pub(super) stop: CancellationToken,
}

impl Gateway {
    /// Listens; port 0 takes any. Devices that were Online when the last node ended have been swept to Offline before.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub(crate) async fn start(listen: SocketAddr, service: LinkService) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let local_addr = listener.local_addr()?;
        let bus = service.commands();
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let shared = Arc::new(Shared { service, registry: Arc::default(), stop: stop.clone() });
        tasks.spawn(wake(bus, Arc::clone(&shared)));
        tasks.spawn(accept(listener, shared, tasks.clone()));
        tasks.close();
        Ok(Self { local_addr, stop, tasks })
    }

    /// Where devices connect.
    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Closes every connection and waits until all devices are Offline in the database.
    pub(crate) async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, tasks: TaskTracker) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Some(accepted) = shared.stop.run_until_cancelled(listener.accept()).await {
        let stream = match accepted.and_then(|(stream, _)| without_delay(stream)) {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            tracing::warn!("refused a connection: {MAX_CONNECTIONS} are open");
            continue;
        };
        let shared = Arc::clone(&shared);
        tasks.spawn(async move {
            serve(stream, &shared).await;
            drop(permit);
        });
    }
}

fn without_delay(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn wake(mut bus: Subscription, shared: Arc<Shared>) {
    while let Some(Some(delivery)) = shared.stop.run_until_cancelled(bus.next()).await {
        match delivery {
            Delivery::Message { subject, .. } => {
                if let Some(dsn) = subject.strip_prefix(SUBJECT) {
                    shared.registry.wake(dsn);
                }
            }
            Delivery::Resync => shared.registry.wake_all(),
        }
    }
}
