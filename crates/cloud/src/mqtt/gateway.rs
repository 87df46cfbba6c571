//! Accepts connections of devices, and wakes or ends them when the cloud has something for them.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::SignedDuration;
use platform::bus::{Delivery, Subscription};
use platform::http::tls::{Acceptor, Certificate};
use platform::run::supervisor::Supervisor;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::closing::Closing;
use super::health::LinkHealth;
use super::session::serve;
use super::shared::Shared;
use super::slots::Slot;
use crate::config::{LinkLimits, LinkRate};
use crate::devices::commands::SUBJECT;
use crate::devices::link::{LinkService, NewerConnection};

/// Time limit for the TLS handshake and CONNECT together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Delay after a failed accept, usually for lack of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Interval between reads of revocations from the database: an operator's command may run in another process.
const REVOCATION_INTERVAL: Duration = Duration::from_secs(1);

/// Interval between checks for commands that were not sent to connected devices because the notification was lost: for
/// instance, the process that stored the command ended before it could notify.
const LATE_COMMANDS_INTERVAL: Duration = Duration::from_secs(1);
/// Upper bound for the time from issuing a command to its commit, and for the difference between the clocks of nodes.
const LATE_COMMIT: SignedDuration = SignedDuration::from_secs(10);

/// Interval between searches for connections that a newer connection to another node has replaced while the bus was down, and that have
/// sent nothing since.
const REPLACED_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum number of connections that one query compares.
const COMPARED_AT_ONCE: usize = 512;

/// The running device link (docs/device-link.md).
pub(crate) struct Gateway {
    stop: CancellationToken,
    tasks: TaskTracker,
    shared: Arc<Shared>,
}

/// The transport of a listener.
#[derive(Clone)]
enum Transport {
    Plain,
    Tls(Acceptor),
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").finish_non_exhaustive()
    }
}

impl Gateway {
    /// Accepts connections on `plain`, and on `tls` with its certificate.
    pub(crate) fn start(
        plain: Option<TcpListener>,
        tls: Option<(TcpListener, Certificate)>,
        rate: LinkRate,
        limits: LinkLimits,
        service: LinkService,
        health: LinkHealth,
        supervisor: &Supervisor,
    ) -> Self {
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let (commands, newer) = (service.commands(), service.newer_connections());
        let shared = Arc::new(Shared::new(service, rate, limits, health, stop.clone()));

        let supervisor = supervisor.with_stop(stop.clone(), tasks.clone());

        supervisor.spawn("command notifications", wake(commands, Arc::clone(&shared)));
        supervisor.spawn("late commands", send_late_commands(Arc::clone(&shared)));
        supervisor.spawn("replaced connections", end_replaced(newer, Arc::clone(&shared)));
        supervisor.spawn("revocations", revoke(Arc::clone(&shared)));
        if let Some(listener) = plain {
            let accept = accept(listener, Transport::Plain, Arc::clone(&shared), tasks.clone());
            supervisor.spawn("MQTT listener", accept);
        }
        if let Some((listener, certificate)) = tls {
            let accept = accept(listener, Transport::Tls(certificate.acceptor()), Arc::clone(&shared), tasks.clone());
            supervisor.spawn("MQTTS listener", accept);
            let (stop, clock) = (stop.clone(), shared.service.clock());
            supervisor.spawn("certificate renewal", async move {
                stop.run_until_cancelled(certificate.follow("mqtts", clock)).await;
            });
        }
        tasks.close();
        Self { stop, tasks, shared }
    }

    /// Accepts no more connections, closes them one after the other within `spread`, and waits until all devices are Offline in the
    /// database. Returns `false` if the database failed, or has not done so until `deadline`.
    pub(crate) async fn shutdown(self, spread: Duration, deadline: Instant) -> bool {
        let _ = self.shared.closing.set(Closing::begin(self.shared.slots.connected(), spread));
        self.stop.cancel();
        timeout_at(deadline, self.tasks.wait()).await.is_ok() && !self.shared.left_online.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, transport: Transport, shared: Arc<Shared>, tasks: TaskTracker) {
    let listening = shared.health.listening();
    while let Some(accepted) = shared.stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted.and_then(without_delay) {
            Ok(accepted) => accepted,
            Err(error) => {
                listening.failed();
                tracing::warn!(%error, "could not accept a connection");
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let slot = match shared.slots.enter(peer.ip()) {
            Ok(slot) => slot,
            Err(full) => {
                shared.refused(peer.ip(), None, &full);
                continue;
            }
        };
        let (shared, transport) = (Arc::clone(&shared), transport.clone());
        tasks.spawn(async move {
            let (from, deadline) = (peer.ip(), Instant::now() + CONNECT_TIMEOUT);
            match transport {
                Transport::Plain => serve(stream, slot, from, deadline, &shared).await,
                // Boxed, so that connections without TLS do not reserve memory for it.
                Transport::Tls(acceptor) => Box::pin(serve_tls(stream, acceptor, slot, from, deadline, &shared)).await,
            }
        });
    }
}

fn without_delay(accepted: (TcpStream, SocketAddr)) -> io::Result<(TcpStream, SocketAddr)> {
    accepted.0.set_nodelay(true)?;
    Ok(accepted)
}

async fn serve_tls(
    stream: TcpStream,
    acceptor: Acceptor,
    slot: Slot,
    from: IpAddr,
    deadline: Instant,
    shared: &Shared,
) {
    let handshake = timeout_at(deadline, acceptor.accept(stream));
    let handshake = tokio::select! {
        () = shared.stop.cancelled() => None,
        () = slot.closed() => None,
        handshake = handshake => Some(handshake),
    };
    match handshake {
        None => {}
        Some(Ok(Ok(stream))) => serve(stream, slot, from, deadline, shared).await,
        // A port scan or health check.
        Some(Ok(Err(error))) if error.kind() == io::ErrorKind::UnexpectedEof => {}
        Some(Ok(Err(error))) => {
            shared.refused(from, None, &format_args!("no TLS: {error}"));
        }
        Some(Err(_)) => {
            shared.refused(from, None, &"no TLS within 5 seconds");
        }
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

/// Ends connections that a newer connection to another node has replaced.
async fn end_replaced(mut bus: Subscription, shared: Arc<Shared>) {
    let mut next = Instant::now() + REPLACED_INTERVAL;
    while let Some(notified) = shared.stop.run_until_cancelled(timeout_at(next, bus.next())).await {
        match notified {
            Ok(Some(Delivery::Message { subject, payload })) => {
                if let Some(newer) = NewerConnection::read(&subject, &payload) {
                    shared.registry.replace(&newer.dsn, newer.generation);
                }
            }
            Ok(None) => return,
            Ok(Some(Delivery::Resync)) | Err(_) => {
                find_replaced(&shared).await;
                next = Instant::now() + REPLACED_INTERVAL;
            }
        }
    }
}

async fn find_replaced(shared: &Shared) {
    for connections in shared.registry.connections().chunks(COMPARED_AT_ONCE) {
        match shared.service.replaced(connections).await {
            Ok(replaced) => replaced.iter().for_each(|newer| shared.registry.replace(&newer.dsn, newer.generation)),
            Err(error) if error.is_unavailable() => return,
            Err(error) => return tracing::error!(%error, "replaced connections could not be read"),
        }
    }
}

/// Makes connections send commands that they missed.
async fn send_late_commands(shared: Arc<Shared>) {
    let mut since = shared.service.now() - LATE_COMMIT;
    while shared.stop.run_until_cancelled(sleep(LATE_COMMANDS_INTERVAL)).await.is_some() {
        let now = shared.service.now();
        match shared.service.recent_commands(since).await {
            Ok(recent) => {
                recent.into_iter().for_each(|row| shared.registry.check(&row.dsn, row.id));
                since = now - LATE_COMMIT;
            }
            Err(error) if error.is_unavailable() => {}
            Err(error) => tracing::error!(%error, "recent commands could not be read"),
        }
    }
}

/// Ends the connections of devices that were blocked or whose key was changed.
async fn revoke(shared: Arc<Shared>) {
    while shared.stop.run_until_cancelled(sleep(REVOCATION_INTERVAL)).await.is_some() {
        match shared.service.revoked().await {
            Ok(revoked) => revoked.iter().for_each(|row| shared.registry.revoke(&row.dsn, row.revocation)),
            // The database logs its own unavailability once, instead of every second.
            Err(error) if error.is_unavailable() => {}
            Err(error) => tracing::error!(%error, "revoked connections could not be read"),
        }
    }
}
