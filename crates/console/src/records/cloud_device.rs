//! A device with everything that hangs on it.

use devicecloud::{Client, Device, Include, Result};

/// What a read must bring so that [`DeviceRecord::of`](super::DeviceRecord::of) finds everything.
pub(crate) const FULL_INCLUDE: [Include; 5] =
    [Include::Data, Include::Addr, Include::RoleLabels, Include::Properties, Include::TimeZone];
/// The most calls that a [`read`] takes.
pub(crate) const MAX_CALLS: u32 = 6;

/// Reads a device: in one call, or in six from a cloud that knows no `include`.
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

/// Whether the answer holds what `include` asked for: then there is an address, be it an empty one.
pub(crate) fn is_complete(device: &Device) -> bool {
    device.addr.is_some()
}

/// A cloud that has no such call has nothing of the kind.
fn or_default<T: Default>(answer: Result<T>) -> Result<T> {
    match answer {
        Err(error) if error.status() == Some(404) => Ok(T::default()),
        answer => answer,
    }
}
