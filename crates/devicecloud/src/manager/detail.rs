use crate::model::Device;

/// Application-specific knowledge about devices; set with
/// [`DeviceManager::set_detail_provider`](crate::manager::DeviceManager::set_detail_provider).
pub trait DetailProvider: Send + Sync + 'static {
    /// The names of the properties that the application uses. Only these are fetched while values arrive by the live
    /// data stream; all if it is empty.
    ///
    /// If it panics, the poll fails with [`PollFailed`](crate::manager::DeviceEvent::PollFailed) and a `General` error
    /// with the panic message.
    fn managed_property_names(&self, device: &Device) -> Vec<String>;
}
