//! The work that the task takes from the manager, and its results.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Core, Kept};
use crate::error::{Error, ErrorKind, Result};
use crate::http::status_text;
use crate::manager::DeviceManagerEvent;
use crate::manager::change::DeviceEvent;
use crate::manager::polling::{self, Polling};
use crate::manager::record::Record;
use crate::manager::standing::Event;
use crate::messages;
use crate::model::{Device, Dsn, Property};

/// Work that is done sequentially.
#[derive(Clone)]
pub(in crate::manager) enum Step {
    List,
    Properties(Arc<Record>),
}

/// A request to read the device list.
pub(in crate::manager) struct ListRead {
    /// Whether to read the cloud's list, or only the devices added by the application.
    pub(in crate::manager) all: bool,
    pub(in crate::manager) by_hand: Vec<Dsn>,
    /// Only the first list is retried on network failures; later ones are read every 15 s anyway.
    pub(in crate::manager) retries: bool,
}

/// The result of reading the device list.
pub(in crate::manager) struct Listed {
    pub(in crate::manager) began: Instant,
    pub(in crate::manager) listed: Vec<Device>,
    pub(in crate::manager) by_hand: Vec<ByHand>,
}

/// A device that the application added and the list does not contain.
pub(in crate::manager) struct ByHand {
    pub(in crate::manager) dsn: Dsn,
    pub(in crate::manager) read: Result<Box<Device>>,
}

/// The result of reading the properties of a device.
pub(in crate::manager) struct DeviceRead {
    pub(in crate::manager) record: Arc<Record>,
    pub(in crate::manager) generation: u64,
    pub(in crate::manager) began: Instant,
    pub(in crate::manager) read: Result<Vec<Property>>,
}

impl Core {
    pub(in crate::manager) fn generation(&self) -> u64 {
        self.generation
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
            && let Some(kept) = self.devices.get_mut(&record.dsn)
        {
            kept.polling = kept.polling.before_first_read(polling::Event::Once);
        }
        Some((self.step_number, step))
    }

    pub(in crate::manager) fn list_read(&self) -> ListRead {
        ListRead {
            all: self.auto_fetch,
            by_hand: self.by_hand.iter().cloned().collect(),
            retries: !self.standing.initialised,
        }
    }

    /// Takes up to `room` devices to read now.
    pub(in crate::manager) fn take_wanted(&mut self, room: usize) -> Vec<Arc<Record>> {
        if !self.polling {
            return Vec::new();
        }
        let mut taken = Vec::new();
        while taken.len() < room
            && let Some(record) = self.wanted.pop_front()
        {
            if let Some(kept) = self.kept(&record) {
                kept.queued = false;
                taken.push(record);
            }
        }
        taken
    }

    /// The entry of this device, unless it was removed or replaced by another with the same serial number.
    fn kept(&mut self, record: &Arc<Record>) -> Option<&mut Kept> {
        self.devices.get_mut(&record.dsn).filter(|kept| Arc::ptr_eq(&kept.record, record))
    }

    /// Finishes the step with this number. `false` if it was replaced meanwhile.
    fn end_step(&mut self, number: u64) -> bool {
        let current = self.step_started && self.step_number == number;
        if current {
            self.begin(None);
        }
        current
    }

    pub(in crate::manager) fn finish_list(&mut self, number: u64, result: Result<Listed>) {
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
                tracing::debug!(kind = ?error.kind(), status = error.status(), "a list of devices could not be fetched");
                self.init_error = Some(with_status_text(error));
                self.handle(Event::ListFailed);
            }
        }
    }

    fn take_list(&mut self, read: Listed) {
        let mut removed = self.dsns();
        let mut added = Vec::new();
        let mut devices = read.listed;
        for ByHand { dsn, read } in read.by_hand {
            match read {
                Ok(device) => devices.push(*device),
                Err(error) => {
                    if error.status() == Some(404) {
                        self.by_hand.remove(&dsn);
                    } else {
                        removed.retain(|known| *known != dsn);
                    }
                    self.tell(DeviceManagerEvent::DeviceInitFailed { dsn, error });
                }
            }
        }
        for device in devices.into_iter().filter(|device| !device.dsn.is_blank()) {
            let dsn = device.dsn.clone();
            removed.retain(|known| *known != dsn);
            if let Some(kept) = self.devices.get(&dsn) {
                kept.record.take_device(device, read.began);
            } else {
                let record = Arc::new(Record::new(device, self.manager.clone()));
                let polling = if self.streaming { Polling::Stopped } else { Polling::Resting };
                self.devices.insert(dsn.clone(), Kept { record, pending: true, polling, due: None, queued: false });
                added.push(dsn);
            }
        }
        removed.iter().for_each(|dsn| self.let_go(dsn));
        self.tell_devices(added, removed);
    }

    /// Handles the first properties of a device. Missing properties are an error of the device, but do not keep the
    /// manager from becoming ready.
    pub(in crate::manager) fn finish_properties(&mut self, number: u64, read: DeviceRead) {
        if !self.end_step(number) {
            return;
        }
        if let Some(kept) = self.devices.get_mut(&read.record.dsn) {
            kept.pending = false;
        }
        let dsn = read.record.dsn.clone();
        let error = match read.read {
            Ok(properties) if !properties.is_empty() => {
                read.record.take_properties(properties, read.began);
                None
            }
            Ok(_) => Some(Error::new(ErrorKind::General, messages::NO_PROPERTIES)),
            Err(error) => Some(error),
        };
        if let Some(error) = error {
            tracing::warn!(kind = ?error.kind(), status = error.status(), "a device could not be initialised");
            read.record.facts().init_error = Some(error.clone());
            self.tell(DeviceManagerEvent::DeviceInitFailed { dsn: dsn.clone(), error });
        }
        self.poll(&dsn, polling::Event::Read);
        self.handle(Event::PropertiesFetched);
    }

    pub(in crate::manager) fn finish_read(&mut self, read: DeviceRead) {
        if read.generation != self.generation || self.kept(&read.record).is_none() {
            return;
        }
        match read.read {
            Ok(properties) => read.record.take_properties(properties, read.began),
            Err(error) => {
                tracing::debug!(kind = ?error.kind(), status = error.status(), "a device could not be polled");
                read.record.tell_event(DeviceEvent::PollFailed(error));
            }
        }
        self.poll(&read.record.dsn, polling::Event::Read);
    }
}

/// Replaces the message of an error response with the status text, as specified. The original error is the source.
fn with_status_text(error: Error) -> Error {
    match error.status() {
        Some(status) => Error::new(error.kind(), status_text(status)).with_status(status).with_source(error),
        None => error,
    }
}
