//! A diffuser of the demo's fleet.

use std::net::Ipv4Addr;

use diffuser::{Fan, Fragrance, Mode, OffCycle, Schedule, SystemConfiguration};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use simulator::Fault;

use super::stores::Store;

/// For how long a diffuser has been clogged, or stuck, when the demo begins.
const CLOGGED_DAYS: i64 = 5;
const STUCK_DAYS: i64 = 9;
/// The position of the first frame's intensity in a schedule, and a value that no frame can have.
const INTENSITY_FIELD: usize = 3;
const IMPOSSIBLE_INTENSITY: &str = "99";

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
    pub(crate) fault: Option<DemoFault>,
}

/// What is wrong with a diffuser that is plugged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoFault {
    /// The simulator knows it.
    Simulated(Fault),
    /// The first frame of its schedule cannot be read.
    BrokenSchedule,
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
    /// The schedule as the diffuser stores it.
    pub(crate) fn schedule_text(&self) -> String {
        let text = self.schedule.to_string();
        if self.fault != Some(DemoFault::BrokenSchedule) {
            return text;
        }
        let fields = text.split(',').enumerate();
        let broken = fields.map(|(i, field)| if i == INTENSITY_FIELD { IMPOSSIBLE_INTENSITY } else { field });
        broken.collect::<Vec<_>>().join(",")
    }

    /// The modes that explain the use of cartridges until `now`: those of a diffuser without the fault.
    pub(crate) fn modes_of_use(&self, now: Timestamp) -> Vec<(Timestamp, Mode)> {
        let mut modes = self.modes.clone();
        let (days, mode) = match self.fault {
            Some(DemoFault::Simulated(Fault::Clogged)) => (CLOGGED_DAYS, Mode::Off),
            Some(DemoFault::Simulated(Fault::StuckOn)) => (STUCK_DAYS, Mode::AllDay),
            _ => return modes,
        };
        let since = now - SignedDuration::from_hours(24 * days);
        if modes.last().is_some_and(|(last, _)| *last < since) {
            modes.push((since, mode));
        }
        modes
    }

    pub(crate) fn mode(&self) -> Mode {
        self.modes.last().map_or(Mode::Off, |(_, mode)| *mode)
    }
}
