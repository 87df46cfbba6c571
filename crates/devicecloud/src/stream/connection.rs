//! The task of a stream: connects, reads events, responds to heartbeats, reconnects.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use tokio::time::{Instant, MissedTickBehavior};

use crate::stream::StreamEvent;
use crate::stream::dial::{Dial, Socket};
use crate::stream::frame::{self, Frame};
use crate::stream::handle::announce;
use crate::stream::heartbeat::{CHECK_INTERVAL, Check, Heartbeat};
use crate::stream::outbox::{Gone, Outbox};
use crate::stream::reconnect::{End, Next, next};
use crate::stream::sequence::Sequence;

const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs until the stream key is rejected or the handle is dropped.
pub(super) async fn run(dial: Arc<dyn Dial>, mut outbox: Outbox, reconnect_delay: Duration) {
    loop {
        let Ok(end) = connect(dial.as_ref(), &mut outbox).await else { return };
        match next(end) {
            Next::GiveUp => {
                tracing::warn!("the stream key was refused");
                let _ = outbox.deliver(StreamEvent::Refused).await;
                return;
            }
            Next::Again => {
                tracing::debug!(?end, "the stream connects again");
                tokio::select! {
                    Gone = outbox.attend() => return,
                    () = tokio::time::sleep(reconnect_delay) => {}
                }
            }
        }
    }
}

/// Runs one connection, from the handshake to its end.
async fn connect(dial: &dyn Dial, outbox: &mut Outbox) -> Result<End, Gone> {
    let dialled = tokio::select! {
        gone = outbox.attend() => return Err(gone),
        dialled = dial.dial() => dialled,
    };
    let mut socket = match dialled {
        Ok(socket) => socket,
        Err(end) => return Ok(end),
    };
    let read = async {
        outbox.deliver(StreamEvent::Connected).await?;
        read(&mut socket, outbox).await?;
        outbox.deliver(StreamEvent::Disconnected).await
    }
    .await;
    // A slow close must not delay the task.
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, socket.answers.close()).await;
    read.map(|()| End::Closed)
}

/// Reads until the connection ends or misses its heartbeats.
async fn read(socket: &mut Socket, outbox: &mut Outbox) -> Result<(), Gone> {
    let mut heartbeat = Heartbeat::new();
    let mut sequence = Sequence::default();
    let mut checks = tokio::time::interval_at(Instant::now() + CHECK_INTERVAL, CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            gone = outbox.attend() => return Err(gone),
            frame = socket.frames.next() => {
                let Some(frame) = frame else { return Ok(()) };
                match frame::decode(&frame) {
                    Frame::Heartbeat => {
                        heartbeat = heartbeat.beat();
                        if socket.answers.send(frame::HEARTBEAT.to_owned()).await.is_err() {
                            return Ok(());
                        }
                    }
                    Frame::KeepAlive => {}
                    Frame::Unreadable(reason) => {
                        tracing::warn!(reason, "a frame of the stream was skipped");
                        sequence = sequence.unreadable();
                    }
                    Frame::Event(event) => {
                        if !event.length_fits {
                            tracing::debug!("the length of a frame does not fit");
                        }
                        let (next, gap) = sequence.observe(event.seq);
                        sequence = next;
                        if gap {
                            outbox.offer(StreamEvent::Gap);
                        }
                        announce(*event, outbox);
                    }
                }
            }
            _ = checks.tick() => {
                let (next, check) = heartbeat.check();
                heartbeat = next;
                if check == Check::Dead || socket.answers.send(frame::KEEP_ALIVE.to_owned()).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
}
