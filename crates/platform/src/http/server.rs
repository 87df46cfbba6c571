//! Serves HTTP/1 and HTTP/2, plain or over TLS, and closes connections that send no request in time, or of which an address has too
//! many.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request};
use axum::serve::Listener;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use metrics::Counter;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::connection_slots::{ConnectionSlot, ConnectionSlots};
use super::tls::Acceptor;

/// How long a connection may stay open without a request in progress. A request is in progress from the end of its header to the
/// end of its response.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Until the header of its first request is complete, with the TLS handshake.
    pub first_request: Duration,
    /// Between the end of a response and the complete header of the next request.
    pub idle: Duration,
}

/// The requests of a connection.
#[derive(Default)]
struct Requests {
    started: u64,
    in_progress: usize,
}

/// Counts a request as in progress until it is dropped.
struct RequestGuard(watch::Sender<Requests>);

/// A response's body, with which the request ends.
struct GuardedBody {
    body: Body,
    _guard: RequestGuard,
}

impl Default for ConnectionLimits {
    /// Longer than the 60 to 90 seconds after which proxies and the client library close idle connections, so that they do not
    /// send a request on a connection that is being closed.
    fn default() -> Self {
        Self { first_request: Duration::from_secs(10), idle: Duration::from_secs(120) }
    }
}

/// Maximum amount of data that a connection holds for a peer who does not read. Otherwise the kernel accepts several megabytes,
/// and a long list is read and encoded for a caller who never reads it.
#[cfg(target_os = "linux")]
const MAX_UNSENT: u32 = 128 * 1024;

/// Delay before a refused connection is closed. Otherwise a client that connects again immediately could keep the node busy.
const REFUSAL_DELAY: Duration = Duration::from_millis(250);
/// Maximum number of refused connections that stay open for that time; further ones are closed immediately.
const DELAYED_REFUSALS: usize = 1_000;

/// Serves until `stopping` is cancelled, and then until the requests in progress have ended; over TLS if `tls` is given. Connections
/// without a slot are closed. Handlers find the peer's address as [`ConnectInfo`].
pub async fn serve(
    mut listener: TcpListener,
    tls: Option<Acceptor>,
    app: Router,
    slots: ConnectionSlots,
    limits: ConnectionLimits,
    stopping: CancellationToken,
) {
    let connections = TaskTracker::new();
    let refusals = Arc::new(Semaphore::new(DELAYED_REFUSALS));
    while let Some((io, peer)) = stopping.run_until_cancelled(Listener::accept(&mut listener)).await {
        let Some(slot) = slots.take(peer.ip()) else {
            refused_connections().increment(1);
            if let Ok(permit) = Arc::clone(&refusals).try_acquire_owned() {
                connections.spawn(close_late(io, permit, stopping.clone()));
            }
            continue;
        };
        // An event of a stream must not wait until the one before it has been acknowledged.
        if let Err(error) = io.set_nodelay(true) {
            tracing::debug!(%error, "small packets of a connection are delayed");
        }
        limit_unsent(&io);
        let (app, stopping) = (app.clone(), stopping.clone());
        match tls.clone() {
            None => connections.spawn(with_slot(slot, serve_connection(io, peer, app, limits, stopping))),
            Some(tls) => connections.spawn(with_slot(slot, serve_tls(io, tls, peer, app, limits, stopping))),
        };
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Counts connections that were closed without a response.
pub(crate) fn refused_connections() -> Counter {
    metrics::counter!("sillage_http_connections_refused_total")
}

async fn close_late(_io: TcpStream, _permit: OwnedSemaphorePermit, stopping: CancellationToken) {
    stopping.run_until_cancelled(sleep(REFUSAL_DELAY)).await;
}

async fn with_slot(_slot: ConnectionSlot, serving: impl Future<Output = ()>) {
    serving.await;
}

/// Limits the data that are written but not yet sent; data in flight are not limited, so that long distances do not slow it down.
#[cfg(target_os = "linux")]
fn limit_unsent(io: &TcpStream) {
    if let Err(error) = SockRef::from(io).set_tcp_notsent_lowat(MAX_UNSENT) {
        tracing::debug!(%error, "the unsent data of a connection are not limited");
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_unsent(_: &TcpStream) {}

async fn serve_tls<Io>(
    io: Io,
    tls: Acceptor,
    peer: SocketAddr,
    app: Router,
    limits: ConnectionLimits,
    stopping: CancellationToken,
) where
    Io: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let began = Instant::now();
    let handshake = timeout(limits.first_request, tls.accept(io));
    match stopping.run_until_cancelled(handshake).await {
        Some(Ok(Ok(io))) => {
            let first_request = limits.first_request.saturating_sub(began.elapsed());
            serve_connection(io, peer, app, ConnectionLimits { first_request, ..limits }, stopping).await;
        }
        Some(Ok(Err(error))) => tracing::debug!(%error, "a connection ended in the TLS handshake"),
        Some(Err(_)) | None => {}
    }
}

async fn serve_connection<Io>(
    io: Io,
    peer: SocketAddr,
    app: Router,
    limits: ConnectionLimits,
    stopping: CancellationToken,
) where
    Io: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (requests, watch) = watch::channel(Requests::default());
    let service = tower::service_fn(move |request: Request<Incoming>| {
        let guard = RequestGuard::new(requests.clone());
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        let response = app.clone().oneshot(request);
        async move { Ok::<_, Infallible>(response.await?.map(|body| GuardedBody { body, _guard: guard })) }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    // For WebSockets over HTTP/2.
    builder.http2().enable_connect_protocol();
    let mut connection =
        pin!(builder.serve_connection_with_upgrades(TokioIo::new(io), TowerToHyperService::new(service)));
    let mut idle = pin!(wait_until_idle(watch, limits));
    let mut stop = pin!(stopping.cancelled());
    let mut is_stopping = false;
    loop {
        tokio::select! {
            result = connection.as_mut() => {
                if let Err(error) = result {
                    tracing::trace!(%error, "a connection ended with an error");
                }
                return;
            }
            () = &mut idle => return,
            () = &mut stop, if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Resolves when the connection has had no request in progress for longer than its limit.
async fn wait_until_idle(mut requests: watch::Receiver<Requests>, limits: ConnectionLimits) {
    let (mut limit, mut seen) = (limits.first_request, 0);
    loop {
        let started = timeout(limit, requests.wait_for(|requests| requests.started != seen)).await.map(drop);
        if started.is_err() {
            return;
        }
        let Ok(ended) = requests.wait_for(|requests| requests.in_progress == 0).await else { return };
        (limit, seen) = (limits.idle, ended.started);
        drop(ended);
    }
}

impl RequestGuard {
    fn new(requests: watch::Sender<Requests>) -> Self {
        requests.send_modify(|requests| {
            requests.started += 1;
            requests.in_progress += 1;
        });
        Self(requests)
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.send_modify(|requests| requests.in_progress -= 1);
    }
}

impl HttpBody for GuardedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::{get, post};
    use futures::stream;
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;
    use crate::run::clock::Clock;

    const LIMITS: ConnectionLimits =
        ConnectionLimits { first_request: Duration::from_secs(10), idle: Duration::from_secs(75) };
    const REQUEST: &[u8] = b"GET /quick HTTP/1.1\r\nhost: a\r\n\r\n";

    fn slots(max: usize) -> ConnectionSlots {
        ConnectionSlots::with_max(max, Vec::new(), &Clock::system())
    }

    struct Connection {
        client: DuplexStream,
        stopping: CancellationToken,
        opened: Instant,
    }

    impl Connection {
        fn open() -> Self {
            let slow = || async {
                tokio::time::sleep(Duration::from_secs(200)).await;
                "late"
            };
            let app = Router::new()
                .route("/quick", get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.to_string()))
                .route("/echo", post(async |body: String| body))
                .route("/slow", get(slow))
                .route("/endless", get(async || Body::from_stream(stream::pending::<Result<Bytes, Infallible>>())));
            let (client, server) = duplex(64 * 1024);
            let (peer, stopping) = ("192.0.2.7:4711".parse().unwrap(), CancellationToken::new());
            tokio::spawn(serve_connection(server, peer, app, LIMITS, stopping.clone()));
            Self { client, stopping, opened: Instant::now() }
        }

        async fn send(&mut self, data: &[u8]) {
            self.client.write_all(data).await.unwrap();
        }

        async fn read(&mut self) -> String {
            let mut data = [0; 4096];
            let length = self.client.read(&mut data).await.unwrap();
            String::from_utf8_lossy(&data[..length]).into_owned()
        }

        /// The seconds from the opening until the server closes the connection.
        async fn closed(&mut self) -> u64 {
            while !self.read().await.is_empty() {}
            self.opened.elapsed().as_secs()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn connection_without_a_complete_header_is_closed() {
        for part in
            ["", "G", "GET /quick HTTP/1.1\r\nhost: a\r\n", "PRI * HTTP/2.0\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
        {
            let mut connection = Connection::open();
            connection.send(part.as_bytes()).await;
            assert_eq!(connection.closed().await, 10, "{part:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_that_keep_coming_do_not_extend_the_time_for_a_header() {
        let mut connection = Connection::open();
        connection.send(b"GET /quick HTTP/1.1\r\n").await;
        for _ in 0..9 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            connection.send(b"x: y\r\n").await;
        }
        assert_eq!(connection.closed().await, 10);
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connection_is_closed_after_its_last_response() {
        let mut connection = Connection::open();
        for _ in 0..3 {
            connection.send(REQUEST).await;
            let answer = connection.read().await;
            assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("192.0.2.7:4711"), "{answer}");
            assert!(answer.contains("content-length: 14"), "{answer}");
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        connection.send(b"GET /quick HTTP/1.1\r\n").await;
        assert_eq!(connection.closed().await, 120 + 75);
    }

    #[tokio::test(start_paused = true)]
    async fn request_in_progress_keeps_its_connection() {
        let mut connection = Connection::open();
        connection.send(b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
        assert!(connection.read().await.ends_with("late"));
        assert_eq!(connection.closed().await, 200 + 75);

        let mut connection = Connection::open();
        connection.send(b"GET /endless HTTP/1.1\r\nhost: a\r\n\r\n").await;
        assert!(connection.read().await.starts_with("HTTP/1.1 200"));
        assert!(timeout(Duration::from_secs(3600), connection.read()).await.is_err(), "still open");
    }

    #[tokio::test]
    async fn connection_without_a_slot_is_closed_and_the_next_one_after_it_is_served() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _recording = metrics::set_default_local_recorder(&recorder);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (addr, stopping) = (listener.local_addr().unwrap(), CancellationToken::new());
        let app = Router::new().route("/quick", get(async || "here"));
        let server = tokio::spawn(serve(listener, None, app, slots(2), LIMITS, stopping.clone()));
        let answer = async || {
            let mut client = TcpStream::connect(addr).await.unwrap();
            client.write_all(b"GET /quick HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
            let mut answer = String::new();
            // Closed with unread data, so perhaps reset.
            let _ = client.read_to_string(&mut answer).await;
            answer
        };
        let held = TcpStream::connect(addr).await.unwrap();
        assert_eq!(answer().await, "");
        let recorded = recorder.handle().render();
        assert!(recorded.lines().any(|line| line == "sillage_http_connections_refused_total 1"), "{recorded}");
        drop(held);
        while !answer().await.ends_with("here") {}
        stopping.cancel();
        server.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn stop_ends_idle_connections_at_once_and_others_with_their_response() {
        let mut idle = Connection::open();
        idle.send(REQUEST).await;
        idle.read().await;
        idle.stopping.cancel();
        assert_eq!(idle.closed().await, 0);

        let mut busy = Connection::open();
        busy.send(b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        busy.stopping.cancel();
        assert!(busy.read().await.ends_with("late"));
        assert_eq!(busy.closed().await, 200);
    }

    /// The bytes of an endless response that the server produces for a client that does not read.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn endless_response_stops_when_its_client_does_not_read() {
        use std::sync::atomic::{AtomicU32, Ordering};

        let (produced, piece) = (Arc::new(AtomicU32::new(0)), Bytes::from(vec![0; 64 * 1024]));
        let body = stream::repeat_with({
            let produced = produced.clone();
            move || {
                produced.fetch_add(64 * 1024, Ordering::Relaxed);
                Ok::<_, Infallible>(piece.clone())
            }
        });
        let endless = get(move || {
            let body = Body::from_stream(body.clone());
            async { body }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stopping) = (listener.local_addr().unwrap(), CancellationToken::new());
        tokio::spawn(serve(listener, None, Router::new().route("/endless", endless), slots(100), LIMITS, stopping));
        // A small buffer, so that the kernel does not receive data that nobody reads.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut client = socket.connect(address).await.unwrap();
        client.write_all(b"GET /endless HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        client.read_exact(&mut [0; 64]).await.unwrap();
        let mut before = 0;
        while before != produced.load(Ordering::Relaxed) {
            before = produced.load(Ordering::Relaxed);
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        }
        assert!(before < 1024 * 1024, "{before} bytes");
    }

    #[tokio::test]
    async fn server_accepts_connections_until_it_is_stopped() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stopping) = (listener.local_addr().unwrap(), CancellationToken::new());
        let app = Router::new().route("/quick", get(async || "here"));
        let server = tokio::spawn(serve(listener, None, app, slots(100), LIMITS, stopping.clone()));
        let mut client = tokio::net::TcpStream::connect(address).await.unwrap();
        client.write_all(b"GET /quick HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        stopping.cancel();
        server.await.unwrap();
    }
}
