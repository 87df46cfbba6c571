use std::fmt;
use std::sync::{Arc, PoisonError};

use crate::api::required;
use crate::client::Client;
use crate::error::{Error, ErrorKind, Result};
use crate::manager::detail::DetailProvider;
use crate::manager::shared::Shared;
use crate::manager::standing::Event;
use crate::manager::task::Task;
use crate::manager::{DeviceManagerEvents, DeviceManagerState, ManagedDevice, driver};
use crate::messages;
use crate::model::Dsn;

/// The devices of a user, kept fresh: their list every 15 s, the properties of each every 5 s, or by the stream of live data.
///
/// It reads the unpaged list of devices and holds all of them: the use is a household, a shop, a few hundred devices. Somebody
/// with 100,000 reads pages ([`Devices::list`](crate::api::Devices::list)) and a stream of their own.
///
/// A [`SessionManager`](crate::manager::SessionManager) has one; without such a session make one yourself:
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
/// Cheap to clone; when the last clone is dropped, it stops. All its methods but [`ready`](Self::ready) return at once; a task
/// in the background does what takes time.
#[derive(Clone)]
pub struct DeviceManager {
    pub(super) shared: Arc<Shared>,
    _task: Arc<Task>,
}

impl DeviceManager {
    /// A manager that has not been started.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn new(client: &Client) -> Self {
        let shared = Shared::new(client.clone());
        let task = Task::spawn(driver::run(Arc::clone(&shared)));
        Self { shared, _task: Arc::new(task) }
    }

    /// Fetches the list, then the properties of each device. Without `auto_fetch` it is ready at once, and knows only the
    /// devices that are [added](Self::add). Starts again after `Error`; otherwise without effect on a manager that was started.
    pub fn start(&self, auto_fetch: bool) {
        self.shared.change(|core| core.start(auto_fetch));
    }

    /// Ends all requests and lets go of all devices.
    pub fn stop(&self) {
        self.handle(Event::Stop);
    }

    /// Ends all requests and asks for nothing until [`resume`](Self::resume).
    pub fn pause(&self) {
        self.handle(Event::Pause);
    }

    /// Goes on after a pause: reads the list and the devices now, and polls them again.
    pub fn resume(&self) {
        self.handle(Event::Resume);
    }

    /// Adds a device that the list may not hold, such as one that was registered just now. The list is fetched again; when the
    /// device is not in it, it is read by its serial number. A device that the cloud does not know is told as
    /// [`DeviceInitFailed`](crate::manager::DeviceManagerEvent::DeviceInitFailed) and forgotten. Before the manager is started,
    /// or while it is paused, the device is remembered.
    ///
    /// # Errors
    /// `InvalidArgument` 'DSN is required'.
    pub fn add(&self, dsn: impl Into<Dsn>) -> Result<()> {
        let dsn = dsn.into();
        required(dsn.is_blank(), messages::DSN_REQUIRED)?;
        self.shared.change(|core| core.add(dsn));
        Ok(())
    }

    /// Reads the list and all devices again, soon: something may have been missed.
    pub fn refresh(&self) {
        self.handle(Event::Refresh);
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> DeviceManagerState {
        *self.shared.core().states.borrow()
    }

    /// Waits until all devices were read. Cancellation safe.
    ///
    /// # Errors
    /// Why the first list could not be fetched; `Precondition` 'No device manager is available' when the manager is not
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
                DeviceManagerState::Uninitialized => return Err(unavailable()),
                _ => {}
            }
            // The sender lives as long as this handle.
            let _ = states.changed().await;
        }
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> DeviceManagerEvents {
        DeviceManagerEvents(self.shared.core().events.subscribe())
    }

    /// The devices, by serial number.
    #[must_use]
    pub fn devices(&self) -> Vec<ManagedDevice> {
        self.shared.core().records().into_iter().map(ManagedDevice).collect()
    }

    /// The device with this serial number.
    #[must_use]
    pub fn device(&self, dsn: impl Into<Dsn>) -> Option<ManagedDevice> {
        self.shared.core().record(&dsn.into()).map(ManagedDevice)
    }

    /// Says which properties of a device the application uses.
    pub fn set_detail_provider(&self, provider: Arc<dyn DetailProvider>) {
        *self.shared.detail.lock().unwrap_or_else(PoisonError::into_inner) = Some(provider);
    }

    fn handle(&self, event: Event) {
        self.shared.change(|core| core.handle(event));
    }
}

pub(super) fn unavailable() -> Error {
    Error::new(ErrorKind::Precondition, messages::DEVICE_MANAGER_UNAVAILABLE)
}

impl fmt::Debug for DeviceManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceManager").field("state", &self.state()).finish_non_exhaustive()
    }
}
