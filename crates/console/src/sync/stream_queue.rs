//! The queue between the listener of the stream and the writer of the index.

use jiff::Timestamp;
use platform::run::clock::Clock;
use tokio::sync::mpsc;

use super::PassHandle;
use super::event_group::{DeviceEvent, QueuedEvent};
use super::metrics;
use crate::base::Base;

/// Maximum number of events that wait for the index: about five seconds of a large fleet, 5 MB.
pub(crate) const STREAM_QUEUE: usize = 16_384;

/// The listener's end of the queue.
pub(crate) struct StreamQueue {
    events: mpsc::Sender<QueuedEvent>,
    passes: PassHandle,
    clock: Clock,
    /// Since when the stream has delivered, and the queue has taken, every event.
    complete_since: Timestamp,
    /// Whether the last event was dropped.
    is_full: bool,
}

impl StreamQueue {
    pub(crate) fn new(base: &Base, passes: PassHandle, events: mpsc::Sender<QueuedEvent>) -> Self {
        let clock = base.clock.clone();
        Self { events, passes, complete_since: clock.now(), clock, is_full: false }
    }

    /// Requests a pass, because events before now may have been missed.
    pub(super) fn restart(&mut self) {
        self.complete_since = self.clock.now();
        self.passes.request();
    }

    #[cfg(feature = "testing")]
    pub(crate) fn has_room(&self) -> bool {
        self.events.capacity() > 0
    }

    /// Adds an event that the cloud recorded at `recorded_at`, without waiting. A full queue drops it and requests a pass.
    /// Returns whether it was added.
    pub(crate) fn push(&mut self, event: DeviceEvent, recorded_at: Option<Timestamp>) -> bool {
        let sent_at = recorded_at.map(|at| at.min(self.clock.now()));
        let queued = QueuedEvent { event, complete_since: self.complete_since, sent_at };
        let is_full = self.events.try_send(queued).is_err();
        if is_full {
            self.restart();
        }
        if is_full && !self.is_full {
            metrics::stream_gap();
            tracing::warn!("the live stream is faster than the index, events are dropped");
        }
        self.is_full = is_full;
        !is_full
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use platform::bus::Bus;
    use platform::run::random::Random;
    use platform::testing::TestDb;

    use super::*;
    use crate::events::notices::DeviceEventKind;
    use crate::index::StreamChange;
    use crate::sync::event_group::EventChange;

    fn event() -> DeviceEvent {
        let change = EventChange::Known(StreamChange::NotIndexed);
        DeviceEvent { dsn: "A".to_owned(), change, kind: DeviceEventKind::Reported, is_published: false }
    }

    #[tokio::test]
    async fn full_queue_drops_events_and_requests_a_pass() {
        let (test, clock) = (TestDb::sqlite().await, Clock::mock(Timestamp::UNIX_EPOCH));
        let base =
            Base { db: test.db.clone(), bus: Bus::in_process(), clock: clock.clone(), random: Random::seeded(1) };
        let (passes, (events, mut queued)) = (PassHandle::new(), mpsc::channel(1));
        let mut queue = StreamQueue::new(&base, passes.clone(), events);
        let begun = clock.now();
        assert!(queue.push(event(), None) && !passes.is_requested());
        clock.advance(SignedDuration::from_secs(5));
        assert!(!queue.push(event(), None) && passes.is_requested());
        assert_eq!(queued.recv().await.unwrap().complete_since, begun);

        // The cloud's clock may be ahead.
        assert!(queue.push(event(), Some(clock.now() + SignedDuration::from_hours(1))));
        let later = queued.recv().await.unwrap();
        assert_eq!((later.complete_since, later.sent_at), (clock.now(), Some(clock.now())), "complete since the gap");
    }
}
