//! Fields of a device.

use std::net::IpAddr;

/// Fields of the device object that only the device knows. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeviceInfo {
    /// Software version; printable ASCII.
    pub(crate) sw_version: Option<String>,
    /// Address in the device's local network.
    pub(crate) lan_ip: Option<IpAddr>,
}
