use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::http::Http;
use crate::secret::SecretText;
use crate::stream::connection;
use crate::stream::connector::{Connector, WebSocketConnector};
use crate::stream::event_queue::EventQueue;
use crate::stream::events::StreamEvent;

/// The live data stream of a subscription; returned by [`Client::stream`](crate::Client::stream).
///
/// A WebSocket kept open by a background task, which responds to heartbeats, closes the connection after 120 s without
/// one, and reconnects with the same key after 3 s. Dropping the handle closes the stream. If the application falls
/// more than 4,096 events behind, events are dropped and replaced by one [`StreamEvent::Gap`].
#[derive(Debug)]
pub struct StreamHandle(mpsc::Receiver<StreamEvent>);

impl StreamHandle {
    pub(crate) fn open(http: &Arc<Http>, stream_key: &SecretText, reconnect_delay: Duration) -> Self {
        match WebSocketConnector::new(http, stream_key) {
            Ok(socket) => Self::start(Arc::new(socket), reconnect_delay),
            Err(error) => {
                tracing::error!(message = error.message(), "the stream cannot be opened");
                let (mut queue, events) = EventQueue::new();
                queue.try_push(StreamEvent::Refused);
                Self(events)
            }
        }
    }

    pub(crate) fn start(connector: Arc<dyn Connector>, reconnect_delay: Duration) -> Self {
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
