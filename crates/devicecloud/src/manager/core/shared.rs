use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::client::Client;
use crate::events::EventSender;
use crate::http::pace::Pace;
use crate::manager::change::{DeviceEvent, FLEET_QUEUE};
use crate::manager::core::Core;
use crate::manager::detail::DetailProvider;
use crate::manager::polling;
use crate::model::Dsn;

/// State shared by the handles of a manager, its task and its devices.
pub(in crate::manager) struct Shared {
    pub(in crate::manager) client: Client,
    core: Mutex<Core>,
    /// Notified when there is work for the task.
    pub(in crate::manager) wake: Notify,
    /// Events of all devices.
    pub(in crate::manager) changes: EventSender<(Dsn, DeviceEvent)>,
    pub(in crate::manager) pace: Pace,
    pub(in crate::manager) detail: Mutex<Option<Arc<dyn DetailProvider>>>,
}

impl Shared {
    pub(in crate::manager) fn new(client: Client) -> Arc<Self> {
        let pace = Pace::new(client.manager_request_interval());
        Arc::new_cyclic(|manager| Self {
            client,
            core: Mutex::new(Core::new(manager.clone())),
            wake: Notify::new(),
            changes: EventSender::new(FLEET_QUEUE),
            pace,
            detail: Mutex::default(),
        })
    }

    pub(in crate::manager) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the core and wakes the task.
    pub(in crate::manager) fn change<T>(&self, change: impl FnOnce(&mut Core) -> T) -> T {
        let result = change(&mut self.core());
        self.wake.notify_one();
        result
    }

    /// Requests a read of a device, because only the cloud knows its current values, or the state of a command.
    pub(in crate::manager) fn request_read(&self, dsn: &Dsn) {
        self.change(|core| core.poll(dsn, polling::Event::ReadRequested));
    }

    pub(in crate::manager) fn detail(&self) -> Option<Arc<dyn DetailProvider>> {
        self.detail.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
