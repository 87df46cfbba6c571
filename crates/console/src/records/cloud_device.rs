//! Reads a device with all its parts from the cloud.

use devicecloud::{Client, Device, Include, Result};

/// The parts that [`DeviceRecord::of`](super::DeviceRecord::of) needs.
pub(crate) const FULL_INCLUDE: [Include; 5] =
    [Include::Data, Include::Addr, Include::RoleLabels, Include::Properties, Include::TimeZone];
/// Maximum number of calls of one [`read`].
pub(crate) const MAX_CALLS: u32 = 6;

/// Reads a device in one call, or in six from a cloud that does not support `include`.
pub(crate) async fn read(cloud: &Client, dsn: &str) -> Result<Device> {
    let mut device = cloud.devices().get(dsn).include(FULL_INCLUDE).send().await?;
    if !is_complete(&device) {
        device.data = or_default(cloud.devices().data(dsn).list().send().await)?;
        device.addr = Some(or_default(cloud.devices().address(&device.key).await)?);
        device.role_labels = or_default(cloud.devices().role_labels(&device.key).await)?;
        device.time_zone = or_default(cloud.devices().time_zone(&device.key).await.map(Some))?;
        device.properties = or_default(cloud.properties().list(dsn).send().await)?;
    }
    Ok(device)
}

/// Whether the response contains all included parts: it then has an address, possibly an empty one.
pub(crate) fn is_complete(device: &Device) -> bool {
    device.addr.is_some()
}

/// A cloud without this call has no such data.
fn or_default<T: Default>(answer: Result<T>) -> Result<T> {
    match answer {
        Err(error) if error.status() == Some(404) => Ok(T::default()),
        answer => answer,
    }
}
