use diffuser::Mode;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::DeviceMemory;
use crate::records::DeviceStatus;

/// What the rules know about a device.
#[derive(Clone, Debug)]
pub(crate) struct AttentionFacts {
    pub(crate) now: Timestamp,
    pub(crate) status: DeviceStatus,
    /// Since when it has been connected or disconnected, as far as known.
    pub(crate) status_since: Option<Timestamp>,
    pub(crate) added_at: Option<Timestamp>,
    pub(crate) installed_at: Option<Date>,
    pub(crate) time_zone: TimeZone,
    pub(crate) mode: Option<Mode>,
    /// Percent.
    pub(crate) level: Option<i64>,
    /// The median of the forecast.
    pub(crate) runs_dry_at: Option<Timestamp>,
    /// When the level became 0, if it is.
    pub(crate) emptied_at: Option<Timestamp>,
    /// The running hours of the cartridge that the stream has reported since the device was read.
    pub(crate) streamed_life: Option<f64>,
    pub(crate) memory: DeviceMemory,
}

/// What the rules know about a CSP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CspFacts {
    pub(crate) now: Timestamp,
    pub(crate) has_devices: bool,
    pub(crate) has_technician: bool,
}
