//! The work that the task takes from the manager, and its results.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Core, DeviceEntry};
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::http::status_text;
use crate::manager::DeviceManagerEvent;
use crate::manager::core::record::KnownDevice;
use crate::manager::freshness::{Freshness, StaleReason};
use crate::manager::polling::{self, Polling};
use crate::manager::state_machine::Event;
use crate::model::{Device, Dsn, Property};

/// Work that is done sequentially.
#[derive(Clone)]
pub(in crate::manager) enum Step {
    List,
    Properties(Arc<KnownDevice>),
}

/// A request to read the device list.
pub(in crate::manager) struct ListRequest {
    /// Whether to read the cloud's list, or only the devices added by the application.
    pub(in crate::manager) all: bool,
    pub(in crate::manager) added_manually: Vec<Dsn>,
    /// Only the first list is retried on network failures; later ones are read every 15 s anyway.
    pub(in crate::manager) retries: bool,
}

/// The result of reading the device list.
pub(in crate::manager) struct ListResult {
    pub(in crate::manager) started_at: Instant,
    pub(in crate::manager) listed: Vec<Device>,
    pub(in crate::manager) added_manually: Vec<AddedDevice>,
}

/// A device that the application added and the list does not contain.
pub(in crate::manager) struct AddedDevice {
    pub(in crate::manager) dsn: Dsn,
    pub(in crate::manager) read: Result<Box<Device>>,
}

/// The result of reading the properties of a device.
pub(in crate::manager) struct ReadResult {
    pub(in crate::manager) record: Arc<KnownDevice>,
    pub(in crate::manager) generation: u64,
    pub(in crate::manager) epoch: u64,
    /// The properties, and when the read of them began.
    pub(in crate::manager) read: Result<(Instant, Vec<Property>)>,
}

impl Core {
    pub(in crate::manager) fn generation(&self) -> u64 {
        self.generation
    }

    pub(in crate::manager) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(in crate::manager) fn is_streaming(&self) -> bool {
        self.streaming
    }

    /// The step to start now, with its number.
    pub(in crate::manager) fn take_step(&mut self) -> Option<(u64, Step)> {
        if self.step_started {
            return None;
        }
        let step = self.step.clone()?;
        self.step_started = true;
        if let Step::Properties(record) = &step
            && let Some(entry) = self.devices.get_mut(&record.dsn)
        {
            entry.polling = entry.polling.before_first_read(polling::Event::ReadRequested);
        }
        Some((self.step_number, step))
    }

    pub(in crate::manager) fn list_read(&self) -> ListRequest {
        ListRequest {
            all: self.auto_fetch,
            added_manually: self.added_manually.iter().cloned().collect(),
            retries: !self.machine.initialised,
        }
    }

    /// Takes up to `room` devices to read now.
    pub(in crate::manager) fn take_queued(&mut self, room: usize) -> Vec<Arc<KnownDevice>> {
        if !self.polling {
            return Vec::new();
        }
        let mut taken = Vec::new();
        while taken.len() < room
            && let Some(record) = self.read_queue.pop_front()
        {
            if let Some(entry) = self.entry(&record) {
                entry.queued = false;
                taken.push(record);
            }
        }
        taken
    }

    /// The entry of this device, unless it was removed or replaced by another with the same serial number.
    fn entry(&mut self, record: &Arc<KnownDevice>) -> Option<&mut DeviceEntry> {
        self.devices.get_mut(&record.dsn).filter(|entry| Arc::ptr_eq(&entry.record, record))
    }

    /// Finishes the step with this number. `false` if it was replaced meanwhile.
    fn end_step(&mut self, number: u64) -> bool {
        let current = self.step_started && self.step_number == number;
        if current {
            self.begin(None);
        }
        current
    }

    pub(in crate::manager) fn finish_list(&mut self, number: u64, result: Result<ListResult>) {
        if !self.end_step(number) {
            return;
        }
        match result {
            Ok(listed) => {
                self.init_error = None;
                self.take_list(listed);
                self.handle(Event::ListFetched);
            }
            Err(error) => {
                tracing::debug!(kind = ?error.kind(), status = error.status(), "fetching the device list failed");
                self.init_error = Some(with_status_text(error));
                self.handle(Event::ListFailed);
            }
        }
    }

    fn take_list(&mut self, read: ListResult) {
        let mut removed = self.dsns();
        let mut added = Vec::new();
        let mut devices = read.listed;
        for AddedDevice { dsn, read } in read.added_manually {
            match read {
                Ok(device) => devices.push(*device),
                Err(error) => {
                    if error.status() == Some(404) {
                        self.added_manually.remove(&dsn);
                    } else {
                        removed.retain(|known| *known != dsn);
                    }
                    self.events.send(&DeviceManagerEvent::DeviceInitFailed { dsn, error });
                }
            }
        }
        for device in devices.into_iter().filter(|device| !device.dsn.is_blank()) {
            let dsn = device.dsn.clone();
            removed.retain(|known| *known != dsn);
            if let Some(entry) = self.devices.get(&dsn) {
                entry.record.update_device(device, read.started_at);
            } else {
                let record = Arc::new(KnownDevice::new(device, self.manager.clone()));
                let polling = if self.streaming { Polling::Stopped } else { Polling::Idle };
                self.devices
                    .insert(dsn.clone(), DeviceEntry { record, pending: true, polling, due: None, queued: false });
                added.push(dsn);
            }
        }
        removed.iter().for_each(|dsn| self.release(dsn));
        added.iter().filter_map(|dsn| self.devices.get(dsn)).for_each(|entry| entry.record.announce());
        self.send_device_changes(added, removed);
    }

    /// Handles the first properties of a device. Missing properties are an error of the device, but do not keep the
    /// manager from becoming ready.
    pub(in crate::manager) fn finish_properties(&mut self, number: u64, read: ReadResult) {
        if !self.end_step(number) {
            return;
        }
        if let Some(entry) = self.devices.get_mut(&read.record.dsn) {
            entry.pending = false;
        }
        let record = Arc::clone(&read.record);
        let error = match &read.read {
            Ok((_, properties)) if properties.is_empty() => {
                Some(Error::new(ErrorKind::General, messages::NO_PROPERTIES).not_sent())
            }
            Ok(_) => None,
            Err(error) => Some(error.clone()),
        };
        self.record_read(read);
        if let Some(error) = error {
            tracing::warn!(kind = ?error.kind(), status = error.status(), "initialising a device failed");
            record.state().init_error = Some(error.clone());
            self.events.send(&DeviceManagerEvent::DeviceInitFailed { dsn: record.dsn.clone(), error });
        }
        self.handle(Event::PropertiesFetched);
    }

    pub(in crate::manager) fn finish_read(&mut self, read: ReadResult) {
        if read.generation == self.generation && self.entry(&read.record).is_some() {
            self.record_read(read);
        }
    }

    /// Stores the result of a read, and schedules the next one.
    fn record_read(&mut self, read: ReadResult) {
        let ReadResult { record, epoch, read, .. } = read;
        self.poll(&record.dsn, polling::Event::ReadFinished);
        match read {
            Ok((started_at, properties)) => {
                let is_current = epoch == self.epoch;
                let freshness = self.freshness_after_read(&record, is_current);
                record.finish_read(properties, started_at, is_current, freshness);
            }
            Err(error) => {
                tracing::debug!(kind = ?error.kind(), status = error.status(), "reading a device failed");
                record.fail_read(error);
                let streaming = self.streaming;
                // Nothing else would read the device again while values arrive by the stream.
                if let Some(entry) = self.entry(&record).filter(|entry| streaming && entry.polling == Polling::Stopped)
                {
                    entry.schedule();
                }
            }
        }
    }

    fn freshness_after_read(&self, record: &KnownDevice, is_current: bool) -> Freshness {
        match self.devices.get(&record.dsn) {
            // Another read follows.
            _ if !is_current => record.state().freshness.clone(),
            _ if self.streaming => Freshness::Live,
            Some(entry) if entry.polling.is_active() => Freshness::Polled,
            _ => Freshness::Stale(StaleReason::NotPolled),
        }
    }
}

/// Replaces the message of an error response with the status text, as specified. The original error is the source.
fn with_status_text(error: Error) -> Error {
    match error.status() {
        Some(status) => {
            Error::new(error.kind(), status_text(status)).with_status(status).with_outcome_of(&error).with_source(error)
        }
        None => error,
    }
}
