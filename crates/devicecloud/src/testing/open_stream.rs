use std::time::Duration;

use futures::{SinkExt, sink, stream};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::stream::Socket;

const HEARTBEAT: &str = "1|Z";
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(30);

/// The cloud's end of a stream, with the number of its last event. The stream is cut when it is dropped.
pub(super) struct OpenStream {
    frames: mpsc::UnboundedSender<String>,
    seq: u64,
}

impl OpenStream {
    /// Both ends of a new stream.
    pub(super) fn new() -> (Self, Socket) {
        let (frames, received) = mpsc::unbounded_channel();
        let heartbeats = tokio::time::interval_at(Instant::now() + HEARTBEAT_INTERVAL, HEARTBEAT_INTERVAL);
        let incoming = stream::unfold((received, heartbeats), |(mut received, mut heartbeats)| async {
            let frame = tokio::select! {
                frame = received.recv() => frame?,
                _ = heartbeats.tick() => HEARTBEAT.to_owned(),
            };
            Some((frame, (received, heartbeats)))
        });
        let outgoing = sink::drain().sink_map_err(|never| match never {});
        (Self { frames, seq: 0 }, Socket { incoming: Box::pin(incoming), outgoing: Box::pin(outgoing) })
    }

    pub(super) fn is_open(&self) -> bool {
        !self.frames.is_closed()
    }

    pub(super) fn lose_event(&mut self) {
        self.seq += 1;
    }

    pub(super) fn send(&mut self, event: &Value) {
        self.seq += 1;
        let mut event = event.clone();
        event["seq"] = self.seq.to_string().into();
        let text = event.to_string();
        // The receiver is gone if the client has just closed the stream.
        let _ = self.frames.send(format!("{}|{text}", text.len()));
    }
}
