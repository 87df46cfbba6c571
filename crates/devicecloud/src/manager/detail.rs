use crate::model::Device;

/// What an application knows about its devices; give it to
/// [`DeviceManager::set_detail_provider`](crate::manager::DeviceManager::set_detail_provider).
pub trait DetailProvider: Send + Sync + 'static {
    /// The names of the properties that the application uses. Only these are read when a device's values come by the stream
    /// of live data; all when it is empty.
    ///
    /// A panic fails that read with [`PollFailed`](crate::manager::DeviceEvent::PollFailed), an error of kind `General` with
    /// the message of the panic.
    fn managed_property_names(&self, device: &Device) -> Vec<String>;
}
