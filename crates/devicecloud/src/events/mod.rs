//! Events from one sender to any number of receivers, each with its own bounded queue.

#[cfg(feature = "managers")]
pub(crate) mod manager_event;

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use futures::Stream;

/// A receiver of events, from the time of the subscription on. Its queue is bounded: if the receiver falls too far
/// behind, further events are dropped and replaced by an event that says so, which arrives after the queued ones. A slow
/// receiver delays neither the sender nor other receivers.
///
/// It is a [`Stream`]; [`next`](Self::next) works without importing `StreamExt`.
pub struct Events<T>(Arc<Queue<T>>);

impl<T> Events<T> {
    /// A receiver whose sender no longer exists.
    pub(crate) fn ended() -> Self {
        Self(Arc::new(Queue(Mutex::new(QueueState::new(0, true)))))
    }

    /// The next event; `None` once the source of the events no longer exists. Cancel safe.
    pub async fn next(&mut self) -> Option<T> {
        poll_fn(|context| self.0.poll(context)).await
    }
}

impl<T> Stream for Events<T> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        self.0.poll(context)
    }
}

impl<T> fmt::Debug for Events<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

/// An event that can be lost by a slow receiver.
pub(crate) trait LossyEvent: Clone {
    /// The event that a receiver gets in place of this one if it was lost.
    fn gap(&self) -> Self;

    /// Whether one gap can replace both events.
    fn shares_gap(&self, _other: &Self) -> bool {
        true
    }
}

/// The sender of events. Dropping it ends the receivers.
pub(crate) struct EventSender<T> {
    capacity: usize,
    queues: Mutex<Vec<Weak<Queue<T>>>>,
}

impl<T> EventSender<T> {
    /// `capacity`: how many events a receiver may fall behind, at least 1.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, queues: Mutex::default() }
    }

    pub(crate) fn subscribe(&self) -> Events<T> {
        let queue = Arc::new(Queue(Mutex::new(QueueState::new(self.capacity, false))));
        let mut queues = self.queues();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(&queue));
        Events(queue)
    }

    fn queues(&self) -> MutexGuard<'_, Vec<Weak<Queue<T>>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: LossyEvent> EventSender<T> {
    pub(crate) fn send(&self, event: &T) {
        self.queues().retain(|queue| match queue.upgrade() {
            Some(queue) => {
                queue.change(|state| state.push(event));
                true
            }
            None => false,
        });
    }
}

impl<T> Drop for EventSender<T> {
    fn drop(&mut self) {
        for queue in self.queues().iter().filter_map(Weak::upgrade) {
            queue.change(|state| state.ended = true);
        }
    }
}

struct Queue<T>(Mutex<QueueState<T>>);

impl<T> Queue<T> {
    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut QueueState<T>)) {
        let mut state = self.state();
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut state = self.state();
        match state.pop() {
            Some(event) => Poll::Ready(Some(event)),
            None if state.ended => Poll::Ready(None),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

struct QueueState<T> {
    capacity: usize,
    events: VecDeque<T>,
    /// Gaps that wait for room in `events`; not empty only while `events` is full.
    gaps: VecDeque<T>,
    ended: bool,
    waker: Option<Waker>,
}

impl<T> QueueState<T> {
    fn new(capacity: usize, ended: bool) -> Self {
        Self { capacity, events: VecDeque::new(), gaps: VecDeque::new(), ended, waker: None }
    }

    /// The room is given to a waiting gap, so that gaps arrive however many events follow.
    fn pop(&mut self) -> Option<T> {
        let event = self.events.pop_front()?;
        self.events.extend(self.gaps.pop_front());
        Some(event)
    }
}

impl<T: LossyEvent> QueueState<T> {
    fn push(&mut self, event: &T) {
        if self.events.len() < self.capacity {
            self.events.push_back(event.clone());
        } else if !self.gaps.iter().any(|gap| gap.shares_gap(event)) {
            self.gaps.push_back(event.gap());
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, StreamExt};

    use super::*;

    /// An event of a subject with a number; `None` is a gap.
    type Numbered = (char, Option<u32>);

    impl LossyEvent for Numbered {
        fn gap(&self) -> Self {
            (self.0, None)
        }

        fn shares_gap(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }

    fn send(sender: &EventSender<Numbered>, subjects: &str, number: u32) {
        subjects.chars().for_each(|subject| sender.send(&(subject, Some(number))));
    }

    /// The events that are available now, such as `a1` and `a-` for a gap.
    fn available(events: &mut Events<Numbered>) -> String {
        let mut all = Vec::new();
        while let Some(Some((subject, number))) = events.next().now_or_never() {
            all.push(number.map_or(format!("{subject}-"), |number| format!("{subject}{number}")));
        }
        all.join(" ")
    }

    #[test]
    fn every_receiver_gets_the_events_since_its_subscription() {
        let sender = EventSender::new(4);
        send(&sender, "a", 1);
        let mut early = sender.subscribe();
        send(&sender, "b", 2);
        let mut late = sender.subscribe();
        send(&sender, "c", 3);
        assert_eq!((available(&mut early).as_str(), available(&mut late).as_str()), ("b2 c3", "c3"));
    }

    #[test]
    fn full_queue_replaces_lost_events_with_one_gap_per_subject_behind_the_queued_events() {
        let sender = EventSender::new(3);
        let mut events = sender.subscribe();
        send(&sender, "abcabca", 1);
        assert_eq!(available(&mut events), "a1 b1 c1 a- b- c-");
        send(&sender, "ab", 2);
        assert_eq!(available(&mut events), "a2 b2", "nothing is lost once there is room again");
    }

    #[test]
    fn gap_arrives_while_the_queue_stays_full() {
        let sender = EventSender::new(2);
        let mut events = sender.subscribe();
        let mut received = Vec::new();
        for number in 0..100 {
            send(&sender, "abcd", number);
            received.extend(events.next().now_or_never().flatten());
        }
        for subject in 'a'..='d' {
            assert!(received.contains(&(subject, None)), "{subject}: {received:?}");
        }
    }

    #[test]
    fn memory_is_bounded_by_the_capacity_and_the_number_of_subjects() {
        let sender = EventSender::new(16);
        let events = sender.subscribe();
        for number in 0..1000 {
            send(&sender, "abcdefgh", number);
        }
        let state = events.0.state();
        assert_eq!((state.events.len(), state.gaps.len()), (16, 8));
    }

    #[tokio::test]
    async fn waiting_receiver_is_woken_by_an_event_and_by_the_end() {
        let sender = EventSender::new(1);
        let mut events = sender.subscribe();
        let reader = tokio::spawn(async move { (StreamExt::next(&mut events).await, events.next().await) });
        tokio::task::yield_now().await;
        send(&sender, "a", 1);
        tokio::task::yield_now().await;
        drop(sender);
        assert_eq!(reader.await.unwrap(), (Some(('a', Some(1))), None));
    }

    #[test]
    fn queued_events_outlive_the_sender_and_dropped_receivers_are_forgotten() {
        let sender = EventSender::new(1);
        let mut events = sender.subscribe();
        drop(sender.subscribe());
        send(&sender, "ab", 1);
        assert_eq!(sender.queues().len(), 1);
        drop(sender);
        assert_eq!(available(&mut events), "a1 b-");
        assert_eq!(events.next().now_or_never(), Some(None));
        assert_eq!(Events::<Numbered>::ended().next().now_or_never(), Some(None));
    }
}
