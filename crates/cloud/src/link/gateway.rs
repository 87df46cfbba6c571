//! Where devices come in: accepts connections and passes on that something waits for them.

use std::fmt::Display;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use platform::bus::{Delivery, Subscription};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::refusals::{Claim, Refusals};
use super::registry::Registry;
use super::session::serve;
use super::tls::{Acceptor, Certificate};
use crate::config::LinkRate;
use crate::devices::commands::SUBJECT;
use crate::devices::link::LinkService;

const MAX_CONNECTIONS: usize = 20_000;
/// For TLS and CONNECT together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Until the next try when a connection could not be accepted, mostly for want of file descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// How often revocations are looked for: an operator's command may have come from another process.
const REVOCATION_INTERVAL: Duration = Duration::from_secs(1);

/// The running device link (docs/device-link.md).
#[derive(Debug)]
pub(crate) struct Gateway {
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// What every connection of a gateway has in common.
pub(super) struct Shared {
    pub(super) service: LinkService,
    pub(super) registry: Arc<Registry>,
    pub(super) refusals: Refusals,
    /// One at a time of those whose address is refused all the time may ask the database.
    pub(super) suspects: Semaphore,
    pub(super) rate: LinkRate,
    pub(super) stop: CancellationToken,
    room: Arc<Semaphore>,
}

/// How a connection begins.
#[derive(Clone)]
enum Door {
    Plain,
    Tls(watch::Receiver<Acceptor>),
}

impl Gateway {
    /// Takes connections from `plain`, and those of `tls` with their certificate. Devices that were Online when the last
    /// node ended have been swept to Offline before.
    pub(crate) fn start(
        plain: Option<TcpListener>,
        tls: Option<(TcpListener, Certificate)>,
        rate: LinkRate,
        service: LinkService,
    ) -> Self {
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let bus = service.commands();
        let shared = Arc::new(Shared {
            service,
            registry: Arc::default(),
            refusals: Refusals::new(),
            suspects: Semaphore::new(1),
            rate,
            stop: stop.clone(),
            room: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        });
        tasks.spawn(wake(bus, Arc::clone(&shared)));
        tasks.spawn(revoke(Arc::clone(&shared)));
        if let Some(listener) = plain {
            tasks.spawn(accept(listener, Door::Plain, Arc::clone(&shared), tasks.clone()));
        }
        if let Some((listener, certificate)) = tls {
            tasks.spawn(accept(listener, Door::Tls(certificate.acceptor()), shared, tasks.clone()));
            tasks.spawn(stop.clone().run_until_cancelled_owned(certificate.follow()));
        }
        tasks.close();
        Self { stop, tasks }
    }

    /// Closes every connection and waits until all devices are Offline in the database.
    pub(crate) async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

impl Shared {
    /// Logs that a connection or a packet was refused, unless that happens all the time.
    pub(super) fn refused(&self, from: IpAddr, who: Option<(&str, Claim)>, reason: &dyn Display) {
        let (dsn, claim) = who.unzip();
        if self.refusals.count(from, claim) {
            tracing::warn!(address = %from, dsn, %reason, "refused a device");
        }
    }
}

async fn accept(listener: TcpListener, door: Door, shared: Arc<Shared>, tasks: TaskTracker) {
    while let Some(accepted) = shared.stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted.and_then(without_delay) {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&shared.room).try_acquire_owned() else {
            shared.refused(peer.ip(), None, &format_args!("{MAX_CONNECTIONS} connections are open"));
            continue;
        };
        let (shared, door) = (Arc::clone(&shared), door.clone());
        tasks.spawn(async move {
            let (from, deadline) = (peer.ip(), Instant::now() + CONNECT_TIMEOUT);
            match door {
                Door::Plain => serve(stream, from, deadline, &shared).await,
                // In a box: connections without TLS need not hold room for it.
                Door::Tls(acceptor) => Box::pin(serve_tls(stream, acceptor, from, deadline, &shared)).await,
            }
            drop(permit);
        });
    }
}

fn without_delay((stream, peer): (TcpStream, SocketAddr)) -> io::Result<(TcpStream, SocketAddr)> {
    stream.set_nodelay(true)?;
    Ok((stream, peer))
}

async fn serve_tls(
    stream: TcpStream,
    acceptor: watch::Receiver<Acceptor>,
    from: IpAddr,
    deadline: Instant,
    shared: &Shared,
) {
    let Acceptor(acceptor) = acceptor.borrow().clone();
    let handshake = timeout_at(deadline, acceptor.accept(stream));
    match shared.stop.run_until_cancelled(handshake).await {
        None => {}
        Some(Ok(Ok(stream))) => serve(stream, from, deadline, shared).await,
        // Somebody who only looked whether the port is open.
        Some(Ok(Err(error))) if error.kind() == io::ErrorKind::UnexpectedEof => {}
        Some(Ok(Err(error))) => shared.refused(from, None, &format_args!("no TLS: {error}")),
        Some(Err(_)) => shared.refused(from, None, &"no TLS within 10 seconds"),
    }
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

/// Ends the connections of devices that were blocked or given another key.
async fn revoke(shared: Arc<Shared>) {
    while shared.stop.run_until_cancelled(sleep(REVOCATION_INTERVAL)).await.is_some() {
        match shared.service.revoked().await {
            Ok(revoked) => revoked.iter().for_each(|row| shared.registry.revoke(&row.dsn, row.revocation)),
            // The database logs once that it is not available, not every second.
            Err(error) if error.is_unavailable() => {}
            Err(error) => tracing::error!(%error, "revoked connections could not be read"),
        }
    }
}
