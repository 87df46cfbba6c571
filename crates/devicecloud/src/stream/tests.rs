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
use super::reconnect::{Disconnect, RECONNECT_DELAY};
use super::{StreamEvent, StreamHandle};
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
    plan: Arc<Mutex<VecDeque<Result<Socket, Disconnect>>>>,
    calls: Arc<Mutex<Vec<Instant>>>,
}

impl FakeConnector {
    fn new(plan: impl IntoIterator<Item = Result<Socket, Disconnect>>) -> Self {
        Self { plan: Arc::new(Mutex::new(plan.into_iter().collect())), calls: Arc::default() }
    }

    fn open(&self) -> StreamHandle {
        StreamHandle::start(Arc::new(self.clone()), RECONNECT_DELAY)
    }

    fn calls(&self) -> usize {
        self.calls.lock().unwrap().len()
    }
}

impl Connector for FakeConnector {
    fn connect(&self) -> BoxFuture<'_, Result<Socket, Disconnect>> {
        self.calls.lock().unwrap().push(Instant::now());
        let next = self.plan.lock().unwrap().pop_front();
        Box::pin(async { next.unwrap_or(Err(Disconnect::Failed)) })
    }
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
        Some(StreamEvent::Refused) => "refused",
        Some(StreamEvent::Connectivity { .. }) => "event",
        Some(_) => "other",
        None => "end",
    }
}

#[tokio::test(start_paused = true)]
async fn lost_stream_reconnects_after_3_seconds() {
    let ((first, peer), (second, _other)) = (pair(), pair());
    let connector =
        FakeConnector::new([Ok(first), Err(Disconnect::Failed), Err(Disconnect::Rejected(503)), Ok(second)]);
    let mut handle = connector.open();
    assert_eq!(seen(&mut handle).await, "connected");
    drop(peer);
    assert_eq!(seen(&mut handle).await, "disconnected");
    assert_eq!(seen(&mut handle).await, "connected");
    let calls = connector.calls.lock().unwrap().clone();
    let delays: Vec<_> = calls.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect();
    assert_eq!(delays, [3, 3, 3]);
}

#[tokio::test(start_paused = true)]
async fn rejected_key_ends_the_stream() {
    for status in [401, 404] {
        let connector = FakeConnector::new([Err(Disconnect::Rejected(status))]);
        let mut handle = connector.open();
        assert_eq!(seen(&mut handle).await, "refused");
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
    for frame in ["", "nonsense", "3|{}", "2|{", "9|{\"metadata\":{\"dsn\":\"A\",\"event_type\":\"weather\"}}"] {
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
    let connector = FakeConnector::new([Err(Disconnect::Failed)]);
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
