use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use tokio::sync::mpsc;

use crate::http::Http;
use crate::model::secret::SecretText;
use crate::stream::connection;
use crate::stream::connector::{Connector, WebSocketConnector};
use crate::stream::event_queue::EventQueue;
use crate::stream::events::StreamEvent;
use crate::stream::reconnect::Backoff;

/// The live data stream of a subscription; returned by [`Client::stream`](crate::Client::stream).
///
/// A WebSocket kept open by a background task, which responds to heartbeats and closes the connection after 120 s
/// without one. Dropping the handle closes the stream.
///
/// A lost stream reconnects with the same key after 3 s. The delay doubles, up to 60 s, with each attempt that fails or
/// delivers nothing; up to half of it is added at random, and the cloud's `Retry-After` is its minimum. Each failed
/// attempt is a [`StreamEvent::ConnectFailed`] with the reason. Only [`StreamEvent::GaveUp`] ends a stream.
///
/// If the application falls more than 4,096 events behind, events are dropped and replaced by one [`StreamEvent::Gap`].
///
/// It is a [`Stream`]; [`next`](Self::next) works without importing `StreamExt`:
///
/// ```no_run
/// # async fn run(client: devicecloud::Client, subscription: devicecloud::Subscription) {
/// use devicecloud::StreamEvent;
/// use futures::StreamExt;
///
/// let values = client.stream(&subscription).filter_map(async |event| match event {
///     StreamEvent::Datapoint(event) => Some((event.dsn, event.datapoint.value?)),
///     _ => None,
/// });
/// values.for_each(async |(dsn, value)| println!("{dsn}: {value}")).await;
/// # }
/// ```
#[derive(Debug)]
pub struct StreamHandle(mpsc::Receiver<StreamEvent>);

impl StreamHandle {
    pub(crate) fn open(http: &Arc<Http>, stream_key: &SecretText, reconnect_delay: Duration) -> Self {
        match WebSocketConnector::new(http, stream_key) {
            Ok(socket) => {
                Self::start(Arc::new(socket), Backoff { first: reconnect_delay, jitter: http.jitter.clone() })
            }
            Err(error) => {
                tracing::error!(message = error.message(), "the stream cannot be opened");
                let (mut queue, events) = EventQueue::new();
                queue.try_push(StreamEvent::GaveUp(error));
                Self(events)
            }
        }
    }

    pub(crate) fn start(connector: Arc<dyn Connector>, backoff: Backoff) -> Self {
        let (queue, events) = EventQueue::new();
        tokio::spawn(connection::run(connector, queue, backoff));
        Self(events)
    }

    /// A handle with events from a test.
    #[cfg(test)]
    pub(crate) fn fake() -> (mpsc::Sender<StreamEvent>, Self) {
        let (events, receiver) = mpsc::channel(16);
        (events, Self(receiver))
    }

    /// The next event; `None` once the stream has ended, which only follows [`StreamEvent::GaveUp`]. Cancel safe.
    pub async fn next(&mut self) -> Option<StreamEvent> {
        self.0.recv().await
    }
}

impl Stream for StreamHandle {
    type Item = StreamEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<StreamEvent>> {
        self.0.poll_recv(context)
    }
}
