//! Address, time zone and location of a device; each has its own call (docs/wire.md#device-data).

use serde::Serialize;

use super::device::{Addr, TimeZone};
use super::{degrees, time};
use crate::domain::location::NewLocation;

#[derive(Serialize)]
pub(crate) struct AddrWrapper {
    pub(crate) addr: Addr,
}

/// A time zone under both of its member names.
#[derive(Serialize)]
pub(crate) struct TimeZoneWrapper {
    time_zone: TimeZone,
    timezone: TimeZone,
}

#[derive(Serialize)]
pub(crate) struct LocationWrapper {
    pub(crate) location: Location,
}

#[derive(Serialize)]
pub(crate) struct Location {
    id: i64,
    device_id: i64,
    lat: String,
    long: String,
    ip: Option<String>,
    provider: &'static str,
    locality: Option<String>,
    ap_ssid: Option<String>,
    wifi_scan: Option<String>,
    created_at: String,
    updated_at: String,
}

impl From<TimeZone> for TimeZoneWrapper {
    fn from(zone: TimeZone) -> Self {
        Self { time_zone: zone.clone(), timezone: zone }
    }
}

impl Location {
    /// A new location. A device has one location, whose key is that of the device.
    pub(crate) fn new(device_key: i64, location: &NewLocation, at: i64) -> Self {
        Self {
            id: device_key,
            device_id: device_key,
            lat: degrees(location.lat),
            long: degrees(location.lng),
            ip: None,
            provider: location.provider.as_str(),
            locality: None,
            ap_ssid: None,
            wifi_scan: None,
            created_at: time(at),
            updated_at: time(at),
        }
    }
}
