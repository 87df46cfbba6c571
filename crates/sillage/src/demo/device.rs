//! A diffuser of the demo's fleet.

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
    /// `None` for the factory stock.
    pub(crate) installation: Option<Installation>,
}

/// Where and with which fragrance a diffuser is installed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Installation {
    pub(crate) store: Store,
    pub(crate) service_area: &'static str,
    pub(crate) fragrance: &'static Fragrance,
    pub(crate) installed_at: Timestamp,
    /// `None` if the diffuser never connected.
    pub(crate) service: Option<ServiceRecord>,
}

/// The settings and connections of a diffuser since it was first switched on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServiceRecord {
    /// Each mode with its start. The first starts at the installation, the last one is current.
    pub(crate) modes: Vec<(Timestamp, Mode)>,
    pub(crate) cycle: OffCycle,
    pub(crate) intensity: u8,
    pub(crate) fan: Fan,
    pub(crate) schedule: Schedule,
    pub(crate) host_version: &'static str,
    /// The remaining percent of the current cartridge, if the diffuser has run long enough to use up the rest.
    pub(crate) wanted_percent: u8,
    pub(crate) connected_at: Timestamp,
    pub(crate) lan_ip: Ipv4Addr,
    /// Offline since then.
    pub(crate) unplugged_at: Option<Timestamp>,
}

impl DemoDevice {
    pub(crate) fn service(&self) -> Option<&ServiceRecord> {
        self.installation.as_ref()?.service.as_ref()
    }

    /// Whether the diffuser is plugged in when the demo begins.
    pub(crate) fn is_plugged_in(&self) -> bool {
        self.service().is_some_and(|service| service.unplugged_at.is_none())
    }

    /// The time zone of its city, or UTC for the factory stock.
    pub(crate) fn time_zone(&self) -> TimeZone {
        let name = self.installation.as_ref().map_or("UTC", |installation| installation.store.city.time_zone);
        TimeZone::get(name).expect("a test checks the time zones of all cities")
    }
}

impl ServiceRecord {
    pub(crate) fn mode(&self) -> Mode {
        self.modes.last().map_or(Mode::Off, |(_, mode)| *mode)
    }
}
