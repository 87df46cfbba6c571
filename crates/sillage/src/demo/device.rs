//! One diffuser of the demo, as its maker and its technicians know it.

use std::net::Ipv4Addr;

use diffuser::{Fan, Fragrance, Mode, OffCycle, Schedule, SystemConfiguration};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::stores::Store;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DemoDevice {
    pub(crate) dsn: String,
    pub(crate) mac: String,
    pub(crate) serial_number: String,
    pub(crate) configuration: SystemConfiguration,
    pub(crate) made_at: Timestamp,
    /// `None` for factory stock, which nobody has added yet.
    pub(crate) installation: Option<Installation>,
}

/// Where it was put up, and what for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Installation {
    pub(crate) store: Store,
    pub(crate) service_area: &'static str,
    pub(crate) fragrance: &'static Fragrance,
    pub(crate) installed_at: Timestamp,
    /// `None` if it never connected.
    pub(crate) service: Option<ServiceRecord>,
}

/// What happened since it was first switched on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServiceRecord {
    /// Each with its beginning: the first from installation on, the last until today.
    pub(crate) modes: Vec<(Timestamp, Mode)>,
    pub(crate) cycle: OffCycle,
    pub(crate) intensity: u8,
    pub(crate) fan: Fan,
    pub(crate) schedule: Schedule,
    pub(crate) host_version: &'static str,
    /// Percent of its cartridge that should be left, if it has run long enough for that.
    pub(crate) wanted_percent: u8,
    pub(crate) connected_at: Timestamp,
    pub(crate) lan_ip: Ipv4Addr,
    /// Since when nobody hears of it.
    pub(crate) unplugged_at: Option<Timestamp>,
}

impl DemoDevice {
    pub(crate) fn service(&self) -> Option<&ServiceRecord> {
        self.installation.as_ref()?.service.as_ref()
    }

    /// Whether it is switched on when the demo begins.
    pub(crate) fn is_plugged_in(&self) -> bool {
        self.service().is_some_and(|service| service.unplugged_at.is_none())
    }

    /// The clock that it keeps: its city's, or UTC in the factory.
    pub(crate) fn time_zone(&self) -> TimeZone {
        let name = self.installation.as_ref().map_or("UTC", |installation| installation.store.city.time_zone);
        TimeZone::get(name).expect("a test knows the clocks of all cities")
    }
}

impl ServiceRecord {
    pub(crate) fn mode(&self) -> Mode {
        self.modes.last().map_or(Mode::Off, |(_, mode)| *mode)
    }
}
