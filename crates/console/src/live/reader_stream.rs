//! The event stream of one reader: events of its devices, lists and jobs that its actor may see.

use std::collections::HashSet;
use std::convert::Infallible;
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Interval, MissedTickBehavior};
use uuid::Uuid;

use super::dto::{StreamEnd, StreamReconnect};
use super::frame::{ATTENTION, HEARTBEAT, LIST, READY, RESYNC, frame};
use super::heartbeat::Heartbeat;
use super::reread_signal::RereadSignal;
use super::session_check::{SessionCheck, Verdict};
use crate::events::hub::{ReaderChannels, ReaderNotice};
use crate::events::notices::EndReason;
use crate::jobs;
use crate::limits::stream_slots::StreamSlot;
use crate::policy::Actor;
use crate::state::CoreState;

/// How often the role is checked even without device events.
const RECHECK_INTERVAL: Duration = Duration::from_secs(60);

/// When the readers of a stopping server connect again. They are many, and another server needs a moment for each.
const RECONNECT_MS: Range<u64> = 500..2_500;

/// Starts the stream. It ends when the session ends or changes, or the server stops.
///
/// The stream is polled only while the connection accepts data, so a slow reader delays only itself: the hub queues a bounded
/// number of its notices.
pub(super) fn start(
    state: CoreState,
    actor: Actor,
    dsns: HashSet<String>,
    pages: &HashSet<String>,
) -> impl Stream<Item = Result<Bytes, Infallible>> + use<> {
    // Subscribed before the first event, so that no notice is missed.
    let channels = state.hub.subscribe(&actor, dsns, pages);
    let frames = stream::unfold(ReaderStream::new(state, actor, channels), async |mut reader| {
        let frame = reader.next().await?;
        Some((frame, reader))
    });
    stream::once(std::future::ready(READY)).chain(frames).map(Ok)
}

struct ReaderStream {
    state: CoreState,
    session: SessionCheck,
    channels: ReaderChannels,
    lists: RereadSignal,
    attention: RereadSignal,
    /// Events were lost for all readers, for example while the bus was down.
    resyncs: RereadSignal,
    recheck: Interval,
    heartbeat: Heartbeat,
    slot: StreamSlot,
    /// Events were lost: the reader gets a `resync` as soon as its session is known to be valid.
    needs_resync: bool,
    has_ended: bool,
}

enum Wake {
    Stop,
    End(EndReason),
    Resync,
    Recheck,
    List,
    Attention,
    Notice(Result<ReaderNotice, RecvError>),
    Heartbeat,
}

impl ReaderStream {
    fn new(state: CoreState, actor: Actor, channels: ReaderChannels) -> Self {
        // The first check is immediate: it notices a session that ended before the subscription.
        let mut recheck = tokio::time::interval(RECHECK_INTERVAL);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let signal = |changes| RereadSignal::new(changes, state.hub.clone(), state.base.random.clone());
        Self {
            lists: signal(channels.lists.clone()),
            attention: signal(channels.attention.clone()),
            resyncs: signal(channels.resync.clone()),
            slot: state.streams.take(actor.user),
            session: SessionCheck::new(state.clone(), actor),
            channels,
            recheck,
            heartbeat: Heartbeat::new(),
            needs_resync: false,
            has_ended: false,
            state,
        }
    }

    /// The next event; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Bytes> {
        if self.has_ended {
            return None;
        }
        loop {
            if self.needs_resync && self.session.is_known() {
                self.needs_resync = false;
                return self.send(RESYNC);
            }
            let (verdict, event) = match self.wake().await {
                Wake::Stop => {
                    self.has_ended = true;
                    let after_ms =
                        RECONNECT_MS.start + self.state.base.random.below(RECONNECT_MS.end - RECONNECT_MS.start);
                    return Some(frame("reconnect", &StreamReconnect { after_ms }));
                }
                Wake::End(reason) => (Verdict::Ended(reason), None),
                Wake::Resync => {
                    self.needs_resync = true;
                    (self.session.check_now().await, None)
                }
                Wake::Recheck => (self.session.check_now().await, None),
                Wake::List => (self.session.check_version().await, Some(LIST)),
                Wake::Attention => (self.session.check_version().await, Some(ATTENTION)),
                Wake::Notice(Ok(ReaderNotice::Event { frame, session_version })) => {
                    (self.session.check(session_version).await, Some(frame))
                }
                Wake::Notice(Ok(ReaderNotice::Job(job))) => match self.session.check_version().await {
                    Verdict::Valid => (Verdict::Valid, self.job_event(job).await),
                    verdict => (verdict, None),
                },
                Wake::Notice(Ok(ReaderNotice::Missed) | Err(RecvError::Lagged(_))) => {
                    self.needs_resync = true;
                    continue;
                }
                Wake::Notice(Err(RecvError::Closed)) => return None,
                Wake::Heartbeat => (Verdict::Valid, Some(HEARTBEAT)),
            };
            match (verdict, event) {
                (Verdict::Ended(reason), _) => {
                    self.has_ended = true;
                    return Some(frame("end", &StreamEnd { reason }));
                }
                (Verdict::Valid, Some(event)) => return self.send(event),
                (Verdict::Valid, None) => {}
                (Verdict::Unknown, _) => self.needs_resync = true,
            }
        }
    }

    async fn wake(&mut self) -> Wake {
        let end = async {
            loop {
                if self.channels.end.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
                if let Some(reason) = *self.channels.end.borrow_and_update() {
                    return reason;
                }
            }
        };
        tokio::select! {
            biased;
            () = self.state.stopping.cancelled() => Wake::Stop,
            () = self.slot.taken_over() => Wake::End(EndReason::TooManyStreams),
            reason = end => Wake::End(reason),
            () = self.resyncs.due() => Wake::Resync,
            _ = self.recheck.tick() => Wake::Recheck,
            () = self.lists.due() => Wake::List,
            () = self.attention.due() => Wake::Attention,
            notice = self.channels.notices.recv() => Wake::Notice(notice),
            () = self.heartbeat.due() => Wake::Heartbeat,
        }
    }

    fn send(&mut self, event: Bytes) -> Option<Bytes> {
        self.heartbeat.restart();
        Some(event)
    }

    /// The progress of a job; `None` for another user's job or a deleted one.
    async fn job_event(&mut self, job: Uuid) -> Option<Bytes> {
        match jobs::progress(&self.state.base.db, &self.session.actor, job).await {
            Ok(progress) => progress.map(|progress| frame("job", &progress)),
            Err(error) => {
                tracing::error!(%error, "a job could not be read for a stream");
                self.needs_resync = true;
                None
            }
        }
    }
}
