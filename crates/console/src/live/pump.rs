//! One reader's stream: what the bus says of its devices, as far as its actor may know.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::Event;
use futures::Stream;
use jiff::Timestamp;
use platform::bus::{Delivery, Subscription};
use serde::Serialize;
use tokio::time::MissedTickBehavior;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::dto::{DeviceEvent, StreamEnd};
use super::outbox::{Outbox, named};
use crate::devices::DeviceView;
use crate::error::ApiError;
use crate::index;
use crate::notice::{self, DeviceEventKind, EndReason};
use crate::policy::Actor;
use crate::state::AppState;

/// A role is asked for again this often although nothing happens to the devices.
const RECHECK: Duration = Duration::from_secs(60);
/// A reader that takes nothing any more does not keep its task alive for its last event.
const LAST_WORD: Duration = Duration::from_secs(5);

/// Starts the stream. It ends when the reader goes, the session ends or changes, or the server stops.
pub(super) fn start(
    state: AppState,
    actor: Actor,
    dsns: HashSet<String>,
) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
    let (outbox, reader) = Outbox::new();
    // Before anything is awaited: what happens from now on is heard.
    let devices = notice::listen_to_devices(&state.base.bus);
    let session = notice::listen_to_session(&state.base.bus, &actor.session);
    // The extraction checked the role; when exactly the cloud was asked is found out at the first event.
    let pump = Pump { state, actor, dsns, outbox, checked_at: Timestamp::MIN };
    tokio::spawn(pump.run(devices, session));
    ReceiverStream::new(reader).map(Ok)
}

struct Pump {
    state: AppState,
    actor: Actor,
    dsns: HashSet<String>,
    outbox: Outbox,
    /// When the cloud was last asked for the actor's role.
    checked_at: Timestamp,
}

impl Pump {
    async fn run(mut self, mut devices: Subscription, mut session: Subscription) {
        self.outbox.offer(named("ready"));
        let stopping = self.state.stopping.clone();
        let mut recheck = tokio::time::interval(RECHECK);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut closed = Box::pin(self.outbox.closed());
        loop {
            let end = tokio::select! {
                biased;
                () = &mut closed => return,
                () = stopping.cancelled() => return,
                said = session.next() => match said {
                    Some(Delivery::Message { payload, .. }) => notice::read_session(&payload),
                    Some(Delivery::Resync) => self.check_again().await,
                    None => return,
                },
                () = self.outbox.settle() => None,
                _ = recheck.tick() => self.check().await,
                said = devices.next() => match said {
                    Some(Delivery::Message { subject, payload }) => match notice::read_device(&subject, &payload) {
                        Some((dsn, kind)) if self.dsns.contains(dsn) => self.tell(dsn, kind).await,
                        _ => None,
                    },
                    Some(Delivery::Resync) => {
                        self.outbox.owe_resync();
                        None
                    }
                    None => return,
                },
            };
            if let Some(reason) = end {
                let last = self.outbox.finish(event("end", &StreamEnd { reason }));
                let _ = tokio::time::timeout(LAST_WORD, last).await;
                return;
            }
        }
    }

    /// Tells the reader of one device, unless the stream must end instead.
    async fn tell(&mut self, dsn: &str, kind: DeviceEventKind) -> Option<EndReason> {
        let end = self.check().await;
        if end.is_some() || !self.may_tell() {
            return end;
        }
        match index::find(&self.state.base.db, &self.actor, dsn).await {
            Ok(Some(record)) => {
                let device = DeviceView::new(record, &self.actor);
                self.outbox.offer(event("device", &DeviceEvent { dsn: dsn.to_owned(), kind, device }));
            }
            // Gone, or not the reader's to know.
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "the index could not be read for a stream");
                self.outbox.owe_resync();
            }
        }
        None
    }

    fn may_tell(&self) -> bool {
        self.state.sessions.is_fresh(self.checked_at)
    }

    /// Makes sure that the role is no older than a minute. While the cloud cannot be asked, nothing is told, and the reader
    /// gets a `resync` afterwards.
    async fn check(&mut self) -> Option<EndReason> {
        if self.may_tell() { None } else { self.check_again().await }
    }

    async fn check_again(&mut self) -> Option<EndReason> {
        match self.state.sessions.fresh_by_hash(&self.actor.session).await {
            Ok(session) if session.actor() != self.actor => Some(EndReason::AccessChanged),
            Ok(session) => {
                self.checked_at = session.access_read_at;
                None
            }
            Err(ApiError::NotSignedIn) => Some(EndReason::SignedOut),
            Err(error) => {
                tracing::warn!(%error, "a stream waits: its role cannot be checked");
                self.outbox.owe_resync();
                None
            }
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_else(|_| named("resync"))
}
