use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::http::Http;
use crate::model::{ConnectionStatus, Datapoint, Dsn, Time};
use crate::secret::SecretText;
use crate::stream::connection;
use crate::stream::connector::{Connector, WebSocketConnector};
use crate::stream::event_queue::EventQueue;
use crate::stream::frame::{Body, Event};

/// An event of a stream.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The stream is connected. Earlier events are not delivered: reload your data.
    Connected,
    /// The connection was lost; the stream reconnects automatically.
    Disconnected,
    /// Events were missed: reload your data.
    Gap,
    /// The cloud rejected the stream key (401 or 404), the key is blank, or no stream address is configured. The stream
    /// has ended; create a new subscription.
    Refused,
    /// A property has a new value.
    Datapoint(DatapointEvent),
    /// A device acknowledged a value.
    DatapointAck(DatapointEvent),
    /// A device came or went.
    Connectivity {
        /// The device.
        dsn: Dsn,
        /// The new status.
        status: ConnectionStatus,
        /// When the status changed.
        at: Option<Time>,
    },
}

/// A datapoint delivered by a stream.
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

/// The live data stream of a subscription; returned by [`Client::stream`](crate::Client::stream).
///
/// A WebSocket kept open by a background task, which responds to heartbeats, closes the connection after 120 s without
/// one, and reconnects with the same key after 3 s. Dropping the handle closes the stream. If the application falls
/// more than 256 events behind, events are dropped and replaced by one [`StreamEvent::Gap`].
#[derive(Debug)]
pub struct StreamHandle(mpsc::Receiver<StreamEvent>);

impl StreamHandle {
    pub(crate) fn open(http: &Http, stream_key: &SecretText, reconnect_delay: Duration) -> Self {
        match WebSocketConnector::new(&http.config, stream_key, http.timeout) {
            Ok(socket) => Self::start(Arc::new(socket), reconnect_delay),
            Err(error) => {
                tracing::error!(message = error.message(), "the stream cannot be opened");
                let (mut queue, events) = EventQueue::new();
                queue.try_push(StreamEvent::Refused);
                Self(events)
            }
        }
    }

    pub(super) fn start(connector: Arc<dyn Connector>, reconnect_delay: Duration) -> Self {
        let (queue, events) = EventQueue::new();
        tokio::spawn(connection::run(connector, queue, reconnect_delay));
        Self(events)
    }

    /// A handle with events from a test.
    #[cfg(test)]
    pub(crate) fn fake() -> (mpsc::Sender<StreamEvent>, Self) {
        let (events, receiver) = mpsc::channel(16);
        (events, Self(receiver))
    }

    /// The next event; `None` once the stream has ended, which only follows [`StreamEvent::Refused`]. Cancel safe.
    pub async fn next(&mut self) -> Option<StreamEvent> {
        self.0.recv().await
    }
}

/// Sends one event for each device.
pub(super) fn announce(event: Event, queue: &mut EventQueue) {
    for dsn in event.dsns {
        match event.body.clone() {
            Body::Datapoint { property, datapoint } => {
                queue.try_push(StreamEvent::Datapoint(DatapointEvent { dsn, property, datapoint }));
            }
            Body::DatapointAck { property, datapoint } => {
                queue.try_push(StreamEvent::DatapointAck(DatapointEvent { dsn, property, datapoint }));
            }
            Body::Connectivity { status, at } => queue.try_push(StreamEvent::Connectivity { dsn, status, at }),
            Body::Other => {}
        }
    }
}
