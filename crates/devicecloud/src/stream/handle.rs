use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::http::Http;
use crate::model::{ConnectionStatus, Datapoint, Dsn, Time};
use crate::secret::SecretText;
use crate::stream::connection;
use crate::stream::dial::{Dial, WebSocket};
use crate::stream::frame::{Body, Event};
use crate::stream::outbox::Outbox;

/// What a stream tells.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The stream is open. What happened before is not told: read again what you show.
    Connected,
    /// The stream was lost; it connects again by itself.
    Disconnected,
    /// Events were missed: read again what you show.
    Gap,
    /// The cloud refused the key (401 or 404), the key is blank, or no stream address is configured. The stream has ended;
    /// make a new subscription.
    Refused,
    /// A property has a new value.
    Datapoint(DatapointEvent),
    /// A device acknowledged a value.
    DatapointAck(DatapointEvent),
    /// A device came or went.
    Connectivity {
        /// The device.
        dsn: Dsn,
        /// What it is now.
        status: ConnectionStatus,
        /// When that happened.
        at: Option<Time>,
    },
}

/// A datapoint that arrived by the stream.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DatapointEvent {
    /// The device.
    pub dsn: Dsn,
    /// The name of the property.
    pub property: String,
    /// The datapoint.
    pub datapoint: Datapoint,
}

/// The live data of a subscription; made by [`Client::stream`](crate::Client::stream).
///
/// One WebSocket, kept open in the background: it answers heartbeats, closes after 120 s without one, and connects again with the
/// same key after 3 s. Dropping the handle closes it. An owner that falls more than 256 events behind loses events and gets
/// [`StreamEvent::Gap`] instead.
#[derive(Debug)]
pub struct StreamHandle(mpsc::Receiver<StreamEvent>);

impl StreamHandle {
    pub(crate) fn open(http: &Http, stream_key: &SecretText, reconnect_delay: Duration) -> Self {
        match WebSocket::new(&http.config, stream_key, http.timeout) {
            Ok(socket) => Self::start(Arc::new(socket), reconnect_delay),
            Err(error) => {
                tracing::error!(message = error.message(), "the stream cannot be opened");
                let (mut outbox, events) = Outbox::new();
                outbox.offer(StreamEvent::Refused);
                Self(events)
            }
        }
    }

    pub(super) fn start(dial: Arc<dyn Dial>, reconnect_delay: Duration) -> Self {
        let (outbox, events) = Outbox::new();
        tokio::spawn(connection::run(dial, outbox, reconnect_delay));
        Self(events)
    }

    /// A handle that tells what a test tells it.
    #[cfg(test)]
    pub(crate) fn fake() -> (mpsc::Sender<StreamEvent>, Self) {
        let (events, receiver) = mpsc::channel(16);
        (events, Self(receiver))
    }

    /// The next event; `None` when the stream has ended, which only [`StreamEvent::Refused`] announces. Cancellation safe.
    pub async fn next(&mut self) -> Option<StreamEvent> {
        self.0.recv().await
    }
}

/// One event per device.
pub(super) fn announce(event: Event, outbox: &mut Outbox) {
    for dsn in event.dsns {
        match event.body.clone() {
            Body::Datapoint { property, datapoint } => {
                outbox.offer(StreamEvent::Datapoint(DatapointEvent { dsn, property, datapoint }));
            }
            Body::DatapointAck { property, datapoint } => {
                outbox.offer(StreamEvent::DatapointAck(DatapointEvent { dsn, property, datapoint }));
            }
            Body::Connectivity { status, at } => outbox.offer(StreamEvent::Connectivity { dsn, status, at }),
            Body::Other => {}
        }
    }
}
