//! One reader's stream: what happens to its devices and lists, as far as its actor may know.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::Event;
use futures::Stream;
use jiff::Timestamp;
use platform::bus::Delivery;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::MissedTickBehavior;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use uuid::Uuid;

use super::dto::{DeviceEvent, DeviceRemoved, StreamEnd};
use super::hub::Line;
use super::list_signal::ListSignal;
use super::outbox::{Outbox, named};
use crate::devices::DeviceView;
use crate::error::ApiError;
use crate::index;
use crate::jobs;
use crate::notice::{self, DeviceNotice, EndReason, Notice};
use crate::policy::{Actor, Scope};
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
    let line = state.hub.join(&actor, dsns.into_iter().collect());
    // The extraction checked the role; when exactly the cloud was asked is found out at once, and with it whether the session
    // ended before the line stood.
    let pump = Pump { state, actor, outbox, checked_at: Timestamp::MIN };
    tokio::spawn(pump.run(line));
    ReceiverStream::new(reader).map(Ok)
}

struct Pump {
    state: AppState,
    actor: Actor,
    outbox: Outbox,
    /// When the cloud was last asked for the actor's role.
    checked_at: Timestamp,
}

impl Pump {
    async fn run(mut self, mut line: Line) {
        let mut lists = ListSignal::new(line.lists);
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
                Ok(()) = line.end.changed() => *line.end.borrow_and_update(),
                Ok(()) = line.doubts.changed() => {
                    self.outbox.owe_resync();
                    self.check().await
                }
                () = self.outbox.settle() => None,
                _ = recheck.tick() => self.check().await,
                () = lists.due() => self.tell_of_lists().await,
                said = line.devices.recv() => match said {
                    Ok(Delivery::Message { subject, payload }) => match notice::read(&subject, &payload) {
                        Some(Notice::Device(notice)) => self.tell_of_device(&notice).await,
                        Some(Notice::Job { job, .. }) => self.tell_of_job(job).await,
                        Some(Notice::Session(..)) | None => None,
                    },
                    Ok(Delivery::Resync) | Err(RecvError::Lagged(_)) => {
                        self.outbox.owe_resync();
                        None
                    }
                    Err(RecvError::Closed) => return,
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
    async fn tell_of_device(&mut self, notice: &DeviceNotice<'_>) -> Option<EndReason> {
        let end = self.check().await;
        if end.is_some() || !self.may_tell() {
            return end;
        }
        let dsn = notice.dsn.to_owned();
        match index::find(&self.state.base.db, &self.actor, notice.dsn).await {
            Ok(Some(record)) => {
                let device = DeviceView::new(record, &self.actor);
                self.outbox.offer(event("device", &DeviceEvent { dsn, kind: notice.kind, device }));
            }
            Ok(None) if self.knew(notice) => self.outbox.offer(event("removed", &DeviceRemoved { dsn })),
            // Never the reader's to know.
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "the index could not be read for a stream");
                self.outbox.owe_resync();
            }
        }
        None
    }

    /// Tells the reader how far a job has come, unless the stream must end instead.
    async fn tell_of_job(&mut self, job: Uuid) -> Option<EndReason> {
        let end = self.check().await;
        if end.is_some() || !self.may_tell() {
            return end;
        }
        match jobs::progress(&self.state, &self.actor, job).await {
            Ok(Some(progress)) => self.outbox.offer(event("job", &progress)),
            // Another's, or gone.
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "a job could not be read for a stream");
                self.outbox.owe_resync();
            }
        }
        None
    }

    /// Whether a list of the reader's had the device.
    fn knew(&self, notice: &DeviceNotice<'_>) -> bool {
        match self.actor.scope() {
            Scope::Everything => notice.lists().next().is_some(),
            Scope::Csp(own) => notice.lists().any(|csp| csp == own),
            Scope::Nothing => false,
        }
    }

    /// Tells the reader that a list changed, unless the stream must end instead.
    async fn tell_of_lists(&mut self) -> Option<EndReason> {
        let end = self.check().await;
        if end.is_none() && self.may_tell() {
            self.outbox.offer(named("list"));
        }
        end
    }

    fn may_tell(&self) -> bool {
        self.state.sessions.is_fresh(self.checked_at)
    }

    /// Makes sure that the session goes on and that its role is no older than a minute. It looks at the row every time: another
    /// node may have ended the session or learned that the access changed, and its bus does not reach this one. While the
    /// cloud cannot be asked, nothing is told, and the reader gets a `resync` afterwards.
    async fn check(&mut self) -> Option<EndReason> {
        match self.state.sessions.fresh_by_hash(&self.actor.session).await {
            Ok(session) if session.actor() != self.actor => Some(EndReason::AccessChanged),
            Ok(session) => {
                self.checked_at = session.access_read_at;
                None
            }
            Err(ApiError::NotSignedIn) => Some(EndReason::SignedOut),
            Err(error) => {
                tracing::warn!(%error, "a stream waits: its role cannot be checked");
                self.checked_at = Timestamp::MIN;
                self.outbox.owe_resync();
                None
            }
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_else(|_| named("resync"))
}
