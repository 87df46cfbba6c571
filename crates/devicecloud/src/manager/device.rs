use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::manager::change::DeviceEvents;
use crate::manager::core::record::KnownDevice;
use crate::manager::core::shared::Shared;
use crate::manager::freshness::Freshness;
use crate::manager::polling;
use crate::manager::property::ManagedProperty;
use crate::model::{Datum, Device, Dsn, Notification, RoleLabel};

/// A device of a [`DeviceManager`](crate::manager::DeviceManager), with its latest known data and the calls on it.
///
/// Cheap to clone; clones refer to the same device. The handle stays usable after the manager has released the device
/// (it was removed from the list, or the manager was stopped or dropped): it returns the last known data, and its calls
/// fail with 'No device manager is available'.
#[derive(Clone)]
pub struct ManagedDevice(pub(super) Arc<KnownDevice>);

impl ManagedDevice {
    /// The serial number.
    #[must_use]
    pub fn dsn(&self) -> &Dsn {
        &self.0.dsn
    }

    /// The latest known data of the device. Its list of properties is empty: see [`properties`](Self::properties).
    #[must_use]
    pub fn snapshot(&self) -> Device {
        self.0.state().device.clone()
    }

    /// The known properties, sorted by name.
    #[must_use]
    pub fn properties(&self) -> Vec<ManagedProperty> {
        let names: Vec<_> = self.0.state().properties.keys().cloned().collect();
        names.into_iter().map(|name| ManagedProperty::new(&self.0, name)).collect()
    }

    /// The property with this name, if known.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<ManagedProperty> {
        let known = self.0.state().properties.contains_key(name);
        known.then(|| ManagedProperty::new(&self.0, name.to_owned()))
    }

    /// The role labels as last fetched; see [`fetch_role_labels`](Self::fetch_role_labels).
    #[must_use]
    pub fn role_labels(&self) -> Vec<RoleLabel> {
        self.0.state().device.role_labels.clone()
    }

    /// The notifications as last fetched; see [`fetch_notifications`](Self::fetch_notifications).
    #[must_use]
    pub fn notifications(&self) -> Vec<Notification> {
        self.0.state().notifications.clone()
    }

    /// The key/value data as last fetched; see [`fetch_datums`](Self::fetch_datums).
    #[must_use]
    pub fn datums(&self) -> Vec<Datum> {
        self.0.state().device.data.clone()
    }

    /// Subscribes to the events of the device from now on.
    #[must_use]
    pub fn events(&self) -> DeviceEvents {
        self.0.subscribe()
    }

    /// How up to date the known values are, and if they may be old, why.
    #[must_use]
    pub fn freshness(&self) -> Freshness {
        self.0.state().freshness.clone()
    }

    /// The error of the first read of its properties; `None` once they were read.
    #[must_use]
    pub fn init_error(&self) -> Option<Error> {
        self.0.state().init_error.clone()
    }

    /// Whether polling is active for this device; it starts once the manager is ready.
    #[must_use]
    pub fn is_polling(&self) -> bool {
        self.shared().is_some_and(|manager| manager.core().is_polling(&self.0.dsn))
    }

    /// Starts polling. Has no effect if the device is polled already or has been released.
    pub fn start_polling(&self) {
        if let Some(manager) = self.shared() {
            manager.change(|core| core.poll(&self.0.dsn, polling::Event::Start));
        }
    }

    /// Stops polling until [`start_polling`](Self::start_polling) is called or the live data stream is lost.
    pub fn stop_polling(&self) {
        if let Some(manager) = self.shared() {
            manager.change(|core| core.stop_polling(&self.0.dsn));
        }
    }

    /// Sets the delay between polls; 5 s by default. Applies from the next poll.
    pub fn set_poll_interval(&self, interval: Duration) {
        self.0.state().poll_interval = interval;
    }

    /// Sets the timeout of a poll; 5 s by default. Applies from the next poll.
    pub fn set_poll_timeout(&self, timeout: Duration) {
        self.0.state().poll_timeout = timeout;
    }

    /// The manager of the device, unless it was released.
    pub(super) fn shared(&self) -> Option<Arc<Shared>> {
        self.0.state().manager.upgrade()
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
