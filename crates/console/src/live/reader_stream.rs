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
use crate::hub::{IndexedDevice, ReaderChannels, ReaderNotice, SharedReads};
use crate::index;
use crate::jobs;
use crate::notice::{self, DeviceNotice, EndReason, Notice};
use crate::policy::{Actor, Scope};
use crate::session::Sessions;

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
    // The first check notices a session that ended before the subscription.
    let stream = ReaderStream { state, actor, pages, queue, checked: None };
    tokio::spawn(stream.run(channels));
    ReceiverStream::new(reader).map(Ok)
}

struct ReaderStream {
    state: CoreState,
    actor: Actor,
    /// The devices whose pages are open.
    pages: HashSet<String>,
    queue: EventQueue,
    /// The last successful check; `None` while the stream is paused.
    checked: Option<CheckedSession>,
}

/// A session that was valid and had the stream's access.
struct CheckedSession {
    /// The version of all sessions before the check.
    version: i64,
    /// When the actor's role was last read from the cloud.
    access_read_at: Timestamp,
    expires_at: Timestamp,
}

impl ReaderStream {
    async fn run(mut self, mut channels: ReaderChannels) {
        let mut lists = ListSignal::new(channels.lists);
        self.queue.push(named("ready"));
        let stopping = self.state.stopping.clone();
        let mut recheck = tokio::time::interval(RECHECK_INTERVAL);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut closed = Box::pin(self.queue.closed());
        let slot = self.state.streams.take(self.actor.user);
        loop {
            let end = tokio::select! {
                biased;
                () = &mut closed => return,
                () = stopping.cancelled() => return,
                () = slot.taken_over() => Some(EndReason::TooManyStreams),
                Ok(()) = channels.end.changed() => *channels.end.borrow_and_update(),
                Ok(()) = channels.resync.changed() => {
                    self.queue.request_resync();
                    self.check_now().await
                }
                () = self.queue.flush_resync() => None,
                _ = recheck.tick() => self.check_now().await,
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

    async fn on_notice(&mut self, notice: &ReaderNotice) -> Option<EndReason> {
        let Delivery::Message { subject, payload } = &notice.delivery else {
            self.queue.request_resync();
            return None;
        };
        match notice::read(subject, payload) {
            Some(Notice::Device(device)) => self.send_device(&device, &notice.shared).await,
            Some(Notice::Job { job, .. }) => self.send_job(job).await,
            Some(Notice::Session(..)) | None => None,
        }
    }

    /// Sends a device event, unless the stream must end.
    async fn send_device(&mut self, notice: &DeviceNotice<'_>, shared: &SharedReads) -> Option<EndReason> {
        let cell = shared.device(&self.actor);
        let Some(indexed) = cell.get_or_init(|| self.indexed(notice.dsn)).await else {
            self.queue.request_resync();
            return None;
        };
        let end = self.check(indexed.session_version).await;
        if end.is_some() || self.checked.is_none() {
            return end;
        }
        match &indexed.record {
            Some(record) => {
                let has_page = self.pages.contains(notice.dsn);
                let cell = shared.event(&self.actor, has_page);
                let encode = || async {
                    let (dsn, device) = (notice.dsn.to_owned(), DeviceView::new(record.clone(), &self.actor));
                    let detail = if has_page { self.detail(&dsn, shared).await } else { None };
                    event("device", &DeviceEvent { dsn, kind: notice.kind, device, detail })
                };
                let device_event = cell.get_or_init(encode).await.clone();
                self.queue.push(device_event);
            }
            None if self.could_see(notice) => {
                self.queue.push(event("removed", &DeviceRemoved { dsn: notice.dsn.to_owned() }));
            }
            // The reader could never see it.
            None => {}
        }
        None
    }

    /// The device as the reader's scope sees it; `None` if the database fails.
    async fn indexed(&self, dsn: &str) -> Option<IndexedDevice> {
        let read = async {
            Ok::<_, ApiError>(
                match index::find_with(&self.state.base.db, &self.actor, dsn, Sessions::VERSION).await? {
                    Some((record, session_version)) => IndexedDevice { record: Some(record), session_version },
                    None => IndexedDevice { record: None, session_version: self.state.sessions.version().await? },
                },
            )
        };
        read.await.inspect_err(|error| tracing::error!(%error, "the index could not be read for streams")).ok()
    }

    /// What the page of the device shows.
    async fn detail(&self, dsn: &str, shared: &SharedReads) -> Option<Box<DeviceDetail>> {
        let read = || async {
            let snapshot = devices::page_snapshot(&self.state, dsn, shared.read.clone()).await;
            snapshot.inspect_err(|error| tracing::warn!(device.dsn = %dsn, %error, "no detail for a stream")).ok()
        };
        let snapshot = shared.snapshot.get_or_init(read).await.as_ref()?;
        DeviceDetail::of_snapshot(snapshot, &self.actor).map(Box::new)
    }

    /// Sends the progress of a job, unless the stream must end.
    async fn send_job(&mut self, job: Uuid) -> Option<EndReason> {
        let end = self.check_version().await;
        if end.is_some() || self.checked.is_none() {
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
        let end = self.check_version().await;
        if end.is_none() && self.checked.is_some() {
            self.queue.push(named("list"));
        }
        end
    }

    /// As [`check`](Self::check), with the present version of all sessions.
    async fn check_version(&mut self) -> Option<EndReason> {
        match self.state.sessions.version().await {
            Ok(version) => self.check(version).await,
            Err(error) => {
                self.pause(&error);
                None
            }
        }
    }

    /// Checks that the session is valid and its role at most a minute old, from memory while the version of all sessions has
    /// not grown to `version` since the last check: every node changes it when a session ends or its access changes.
    async fn check(&mut self, version: i64) -> Option<EndReason> {
        let is_valid = self.checked.as_ref().is_some_and(|checked| {
            checked.version >= version
                && self.state.sessions.is_fresh(checked.access_read_at)
                && checked.expires_at > self.state.base.clock.now()
        });
        if is_valid { None } else { self.check_now().await }
    }

    /// As [`check`](Self::check), from the database, and from the cloud if the role is older. While the cloud is unreachable
    /// nothing is sent, and the reader gets a `resync` afterwards.
    async fn check_now(&mut self) -> Option<EndReason> {
        let sessions = &self.state.sessions;
        // The version is read first: a change after that is noticed at the next event.
        let read = async { Ok((sessions.version().await?, sessions.fresh_by_hash(&self.actor.session).await?)) };
        match read.await {
            Ok((_, session)) if session.actor() != self.actor => Some(EndReason::AccessChanged),
            Ok((version, session)) => {
                let (access_read_at, expires_at) = (session.access_read_at, sessions.expires_at(&session));
                self.checked = Some(CheckedSession { version, access_read_at, expires_at });
                None
            }
            Err(ApiError::NotSignedIn) => Some(EndReason::SignedOut),
            Err(error) => {
                self.pause(&error);
                None
            }
        }
    }

    fn pause(&mut self, error: &ApiError) {
        tracing::warn!(%error, "a stream is paused: its role cannot be checked");
        self.checked = None;
        self.queue.request_resync();
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_else(|_| named("resync"))
}
