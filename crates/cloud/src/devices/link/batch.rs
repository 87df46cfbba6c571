//! The messages that one transaction stores.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use super::message::{Ack, Connect, DeviceMessage, Queued, Refusal, Silence, StoredReport};
use super::types::{AckOutcome, ConnectOutcome, Generation, ReportOutcome};

/// Messages of devices by kind. One transaction stores all of them.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) connected: Vec<Queued<Connect, ConnectOutcome>>,
    pub(super) disconnected: Vec<Queued<Generation, ()>>,
    pub(super) replaced: Vec<Queued<(), bool>>,
    pub(super) silences: Vec<Queued<Silence, ()>>,
    pub(super) reports: Vec<Queued<StoredReport, ReportOutcome>>,
    pub(super) acks: Vec<Queued<Ack, AckOutcome>>,
    pub(super) refusals: Vec<Queued<Refusal, ()>>,
    /// The kind of each device's messages. A batch has one kind per device, because it is stored kind by kind and would
    /// otherwise reorder the messages of a device.
    kinds: HashMap<i64, Discriminant<DeviceMessage>>,
}

impl Batch {
    /// Adds a message. Returns it when it must wait for the next batch.
    pub(super) fn add(&mut self, message: DeviceMessage) -> Option<DeviceMessage> {
        let kind = discriminant(&message);
        if *self.kinds.entry(message.device_id()).or_insert(kind) != kind {
            return Some(message);
        }
        match message {
            DeviceMessage::Connected(queued) => self.connected.push(queued),
            DeviceMessage::Disconnected(queued) => self.disconnected.push(queued),
            DeviceMessage::Replaced(queued) => self.replaced.push(queued),
            DeviceMessage::Silence(queued) => self.silences.push(queued),
            DeviceMessage::Report(queued) => self.reports.push(queued),
            DeviceMessage::Ack(queued) => self.acks.push(queued),
            DeviceMessage::Refused(queued) => self.refusals.push(queued),
        }
        None
    }

    /// Approximate number of rows to write.
    pub(super) fn size(&self) -> usize {
        let rows = |report: &StoredReport| report.values.len() + report.faults.counts.len();
        let values: usize = self.reports.iter().map(|queued| rows(&queued.payload)).sum();
        values + self.kinds.len()
    }
}
