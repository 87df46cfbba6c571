//! Applies the events of the live stream to the index and publishes them. Only the node with the lease writes. A node that does not
//! hear it over the bus publishes an event itself once the index contains it.

use std::collections::HashSet;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::nodes::lease::Lease;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::PassHandle;
use super::event_group::{EventGroup, QueuedEvent};
use super::metrics;
use crate::base::Base;
use crate::index::observed_devices::AttentionQueue;
use crate::index::{self, DeviceChanges, DueReads, StreamProgress};

/// Maximum number of events in one transaction.
const GROUP: usize = 512;
/// Interval at which the time of the states is written.
const ADVANCE_INTERVAL: SignedDuration = SignedDuration::from_secs(1);
/// Interval at which another node's changes are looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long an event waits for the other node, which may have failed.
const MAX_WAIT: Duration = Duration::from_secs(3);
/// Maximum number of devices with waiting events. Further events are published without waiting.
const MAX_WAITING: usize = 4096;

/// The task that applies events.
pub(crate) struct StreamWriter {
    base: Base,
    /// The lease of the passes.
    lease: Lease,
    passes: PassHandle,
    events: mpsc::Receiver<QueuedEvent>,
    /// Devices to read again.
    rejected: mpsc::Sender<String>,
    /// Gets the devices whose rows were written.
    attention: AttentionQueue,
    /// Gets the devices of which only the cloud has all that changed.
    reads: DueReads,
    progress: StreamProgress,
    /// When the time of the states was last written, or tried to.
    advanced_at: Option<Timestamp>,
    /// Events that the other node has not written yet.
    waiting: EventGroup,
}

impl StreamWriter {
    pub(crate) fn new(
        base: Base,
        lease: Lease,
        passes: PassHandle,
        events: mpsc::Receiver<QueuedEvent>,
        rejected: mpsc::Sender<String>,
        attention: AttentionQueue,
        reads: DueReads,
    ) -> Self {
        let (progress, waiting) = (StreamProgress::default(), EventGroup::default());
        Self { base, lease, passes, events, rejected, attention, reads, progress, advanced_at: None, waiting }
    }

    /// Applies events until the listener ends.
    pub(crate) async fn run(mut self) {
        let mut queued = Vec::with_capacity(GROUP);
        loop {
            tokio::select! {
                1.. = self.events.recv_many(&mut queued, GROUP) => {}
                () = tokio::time::sleep(POLL_INTERVAL), if !self.waiting.devices.is_empty() => {}
                else => return,
            }
            self.apply(queued.drain(..)).await;
            // Lets the readers of the notices catch up.
            tokio::task::yield_now().await;
        }
    }

    /// Applies one group of events, and those that are waiting.
    pub(super) async fn apply(&mut self, queued: impl ExactSizeIterator<Item = QueuedEvent>) {
        metrics::stream_events(queued.len());
        let (mut group, mut progress) = (std::mem::take(&mut self.waiting), self.progress);
        for QueuedEvent { event, complete_since, sent_at } in queued {
            progress.record(complete_since, sent_at);
            group.add(event);
        }
        let rejected = std::mem::take(&mut group.rejected);
        let applied = match self.lease.ensure_held().await {
            Ok(true) => {
                rejected.iter().for_each(|dsn| self.read_again(dsn));
                self.write(&mut group, progress).await
            }
            Ok(false) => self.follow(group).await,
            Err(error) => Err(error),
        };
        if let Err(error) = applied {
            // An unavailable database is logged once, not for each event.
            if !error.is_unavailable() {
                tracing::error!(%error, "events could not be applied to the index");
            }
            metrics::stream_gap();
            self.progress.record_gap(self.base.clock.now());
            self.passes.request();
        }
        if !rejected.is_empty() {
            self.progress.record_gap(self.base.clock.now());
        }
        for dsn in rejected {
            if self.rejected.try_send(dsn).is_err() {
                self.passes.request();
            }
        }
    }

    /// Writes the events of the group and publishes them.
    async fn write(&mut self, group: &mut EventGroup, progress: StreamProgress) -> platform::db::Result<()> {
        let Base { db, clock, .. } = &self.base;
        let outcome = match index::apply_group(db, clock, &group.devices).await {
            // The connection may have been lost before this group. Applying a group again gives the same rows.
            Err(error) if error.is_unavailable() => index::apply_group(db, clock, &group.devices).await,
            outcome => outcome,
        }?;
        metrics::stream_rows(outcome.written.len());
        outcome.written.iter().for_each(|dsn| self.attention.note(dsn));
        let written: HashSet<&str> = outcome.written.iter().map(String::as_str).collect();
        for DeviceChanges { dsn, changes } in &group.devices {
            let is_new = written.contains(dsn.as_str());
            if changes.iter().any(|change| change.needs_read(is_new)) {
                self.read_again(dsn);
            }
        }
        self.progress = progress;
        if outcome.lacks_devices {
            self.progress.record_gap(clock.now());
        }
        group.publish(&self.base.bus, |dsn, _| Some(outcome.lists.get(dsn).cloned()));
        self.advance().await
    }

    /// If too many devices wait, the next pass finds this one.
    fn read_again(&self, dsn: &str) {
        self.reads.add_urgent(&dsn.into());
    }

    /// Leaves the events of the group to the node with the lease. If the bus is silent, publishes those that it has written; the
    /// rest waits.
    async fn follow(&mut self, mut group: EventGroup) -> platform::db::Result<()> {
        let Base { db, clock, bus, .. } = &self.base;
        // This node did not write them. Another node may lose the lease before it does.
        self.progress.record_gap(clock.now());
        if bus.hears_others() {
            return Ok(());
        }
        let applied = index::find_applied(db, clock, &group.devices).await?;
        let (now, is_full) = (Instant::now(), group.devices.len() > MAX_WAITING);
        group.publish(bus, |dsn, since| match applied.get(dsn) {
            Some(list) => Some(list.clone()),
            None => (is_full || now.duration_since(since) >= MAX_WAIT).then_some(None),
        });
        self.waiting = group;
        Ok(())
    }

    /// Writes how far the states are complete, at most once a second.
    async fn advance(&mut self) -> platform::db::Result<()> {
        let now = self.base.clock.now();
        if self.advanced_at.is_some_and(|at| now.duration_since(at) < ADVANCE_INTERVAL) {
            return Ok(());
        }
        let Some(states_as_of) = self.progress.states_as_of(self.passes.last_pass_began()) else { return Ok(()) };
        self.advanced_at = Some(now);
        index::advance(&self.base.db, &self.lease, states_as_of).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
