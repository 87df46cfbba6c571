//! One open stream: events to the client and heartbeats in both directions, until the subscription is deleted or its
//! owner's rights end.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures::stream::SplitSink;
use futures::{SinkExt, StreamExt};
use platform::db::Db;
use platform::run::clock::Clock;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::frame;
use super::hub::{NumberedEvent, StreamReader};
use crate::domain::policy::device_scope;
use crate::store;
use crate::store::subscriptions::SubscriptionRow;

/// A socket whose client accepts no bytes for this long is closed.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// What a socket needs to serve a subscription.
pub(crate) struct Stream {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) subscription: SubscriptionRow,
    pub(crate) reader: StreamReader,
    pub(crate) heartbeat: Duration,
    pub(crate) stop: CancellationToken,
}

const ENDED: (u16, &str) = (close_code::POLICY, "the subscription has ended");
const LOST: (u16, &str) = (close_code::AGAIN, "events were lost");
const REPLACED: (u16, &str) = (close_code::POLICY, "the user has opened too many streams since");

type Sink = SplitSink<WebSocket, Message>;

/// Serves the socket until it ends.
pub(crate) async fn serve(socket: WebSocket, mut stream: Stream) {
    let (mut sink, mut answers) = socket.split();
    let mut heartbeat = interval(stream.heartbeat);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    heartbeat.tick().await; // the first one is now
    let mut last = 0;
    let end = loop {
        tokio::select! {
            () = stream.stop.cancelled() => break Some((close_code::AWAY, "the server stops")),
            () = stream.reader.rights.notified() => {
                if !stream.refresh_rights().await {
                    break Some(ENDED);
                }
            }
            // A client that reconnects reads its state again.
            () = stream.reader.lost.notified() => break Some(LOST),
            _ = heartbeat.tick() => {
                if !stream.refresh_rights().await {
                    break Some(ENDED);
                }
                // No later event would reveal this gap.
                if stream.reader.lost_last_events(last) {
                    break Some(LOST);
                }
                if send(&mut sink, [frame::HEARTBEAT.to_owned()]).await.is_err() {
                    break None;
                }
            }
            event = stream.reader.events.recv() => {
                let Some(event) = event else { break Some(REPLACED) };
                let frames = drained(event, &mut stream.reader, &mut last);
                if send(&mut sink, frames).await.is_err() {
                    break None;
                }
            }
            // `Z` and `1|Z` echo a heartbeat, `1|X` is a keep-alive: all are ignored.
            answer = answers.next() => match answer {
                Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
                Some(Ok(_)) => {}
            },
        }
    };
    if let Some((code, reason)) = end {
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        let _ = timeout(SEND_TIMEOUT, sink.send(close)).await;
    }
}

impl Stream {
    /// Reads the owner's rights again. Returns `false` if the owner or the subscription no longer exists.
    async fn refresh_rights(&self) -> bool {
        let principal = match store::roles::principal(&self.db, self.subscription.user_id).await {
            Ok(principal) => principal,
            Err(error) => return keep_open(&error),
        };
        let Some(principal) = principal else { return false };
        self.reader.set_scope(device_scope(&principal, self.clock.now()));
        store::subscriptions::exists(&self.db, self.subscription.id).await.unwrap_or_else(|error| keep_open(&error))
    }
}

/// A database error does not end the stream: the next heartbeat retries.
fn keep_open(error: &platform::db::Error) -> bool {
    // The database logs its own unavailability once, instead of for each stream.
    if !error.is_unavailable() {
        tracing::warn!(%error, "the rights of a stream could not be read");
    }
    true
}

/// The frames of this event and of all queued ones. Sets `last` to the number of the last one.
fn drained(first: NumberedEvent, reader: &mut StreamReader, last: &mut u64) -> Vec<String> {
    let waiting = std::iter::from_fn(|| reader.events.try_recv().ok());
    let numbered = std::iter::once(first).chain(waiting).inspect(|(seq, _)| *last = *seq);
    numbered.map(|(seq, event)| frame::event(seq, &event.body)).collect()
}

/// Sends the frames with one flush. An error means that the socket is closed or stalled.
async fn send(sink: &mut Sink, frames: impl IntoIterator<Item = String>) -> Result<(), ()> {
    let sending = async {
        for frame in frames {
            sink.feed(Message::Text(frame.into())).await?;
        }
        sink.flush().await
    };
    timeout(SEND_TIMEOUT, sending).await.map_err(|_| ())?.map_err(|_| ())
}
