//! The task of a stream: connects, reads events, responds to heartbeats, reconnects.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use tokio::time::{Instant, MissedTickBehavior};

use crate::stream::connector::{Connector, Socket};
use crate::stream::event_queue::{EventQueue, HandleDropped};
use crate::stream::events::{DatapointEvent, OtherEvent, StreamEvent};
use crate::stream::frame::{self, Body, Event, Frame};
use crate::stream::heartbeat::{CHECK_INTERVAL, Check, Heartbeat};
use crate::stream::reconnect::{Backoff, ConnectionEnd, Failures, NextStep};
use crate::stream::sequence::Sequence;

const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs until the stream key is rejected or the handle is dropped.
pub(super) async fn run(connector: Arc<dyn Connector>, mut queue: EventQueue, backoff: Backoff) {
    let mut failures = Failures::default();
    loop {
        let Ok(end) = run_connection(connector.as_ref(), &mut queue).await else { return };
        let (next, step) = failures.next(&end);
        failures = next;
        let event = match (end, step) {
            (ConnectionEnd::Failed(error), NextStep::GiveUp) => Some(StreamEvent::GaveUp(error)),
            (ConnectionEnd::Failed(error), NextStep::Reconnect { .. }) => Some(StreamEvent::ConnectFailed(error)),
            (ConnectionEnd::Closed { .. }, _) => None,
        };
        if let Some(event) = event
            && queue.push(event).await.is_err()
        {
            return;
        }
        let NextStep::Reconnect { retry_after } = step else {
            tracing::warn!("the stream key was rejected");
            return;
        };
        let delay = backoff.delay(failures, retry_after);
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(delay_ms, "the stream connects again");
        tokio::select! {
            HandleDropped = queue.closed() => return,
            () = tokio::time::sleep(delay) => {}
        }
    }
}

/// Runs one connection, from the handshake to its end.
async fn run_connection(connector: &dyn Connector, queue: &mut EventQueue) -> Result<ConnectionEnd, HandleDropped> {
    let connected = tokio::select! {
        dropped = queue.closed() => return Err(dropped),
        connected = connector.connect() => connected,
    };
    let mut socket = match connected {
        Ok(socket) => socket,
        // To connect changes nothing.
        Err(error) => return Ok(ConnectionEnd::Failed(error.not_sent())),
    };
    let read = async {
        queue.push(StreamEvent::Connected).await?;
        let delivered = read(&mut socket, queue).await?;
        queue.push(StreamEvent::Disconnected).await?;
        Ok(ConnectionEnd::Closed { delivered })
    }
    .await;
    // A slow close must not delay the task.
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, socket.outgoing.close()).await;
    read
}

/// Reads until the connection ends or misses its heartbeats. Returns whether it delivered anything.
async fn read(socket: &mut Socket, queue: &mut EventQueue) -> Result<bool, HandleDropped> {
    let mut heartbeat = Heartbeat::new();
    let mut sequence = Sequence::default();
    let mut delivered = false;
    let mut checks = tokio::time::interval_at(Instant::now() + CHECK_INTERVAL, CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            dropped = queue.closed() => return Err(dropped),
            frame = socket.incoming.next() => {
                let Some(frame) = frame else { return Ok(delivered) };
                delivered = true;
                match frame::decode(&frame) {
                    Frame::Heartbeat => {
                        heartbeat = heartbeat.beat();
                        if socket.outgoing.send(frame::HEARTBEAT.to_owned()).await.is_err() {
                            return Ok(delivered);
                        }
                    }
                    Frame::KeepAlive => {}
                    Frame::Unreadable(reason) => {
                        tracing::warn!(reason, "a frame of the stream was skipped");
                        sequence = sequence.record_unreadable();
                    }
                    Frame::Event(event) => {
                        if !event.length_fits {
                            tracing::debug!("the length of a frame does not fit");
                        }
                        let (next, gap) = sequence.observe(event.seq);
                        sequence = next;
                        if gap {
                            queue.try_push(StreamEvent::Gap);
                        }
                        announced(*event).for_each(|event| queue.try_push(event));
                    }
                }
            }
            _ = checks.tick() => {
                let (next, check) = heartbeat.check();
                heartbeat = next;
                if check == Check::Dead || socket.outgoing.send(frame::KEEP_ALIVE.to_owned()).await.is_err() {
                    return Ok(delivered);
                }
            }
        }
    }
}

/// One event for each device.
fn announced(Event { dsns, body, .. }: Event) -> impl Iterator<Item = StreamEvent> {
    dsns.into_iter().map(move |dsn| match body.clone() {
        Body::Datapoint { property, datapoint } => StreamEvent::Datapoint(DatapointEvent { dsn, property, datapoint }),
        Body::DatapointAck { property, datapoint } => {
            StreamEvent::DatapointAck(DatapointEvent { dsn, property, datapoint })
        }
        Body::Connectivity { status, at } => StreamEvent::Connectivity { dsn, status, at },
        Body::Other { event_type, json } => StreamEvent::Other(OtherEvent { dsn, event_type, json }),
    })
}

/// Reads the JSON of an event of one device.
#[cfg(feature = "testing")]
pub(crate) fn read_event(json: &serde_json::Value) -> Option<StreamEvent> {
    match frame::decode(&format!("0|{json}")) {
        Frame::Event(event) => announced(*event).next(),
        _ => None,
    }
}
