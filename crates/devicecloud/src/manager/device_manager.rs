use std::fmt;
use std::sync::{Arc, PoisonError};

use crate::client::Client;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::manager::core::shared::Shared;
use crate::manager::detail::DetailProvider;
use crate::manager::state_machine::Event;
use crate::manager::task::Task;
use crate::manager::{DeviceManagerEvents, DeviceManagerState, FleetEvents, ManagedDevice, driver};
use crate::model::Dsn;

/// Keeps the devices of a user up to date: fetches the list every 15 s, and the properties of each device every 5 s or
/// by the live data stream.
///
/// Its requests start at least
/// [`DEFAULT_MANAGER_REQUEST_INTERVAL`](crate::DEFAULT_MANAGER_REQUEST_INTERVAL) apart, so that more than a hundred
/// devices without a stream are read less often than every 5 s. At most 16 devices are read at the same time. If the cloud
/// answers any of its requests with `Retry-After`, no request is sent before that time has passed. Calls of the
/// application, and the requests that refresh tokens, do not count.
///
/// It fetches the unpaged device list and keeps all devices in memory, which suits up to a few hundred devices. For
/// large fleets read pages ([`Devices::list`](crate::api::Devices::list)) and open a stream yourself.
///
/// A [`SessionManager`](crate::manager::SessionManager) contains one. It can also be used on its own:
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::manager::DeviceManager;
///
/// let manager = DeviceManager::new(&client);
/// manager.start(true);
/// manager.ready().await?;
/// for device in manager.devices() {
///     println!("{} has {} properties", device.dsn(), device.properties().len());
/// }
/// # Ok(())
/// # }
/// ```
///
/// Cheap to clone; dropping the last clone stops it. All methods except [`ready`](Self::ready) return immediately; the
/// work is done by a background task.
#[derive(Clone)]
pub struct DeviceManager {
    pub(super) shared: Arc<Shared>,
    _task: Arc<Task>,
}

impl DeviceManager {
    /// Creates a manager without starting it.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn new(client: &Client) -> Self {
        let shared = Shared::new(client.clone());
        let task = Task::spawn(driver::run(Arc::clone(&shared)));
        Self { shared, _task: Arc::new(task) }
    }

    /// Fetches the list, then the properties of each device. Without `auto_fetch` the manager is ready immediately and
    /// has only devices that are [added](Self::add). Restarts a manager in the state `Error`; otherwise has no effect on
    /// a started manager.
    pub fn start(&self, auto_fetch: bool) {
        self.shared.change(|core| core.start(auto_fetch));
    }

    /// Cancels all requests and releases all devices.
    pub fn stop(&self) {
        self.handle(Event::Stop);
    }

    /// Cancels all requests and sends none until [`resume`](Self::resume) is called.
    pub fn pause(&self) {
        self.handle(Event::Pause);
    }

    /// Resumes after a pause: fetches the list and the devices now, and continues polling.
    pub fn resume(&self) {
        self.handle(Event::Resume);
    }

    /// Adds a device that may be missing in the list, such as one that was just registered. Fetches the list again, and
    /// reads the device by its serial number if it is not in the list. An unknown device is reported as
    /// [`DeviceInitFailed`](crate::manager::DeviceManagerEvent::DeviceInitFailed) and dropped. Before the start and
    /// while paused, the device is only remembered.
    ///
    /// # Errors
    /// `InvalidArgument` 'DSN is required'.
    pub fn add(&self, dsn: impl Into<Dsn>) -> Result<()> {
        let dsn = dsn.into();
        required(dsn.is_blank(), messages::DSN_REQUIRED)?;
        self.shared.change(|core| core.add(dsn));
        Ok(())
    }

    /// Fetches the list and all devices again soon, for use after events may have been missed.
    pub fn refresh(&self) {
        self.handle(Event::Refresh);
    }

    /// The current state.
    #[must_use]
    pub fn state(&self) -> DeviceManagerState {
        *self.shared.core().states.borrow()
    }

    /// Waits until all devices were read. Cancel safe.
    ///
    /// # Errors
    /// The error of fetching the first list; `Precondition` 'No device manager is available' if the manager is not
    /// started, or is stopped meanwhile.
    pub async fn ready(&self) -> Result<()> {
        let mut states = self.shared.core().states.subscribe();
        loop {
            let state = *states.borrow_and_update();
            match state {
                DeviceManagerState::Ready => return Ok(()),
                DeviceManagerState::Error => {
                    if let Some(error) = self.shared.core().init_error() {
                        return Err(error);
                    }
                }
                DeviceManagerState::Uninitialized => return Err(manager_unavailable()),
                _ => {}
            }
            // Cannot fail: the sender lives as long as this handle.
            let _ = states.changed().await;
        }
    }

    /// Subscribes to the manager's events from now on.
    #[must_use]
    pub fn events(&self) -> DeviceManagerEvents {
        self.shared.core().events.subscribe()
    }

    /// Subscribes to the events of all devices from now on, present and future ones. Read [`devices`](Self::devices)
    /// afterwards for their current values.
    ///
    /// While a device is [`Live`](crate::manager::Freshness::Live), each of its values, acknowledgements and connection
    /// states is an event, or a [`Gap`](crate::manager::DeviceEvent::Gap) says that some were missed; the state of a command
    /// is an event within one read of the device. While it is
    /// [`Polled`](crate::manager::Freshness::Polled), each read that finds a difference sends a change. A slow receiver
    /// loses events of a device only together with a `Gap` for it, and delays nobody.
    ///
    /// ```no_run
    /// # async fn run(manager: devicecloud::manager::DeviceManager) {
    /// use devicecloud::manager::{Change, DeviceEvent, Freshness};
    /// use futures::StreamExt;
    ///
    /// let mut changes = manager.changes();
    /// while let Some((dsn, event)) = StreamExt::next(&mut changes).await {
    ///     match event {
    ///         DeviceEvent::Changed(Change::Property { name, value: Some(value), .. }) => println!("{dsn} {name}: {value}"),
    ///         DeviceEvent::Freshness(Freshness::Stale(reason)) => println!("{dsn} may be out of date: {reason:?}"),
    ///         DeviceEvent::Gap => {
    ///             let Some(device) = manager.device(dsn) else { continue }; // it was removed
    ///             for property in device.properties().iter().filter_map(|property| property.snapshot()) {
    ///                 let value = property.value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    ///                 println!("{} {} = {value}", device.dsn(), property.name);
    ///             }
    ///         }
    ///         _ => {}
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn changes(&self) -> FleetEvents {
        self.shared.changes.subscribe()
    }

    /// The devices, sorted by serial number.
    #[must_use]
    pub fn devices(&self) -> Vec<ManagedDevice> {
        self.shared.core().records().into_iter().map(ManagedDevice).collect()
    }

    /// The device with this serial number.
    #[must_use]
    pub fn device(&self, dsn: impl Into<Dsn>) -> Option<ManagedDevice> {
        self.shared.core().record(&dsn.into()).map(ManagedDevice)
    }

    /// Sets the provider of the properties that the application uses.
    pub fn set_detail_provider(&self, provider: Arc<dyn DetailProvider>) {
        *self.shared.detail.lock().unwrap_or_else(PoisonError::into_inner) = Some(provider);
    }

    fn handle(&self, event: Event) {
        self.shared.change(|core| core.handle(event));
    }
}

pub(super) fn manager_unavailable() -> Error {
    Error::new(ErrorKind::Precondition, messages::DEVICE_MANAGER_UNAVAILABLE)
}

impl fmt::Debug for DeviceManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceManager").field("state", &self.state()).finish_non_exhaustive()
    }
}
