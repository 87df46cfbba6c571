//! The event stream of one reader: notices about its devices, lists and jobs that its actor may see.

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
use super::event_queue::{EventQueue, named};
use super::list_signal::ListSignal;
use crate::core_state::CoreState;
use crate::devices::{self, DeviceDetail, DeviceView};
use crate::error::ApiError;
use crate::hub::{ReaderChannels, ReaderNotice};
use crate::index;
use crate::jobs;
use crate::notice::{self, DeviceNotice, EndReason, Notice};
use crate::policy::{Actor, Scope};

/// How often the role is checked even without device events.
const RECHECK_INTERVAL: Duration = Duration::from_secs(60);
/// How long to wait for a reader that no longer reads before the final event is dropped.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Starts the stream. It ends when the reader disconnects, the session ends or changes, or the server stops.
pub(super) fn start(
    state: CoreState,
    actor: Actor,
    dsns: HashSet<String>,
    pages: HashSet<String>,
) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
    let (queue, reader) = EventQueue::new();
    // Subscribed before the first await, so that no notice is missed.
    let channels = state.hub.subscribe(&actor, dsns.into_iter().collect());
    // The request already checked the role, but does not say when it was read. The first check records that time, and
    // notices a session that ended before the subscription.
    let stream = ReaderStream { state, actor, pages, queue, checked_at: Timestamp::MIN };
    tokio::spawn(stream.run(channels));
    ReceiverStream::new(reader).map(Ok)
}

struct ReaderStream {
    state: CoreState,
    actor: Actor,
    /// The devices whose pages are open.
    pages: HashSet<String>,
    queue: EventQueue,
    /// When the actor's role was last read from the cloud.
    checked_at: Timestamp,
}

impl ReaderStream {
    async fn run(mut self, mut channels: ReaderChannels) {
        let mut lists = ListSignal::new(channels.lists);
        self.queue.push(named("ready"));
        let stopping = self.state.stopping.clone();
        let mut recheck = tokio::time::interval(RECHECK_INTERVAL);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut closed = Box::pin(self.queue.closed());
        loop {
            let end = tokio::select! {
                biased;
                () = &mut closed => return,
                () = stopping.cancelled() => return,
                Ok(()) = channels.end.changed() => *channels.end.borrow_and_update(),
                Ok(()) = channels.resync.changed() => {
                    self.queue.request_resync();
                    self.check().await
                }
                () = self.queue.flush_resync() => None,
                _ = recheck.tick() => self.check().await,
                () = lists.due() => self.send_list_change().await,
                notice = channels.devices.recv() => match notice {
                    Ok(notice) => self.on_notice(&notice).await,
                    Err(RecvError::Lagged(_)) => {
                        self.queue.request_resync();
                        None
                    }
                    Err(RecvError::Closed) => return,
                },
            };
            if let Some(reason) = end {
                let last = self.queue.close_with(event("end", &StreamEnd { reason }));
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, last).await;
                return;
            }
        }
    }

    async fn on_notice(&mut self, shared: &ReaderNotice) -> Option<EndReason> {
        let Delivery::Message { subject, payload } = &shared.delivery else {
            self.queue.request_resync();
            return None;
        };
        match notice::read(subject, payload) {
            Some(Notice::Device(notice)) => self.send_device(&notice, shared).await,
            Some(Notice::Job { job, .. }) => self.send_job(job).await,
            Some(Notice::Session(..)) | None => None,
        }
    }

    /// Sends a device event, unless the stream must end.
    async fn send_device(&mut self, notice: &DeviceNotice<'_>, shared: &ReaderNotice) -> Option<EndReason> {
        let end = self.check().await;
        if end.is_some() || !self.may_send() {
            return end;
        }
        let dsn = notice.dsn.to_owned();
        match index::find(&self.state.base.db, &self.actor, notice.dsn).await {
            Ok(Some(record)) => {
                let device = DeviceView::new(record, &self.actor);
                let detail = if self.pages.contains(&dsn) { self.detail(&dsn, shared).await } else { None };
                self.queue.push(event("device", &DeviceEvent { dsn, kind: notice.kind, device, detail }));
            }
            Ok(None) if self.could_see(notice) => self.queue.push(event("removed", &DeviceRemoved { dsn })),
            // The reader could never see it.
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "the index could not be read for a stream");
                self.queue.request_resync();
            }
        }
        None
    }

    /// What the page of the device shows. The device is read once for all readers of the notice.
    async fn detail(&self, dsn: &str, shared: &ReaderNotice) -> Option<Box<DeviceDetail>> {
        let read = || async {
            let snapshot = devices::page_snapshot(&self.state, dsn, shared.read.clone()).await;
            snapshot.inspect_err(|error| tracing::warn!(device.dsn = %dsn, %error, "no detail for a stream")).ok()
        };
        let snapshot = shared.snapshot.get_or_init(read).await.as_ref()?;
        DeviceDetail::of_snapshot(snapshot, &self.actor).map(Box::new)
    }

    /// Sends the progress of a job, unless the stream must end.
    async fn send_job(&mut self, job: Uuid) -> Option<EndReason> {
        let end = self.check().await;
        if end.is_some() || !self.may_send() {
            return end;
        }
        match jobs::progress(&self.state.base.db, &self.actor, job).await {
            Ok(Some(progress)) => self.queue.push(event("job", &progress)),
            // Another user's job, or a deleted one.
            Ok(None) => {}
            Err(error) => {
                tracing::error!(%error, "a job could not be read for a stream");
                self.queue.request_resync();
            }
        }
        None
    }

    /// Whether the device was in one of the reader's lists.
    fn could_see(&self, notice: &DeviceNotice<'_>) -> bool {
        match self.actor.scope() {
            Scope::Everything => notice.lists().next().is_some(),
            Scope::Csp(own) => notice.lists().any(|csp| csp == own),
            Scope::Nothing => false,
        }
    }

    /// Sends a list event, unless the stream must end.
    async fn send_list_change(&mut self) -> Option<EndReason> {
        let end = self.check().await;
        if end.is_none() && self.may_send() {
            self.queue.push(named("list"));
        }
        end
    }

    fn may_send(&self) -> bool {
        self.state.sessions.is_fresh(self.checked_at)
    }

    /// Checks that the session is valid and its role at most a minute old. It reads the session's row each time,
    /// because another node may have ended the session or changed its access, and bus notices do not cross nodes. While
    /// the cloud is unreachable nothing is sent, and the reader gets a `resync` afterwards.
    async fn check(&mut self) -> Option<EndReason> {
        match self.state.sessions.fresh_by_hash(&self.actor.session).await {
            Ok(session) if session.actor() != self.actor => Some(EndReason::AccessChanged),
            Ok(session) => {
                self.checked_at = session.access_read_at;
                None
            }
            Err(ApiError::NotSignedIn) => Some(EndReason::SignedOut),
            Err(error) => {
                tracing::warn!(%error, "a stream is paused: its role cannot be checked");
                self.checked_at = Timestamp::MIN;
                self.queue.request_resync();
                None
            }
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_else(|_| named("resync"))
}
