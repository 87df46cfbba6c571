//! The live streams of two nodes, one of which writes: events arrive late, in groups, twice or never.

use std::collections::VecDeque;

use super::super::super::sync_state::ADVANCE;
use super::*;

/// An event that a node has yet to receive.
#[derive(Clone)]
struct SentEvent {
    dsn: String,
    change: StreamChange,
    sent_at: Timestamp,
}

/// The streams of both nodes.
pub(super) struct SimulatedStreams {
    base: Base,
    streams: [VecDeque<SentEvent>; 2],
    /// Since when each stream is complete.
    complete_since: [Timestamp; 2],
    /// The node that writes.
    writer: usize,
    progress: StreamProgress,
    /// Counts the times that a node has acquired the lease.
    pub(super) tenure: u64,
    /// When the last pass of this tenure began that is complete.
    last_began: Option<Timestamp>,
}

impl SimulatedStreams {
    pub(super) fn new(base: Base) -> Self {
        let complete_since = [base.clock.now(); 2];
        let (streams, progress) = (<[VecDeque<_>; 2]>::default(), StreamProgress::default());
        Self { base, streams, complete_since, writer: 0, progress, tenure: 0, last_began: None }
    }

    pub(super) fn send(&mut self, dsn: &str, change: Option<StreamChange>, sent_at: Timestamp) {
        for stream in &mut self.streams {
            stream.extend(change.map(|change| SentEvent { dsn: dsn.to_owned(), change, sent_at }));
        }
    }

    /// Drops the events of a device that was removed.
    pub(super) fn forget(&mut self, dsn: &str) {
        for stream in &mut self.streams {
            stream.retain(|event| event.dsn != dsn);
        }
    }

    /// A random node acquires the lease. Events that it has received until now were not written by it.
    pub(super) fn take_over(&mut self) {
        self.writer = self.any_node();
        (self.tenure, self.last_began, self.progress) = (self.tenure + 1, None, StreamProgress::default());
        self.progress.record_gap(self.base.clock.now());
    }

    pub(super) fn complete_pass(&mut self, tenure: u64, began: Option<Timestamp>) {
        if tenure == self.tenure {
            self.last_began = self.last_began.max(began);
        }
    }

    /// Delivers some events to a node, or loses what it has yet to receive.
    pub(super) async fn deliver(&mut self) {
        let node = self.any_node();
        if self.base.random.below(12) == 0 {
            return self.lose(node).await;
        }
        let count = usize::try_from(1 + self.base.random.below(4)).unwrap().min(self.streams[node].len());
        let events: Vec<SentEvent> = self.streams[node].drain(..count).collect();
        if let ([again], 0) = (events.as_slice(), self.base.random.below(6)) {
            self.streams[node].push_front(again.clone());
        }
        self.receive(node, events).await;
    }

    /// Delivers or loses all events that were sent before `time`.
    pub(super) async fn deliver_before(&mut self, time: Timestamp) {
        for node in 0..self.streams.len() {
            if self.base.random.below(6) == 0 && self.streams[node].iter().any(|event| event.sent_at < time) {
                self.lose(node).await;
            }
            while self.streams[node].front().is_some_and(|event| event.sent_at < time) {
                let event = self.streams[node].pop_front();
                self.receive(node, event.into_iter().collect()).await;
            }
        }
    }

    async fn lose(&mut self, node: usize) {
        self.streams[node].clear();
        self.complete_since[node] = self.base.clock.now();
        request_pass(&self.base.db).await.unwrap();
    }

    async fn receive(&mut self, node: usize, events: Vec<SentEvent>) {
        if node != self.writer {
            return;
        }
        let mut group: Vec<DeviceChanges> = Vec::new();
        for SentEvent { dsn, change, sent_at } in events {
            self.progress.record(self.complete_since[node], Some(sent_at));
            match group.iter_mut().find(|device| device.dsn == dsn) {
                Some(device) => device.changes.push(change),
                None => group.push(DeviceChanges { dsn, changes: vec![change] }),
            }
        }
        let Base { db, clock, .. } = &self.base;
        if apply_group(db, clock, &group).await.unwrap().lacks_devices {
            self.progress.record_gap(clock.now());
        }
        if let Some(states_as_of) = self.progress.states_as_of(self.last_began) {
            // The writer's lease is not simulated.
            db.execute(ADVANCE, params![states_as_of]).await.unwrap();
        }
    }

    fn any_node(&self) -> usize {
        usize::try_from(self.base.random.below(2)).unwrap()
    }
}
