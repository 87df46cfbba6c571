//! The connection task over sockets in memory, with a paused clock.

mod frames;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::channel::mpsc;
use futures::{SinkExt, StreamExt};
use serde_json::json;
use tokio::time::Instant;

use super::connector::{Connector, Socket};
use super::{Backoff, RECONNECT_DELAY, StreamEvent, StreamHandle};
use crate::clock::Jitter;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;

const SECOND: Duration = Duration::from_secs(1);

/// The other end of a socket.
struct Peer {
    frames: mpsc::UnboundedSender<String>,
    answers: mpsc::UnboundedReceiver<String>,
}

fn pair() -> (Socket, Peer) {
    let (frames, incoming) = mpsc::unbounded();
    let (sent, answers) = mpsc::unbounded();
    let outgoing = sent.sink_map_err(|_| ());
    (Socket { incoming: Box::pin(incoming), outgoing: Box::pin(outgoing) }, Peer { frames, answers })
}

/// Returns the planned sockets and records the time of each call; fails once the plan is used up.
#[derive(Clone)]
struct FakeConnector {
    plan: Arc<Mutex<VecDeque<Result<Socket>>>>,
    calls: Arc<Mutex<Vec<Instant>>>,
}

impl FakeConnector {
    fn new(plan: impl IntoIterator<Item = Result<Socket>>) -> Self {
        Self { plan: Arc::new(Mutex::new(plan.into_iter().collect())), calls: Arc::default() }
    }

    /// A stream without jitter.
    fn open(&self) -> StreamHandle {
        self.open_with(0.0)
    }

    fn open_with(&self, fraction: f64) -> StreamHandle {
        let backoff = Backoff { first: RECONNECT_DELAY, jitter: Jitter::fixed(fraction) };
        StreamHandle::start(Arc::new(self.clone()), backoff)
    }

    /// The delays between the attempts to connect, in milliseconds.
    fn delays(&self) -> Vec<u128> {
        let calls = self.calls.lock().unwrap();
        calls.windows(2).map(|pair| (pair[1] - pair[0]).as_millis()).collect()
    }

    fn calls(&self) -> usize {
        self.calls.lock().unwrap().len()
    }
}

impl Connector for FakeConnector {
    fn connect(&self) -> BoxFuture<'_, Result<Socket>> {
        self.calls.lock().unwrap().push(Instant::now());
        let next = self.plan.lock().unwrap().pop_front();
        Box::pin(async { next.unwrap_or_else(|| Err(unreachable())) })
    }
}

fn unreachable() -> Error {
    Error::new(ErrorKind::Network, "no route")
}

fn rejected(status: u16, retry_after: Option<u64>) -> Error {
    let error = Error::new(ErrorKind::Server, format!("status {status}")).with_status(status);
    error.with_retry_after(retry_after.map(Duration::from_secs))
}

fn event(seq: u64) -> String {
    let json = json!({"seq": seq.to_string(), "metadata": {"dsn": "A", "event_type": "connectivity"}, "connection": {"status": "Online"}});
    let text = json.to_string();
    format!("{}|{text}", text.len())
}

async fn seen(handle: &mut StreamHandle) -> &'static str {
    match handle.next().await {
        Some(StreamEvent::Connected) => "connected",
        Some(StreamEvent::Disconnected) => "disconnected",
        Some(StreamEvent::Gap) => "gap",
        Some(StreamEvent::ConnectFailed(_)) => "failed",
        Some(StreamEvent::GaveUp(_)) => "gave up",
        Some(StreamEvent::Connectivity { .. }) => "event",
        Some(_) => "other",
        None => "end",
    }
}

#[tokio::test(start_paused = true)]
async fn lost_stream_reconnects_after_3_seconds() {
    let ((first, peer), (second, _other)) = (pair(), pair());
    let connector = FakeConnector::new([Ok(first), Ok(second)]);
    let mut handle = connector.open();
    assert_eq!(seen(&mut handle).await, "connected");
    drop(peer);
    assert_eq!(seen(&mut handle).await, "disconnected");
    assert_eq!(seen(&mut handle).await, "connected");
    assert_eq!(connector.delays(), [3000]);
}

#[tokio::test(start_paused = true)]
async fn stream_that_cannot_connect_reports_why_and_backs_off_with_jitter_and_retry_after() {
    // In milliseconds: without jitter, with half of it, with all of it.
    let table = [
        (0.0, [3000, 6000, 12_000, 100_000, 48_000, 60_000, 60_000, 600_000, 60_000]),
        (0.5, [3750, 7500, 15_000, 106_000, 60_000, 75_000, 75_000, 615_000, 75_000]),
        (1.0, [4500, 9000, 18_000, 112_000, 72_000, 90_000, 90_000, 630_000, 90_000]),
    ];
    for (fraction, delays) in table {
        let failures = [
            unreachable(),
            Error::new(ErrorKind::Timeout, "too slow"),
            rejected(503, None),
            rejected(429, Some(100)),
            // A shorter time than the delay changes nothing.
            rejected(429, Some(1)),
            rejected(403, None),
            unreachable(),
            rejected(503, Some(600)),
            unreachable(),
        ];
        let expected: Vec<_> = failures.iter().map(|error| (error.message().to_owned(), error.retry_after())).collect();
        let (socket, _peer) = pair();
        let connector = FakeConnector::new(failures.map(Err).into_iter().chain([Ok(socket)]));
        let mut handle = connector.open_with(fraction);
        for (message, retry_after) in expected {
            let Some(StreamEvent::ConnectFailed(error)) = handle.next().await else { panic!("{message}") };
            assert_eq!((error.message(), error.retry_after()), (message.as_str(), retry_after));
        }
        assert_eq!(seen(&mut handle).await, "connected");
        assert_eq!(connector.delays(), delays, "jitter {fraction}");
    }
}

#[tokio::test(start_paused = true)]
async fn connection_without_a_frame_does_not_reset_the_backoff() {
    let sockets: Vec<_> = (0..4).map(|_| pair()).collect();
    let (sockets, peers): (Vec<_>, Vec<_>) = sockets.into_iter().unzip();
    let connector = FakeConnector::new(sockets.into_iter().map(Ok));
    let mut handle = connector.open();
    for (number, peer) in peers.into_iter().enumerate() {
        assert_eq!(seen(&mut handle).await, "connected");
        if number == 2 {
            peer.frames.unbounded_send("1|Z".to_owned()).unwrap();
        }
        drop(peer);
        assert_eq!(seen(&mut handle).await, "disconnected");
    }
    assert_eq!(connector.delays(), [3000, 6000, 3000], "the third connection delivered a heartbeat");
}

#[tokio::test(start_paused = true)]
async fn handle_is_a_stream_of_its_events() {
    let (socket, peer) = pair();
    let handle = FakeConnector::new([Ok(socket), Err(rejected(401, None))]).open();
    peer.frames.unbounded_send(event(1)).unwrap();
    drop(peer);
    let events: Vec<_> = handle.collect().await;
    assert!(matches!(
        events.as_slice(),
        [StreamEvent::Connected, StreamEvent::Connectivity { .. }, StreamEvent::Disconnected, StreamEvent::GaveUp(_)]
    ));
}

#[tokio::test(start_paused = true)]
async fn rejected_key_ends_the_stream() {
    for status in [401, 404] {
        let connector = FakeConnector::new([Err(rejected(status, None))]);
        let mut handle = connector.open();
        let Some(StreamEvent::GaveUp(error)) = handle.next().await else { panic!("the stream has ended") };
        assert_eq!(error.status(), Some(status));
        assert_eq!(seen(&mut handle).await, "end");
        assert_eq!(connector.calls(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn missed_event_sends_a_gap() {
    let (socket, peer) = pair();
    let mut handle = FakeConnector::new([Ok(socket)]).open();
    for seq in [1, 2, 5] {
        peer.frames.unbounded_send(event(seq)).unwrap();
    }
    let mut events = Vec::new();
    for _ in 0..5 {
        events.push(seen(&mut handle).await);
    }
    assert_eq!(events, ["connected", "event", "event", "gap", "event"]);
}

#[tokio::test(start_paused = true)]
async fn sequence_restarts_with_each_connection() {
    let ((first, peer), (second, other)) = (pair(), pair());
    let mut handle = FakeConnector::new([Ok(first), Ok(second)]).open();
    peer.frames.unbounded_send(event(9)).unwrap();
    other.frames.unbounded_send(event(0)).unwrap();
    drop(peer);
    let mut events = Vec::new();
    for _ in 0..5 {
        events.push(seen(&mut handle).await);
    }
    assert_eq!(events, ["connected", "event", "disconnected", "connected", "event"]);
}

#[tokio::test(start_paused = true)]
async fn heartbeat_is_echoed_and_keep_alive_sent_every_30_seconds() {
    let (socket, mut peer) = pair();
    let _handle = FakeConnector::new([Ok(socket)]).open();
    peer.frames.unbounded_send("1|Z".to_owned()).unwrap();
    peer.frames.unbounded_send("1|X".to_owned()).unwrap();
    assert_eq!(peer.answers.next().await.as_deref(), Some("1|Z"));
    let start = Instant::now();
    assert_eq!(peer.answers.next().await.as_deref(), Some("1|X"));
    assert_eq!(start.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn socket_without_heartbeats_is_closed_after_120_seconds() {
    let (socket, _peer) = pair();
    let mut handle = FakeConnector::new([Ok(socket)]).open();
    assert_eq!(seen(&mut handle).await, "connected");
    let start = Instant::now();
    assert_eq!(seen(&mut handle).await, "disconnected");
    assert_eq!(start.elapsed().as_secs(), 120);
}

#[tokio::test(start_paused = true)]
async fn heartbeat_delays_the_close_by_30_seconds_unless_the_counter_is_full() {
    let table: [(&[u64], u64); 6] = [
        (&[31], 150),
        // The counter is full already.
        (&[1, 2, 3], 120),
        (&[31, 32, 33], 150),
        (&[61, 62], 180),
        (&[91, 92], 180),
        (&[31, 61, 91, 121], 240),
    ];
    for (heartbeats, closed) in table {
        let (socket, mut peer) = pair();
        let mut handle = FakeConnector::new([Ok(socket)]).open();
        assert_eq!(seen(&mut handle).await, "connected");
        let start = Instant::now();
        for second in heartbeats {
            tokio::time::sleep_until(start + SECOND * u32::try_from(*second).unwrap()).await;
            peer.frames.unbounded_send("1|Z".to_owned()).unwrap();
        }
        assert_eq!(seen(&mut handle).await, "disconnected");
        assert_eq!(start.elapsed().as_secs(), closed, "{heartbeats:?}");
        let mut keep_alives = 0;
        while let Ok(answer) = peer.answers.try_recv() {
            keep_alives += u64::from(answer == "1|X");
        }
        assert_eq!(keep_alives, closed / 30 - 1, "{heartbeats:?}: one at each check except the last");
    }
}

#[tokio::test(start_paused = true)]
async fn unreadable_frame_is_skipped() {
    let (socket, peer) = pair();
    let mut handle = FakeConnector::new([Ok(socket)]).open();
    for frame in ["", "nonsense", "3|{}", "2|{"] {
        peer.frames.unbounded_send(frame.to_owned()).unwrap();
    }
    peer.frames.unbounded_send(event(1)).unwrap();
    let events = [seen(&mut handle).await, seen(&mut handle).await, seen(&mut handle).await];
    assert_eq!(events, ["connected", "gap", "event"], "each unreadable frame may have been an event");
}

#[tokio::test(start_paused = true)]
async fn dropped_handle_closes_the_socket_without_reconnecting() {
    let (socket, mut peer) = pair();
    let connector = FakeConnector::new([Ok(socket)]);
    let mut handle = connector.open();
    assert_eq!(seen(&mut handle).await, "connected");
    drop(handle);
    assert_eq!(peer.answers.next().await, None);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(connector.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn handle_dropped_during_the_reconnect_delay_ends_the_task() {
    let connector = FakeConnector::new([Err(unreachable())]);
    let handle = connector.open();
    tokio::time::sleep(SECOND).await;
    drop(handle);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(connector.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn slow_application_loses_events_but_not_the_connection() {
    let (socket, mut peer) = pair();
    let mut handle = FakeConnector::new([Ok(socket)]).open();
    for seq in 0..5000 {
        peer.frames.unbounded_send(event(seq)).unwrap();
    }
    peer.frames.unbounded_send("1|Z".to_owned()).unwrap();
    assert_eq!(
        peer.answers.next().await.as_deref(),
        Some("1|Z"),
        "the heartbeat is answered while the application does not read"
    );
    assert_eq!(seen(&mut handle).await, "connected");
    let mut events = 0;
    while seen(&mut handle).await == "event" {
        events += 1;
    }
    assert_eq!(events, 4095, "a full queue, followed by the gap");
}
