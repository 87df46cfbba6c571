use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::manager::change::DeviceEvents;
use crate::manager::polling;
use crate::manager::property::ManagedProperty;
use crate::manager::record::Record;
use crate::manager::shared::Shared;
use crate::model::{Datum, Device, Dsn, Notification, RoleLabel};

/// A device in the hand of a [`DeviceManager`](crate::manager::DeviceManager): what is known of it, and what can be done with it.
///
/// Cheap to clone; clones are the same device. It may be kept when the manager lets go of it (because it was removed from the
/// list, or the manager was stopped or dropped): then it shows what was last known, and its calls fail with
/// 'No device manager is available'.
#[derive(Clone)]
pub struct ManagedDevice(pub(super) Arc<Record>);

impl ManagedDevice {
    /// The serial number.
    #[must_use]
    pub fn dsn(&self) -> &Dsn {
        &self.0.dsn
    }

    /// The device as it is known now. Its list of properties is empty: see [`properties`](Self::properties).
    #[must_use]
    pub fn snapshot(&self) -> Device {
        self.0.facts().device.clone()
    }

    /// The properties that are known, by name.
    #[must_use]
    pub fn properties(&self) -> Vec<ManagedProperty> {
        let names: Vec<_> = self.0.facts().properties.keys().cloned().collect();
        names.into_iter().map(|name| ManagedProperty::new(&self.0, name)).collect()
    }

    /// The property with this name, if it is known.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<ManagedProperty> {
        let known = self.0.facts().properties.contains_key(name);
        known.then(|| ManagedProperty::new(&self.0, name.to_owned()))
    }

    /// The role labels, as far as they were fetched; see [`fetch_role_labels`](Self::fetch_role_labels).
    #[must_use]
    pub fn role_labels(&self) -> Vec<RoleLabel> {
        self.0.facts().device.role_labels.clone()
    }

    /// The notifications, as far as they were fetched; see [`fetch_notifications`](Self::fetch_notifications).
    #[must_use]
    pub fn notifications(&self) -> Vec<Notification> {
        self.0.facts().notifications.clone()
    }

    /// The key/value data, as far as they were fetched; see [`fetch_datums`](Self::fetch_datums).
    #[must_use]
    pub fn datums(&self) -> Vec<Datum> {
        self.0.facts().device.data.clone()
    }

    /// What happens to the device from now on.
    #[must_use]
    pub fn events(&self) -> DeviceEvents {
        DeviceEvents(self.0.listeners.subscribe())
    }

    /// Why its properties could not be fetched at first; `None` once they were read.
    #[must_use]
    pub fn init_error(&self) -> Option<Error> {
        self.0.facts().init_error.clone()
    }

    /// Whether it is polled, now or when the manager is ready.
    #[must_use]
    pub fn is_polling(&self) -> bool {
        self.shared().is_some_and(|manager| manager.core().is_polling(&self.0.dsn))
    }

    /// Polls it again. Without effect when it is polled, or no manager has it.
    pub fn start_polling(&self) {
        self.poll(polling::Event::Start);
    }

    /// Polls it no more until [`start_polling`](Self::start_polling), or until its values cease to come by the stream.
    pub fn stop_polling(&self) {
        self.poll(polling::Event::Stop);
    }

    /// How long after a poll the next one follows; 5 s by default. Holds from the next poll on.
    pub fn set_poll_interval(&self, interval: Duration) {
        self.0.facts().poll_interval = interval;
    }

    /// How long a poll may take; 5 s by default. Holds from the next poll on.
    pub fn set_poll_timeout(&self, timeout: Duration) {
        self.0.facts().poll_timeout = timeout;
    }

    fn poll(&self, event: polling::Event) {
        if let Some(manager) = self.shared() {
            manager.change(|core| core.poll(&self.0.dsn, event));
        }
    }

    /// The manager that has the device.
    pub(super) fn shared(&self) -> Option<Arc<Shared>> {
        self.0.facts().manager.upgrade()
    }
}

impl PartialEq for ManagedDevice {
    /// Whether both are handles of the same device.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for ManagedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagedDevice").field("dsn", &self.0.dsn).finish_non_exhaustive()
    }
}
