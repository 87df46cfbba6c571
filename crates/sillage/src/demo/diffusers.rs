//! The simulated diffusers of the demo's fleet.

use std::collections::HashMap;

use serde_json::Value;
use simulator::{State, VirtualDevice};

use super::device::{DemoDevice, DemoFault};
use crate::files::device_key;

/// The last reported values of a device, by property.
pub(crate) type ReportedValues = HashMap<String, Value>;

/// Firmware versions, newest first.
pub(super) const HOST_VERSIONS: [&str; 3] = ["2.4.1", "2.3.4", "2.2.0"];
pub(super) const OEM_HOST_VERSION: &str = "1.12";
/// The version of the software that talks to the cloud.
pub(super) const SW_VERSION: &str = "link 1.3.2";

/// A diffuser in factory state with its last reported values restored. Faults return with each start of the demo, except schedules that
/// were replaced.
pub(crate) fn virtual_device(
    device: &DemoDevice,
    fleet_secret: &[u8; 32],
    reported: Option<&ReportedValues>,
) -> VirtualDevice {
    let mut state = State {
        time_zone: device.time_zone(),
        host_version: Some(HOST_VERSIONS[0].to_owned()),
        oem_host_version: Some(OEM_HOST_VERSION.to_owned()),
        sw_version: SW_VERSION.to_owned(),
        lan_ip: device.service().map(|service| service.lan_ip.into()),
        ..State::new(device.configuration.clone())
    };
    if let Some(reported) = reported {
        state.restore(reported.iter().map(|(name, value)| (name.as_str(), value)));
    }
    let fault = match device.service().and_then(|service| service.fault) {
        Some(DemoFault::Simulated(fault)) => Some(fault),
        Some(DemoFault::IdleSchedule) | None => None,
    };
    VirtualDevice { dsn: device.dsn.clone(), key: device_key::derive(fleet_secret, &device.dsn), state, fault }
}
