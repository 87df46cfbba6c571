use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::client::Client;
use crate::manager::core::Core;
use crate::manager::detail::DetailProvider;
use crate::manager::polling;
use crate::model::Dsn;

/// State shared by the handles of a manager, its task and its devices.
pub(super) struct Shared {
    pub(super) client: Client,
    core: Mutex<Core>,
    /// Notified when there is work for the task.
    pub(super) wake: Notify,
    pub(super) detail: Mutex<Option<Arc<dyn DetailProvider>>>,
}

impl Shared {
    pub(super) fn new(client: Client) -> Arc<Self> {
        Arc::new_cyclic(|manager| Self {
            client,
            core: Mutex::new(Core::new(manager.clone())),
            wake: Notify::new(),
            detail: Mutex::default(),
        })
    }

    pub(super) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the core and wakes the task.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Core) -> T) -> T {
        let result = change(&mut self.core());
        self.wake.notify_one();
        result
    }

    /// Requests a read of a device that rejected a value, because only the cloud knows its current value.
    pub(super) fn request_read(&self, dsn: &Dsn) {
        self.change(|core| core.poll(dsn, polling::Event::ReadRequested));
    }

    pub(super) fn detail(&self) -> Option<Arc<dyn DetailProvider>> {
        self.detail.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
