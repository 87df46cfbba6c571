//! A diffuser of the demo's fleet.

use std::net::Ipv4Addr;

use diffuser::{Fan, Fragrance, Frame, Mode, OffCycle, Schedule, SystemConfiguration};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use simulator::Fault;

use super::stores::Store;

/// For how long a diffuser has been clogged, stuck, or without an active frame, when the demo begins.
const CLOGGED_DAYS: i64 = 5;
const STUCK_DAYS: i64 = 9;
const IDLE_DAYS: i64 = 3;

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
    /// Somebody switched off all frames of its schedule.
    IdleSchedule,
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
    /// Since when all frames have been switched off, and the schedule that results.
    pub(crate) fn idle_schedule(&self, now: Timestamp) -> Option<(Timestamp, Schedule)> {
        if self.fault != Some(DemoFault::IdleSchedule) {
            return None;
        }
        let mut schedule = Schedule::default();
        for (number, frame) in self.schedule.frames() {
            schedule.set(number, Frame { active: false, ..*frame });
        }
        let since = now - SignedDuration::from_hours(24 * IDLE_DAYS);
        Some((self.modes.last().map_or(since, |(last, _)| since.max(*last)), schedule))
    }

    /// The modes that explain the use of cartridges until `now`: those of a diffuser without the fault.
    pub(crate) fn modes_of_use(&self, now: Timestamp) -> Vec<(Timestamp, Mode)> {
        let mut modes = self.modes.clone();
        let (days, mode) = match self.fault {
            Some(DemoFault::Simulated(Fault::Clogged)) => (CLOGGED_DAYS, Mode::Off),
            Some(DemoFault::Simulated(Fault::StuckOn)) => (STUCK_DAYS, Mode::AllDay),
            Some(DemoFault::IdleSchedule) => (IDLE_DAYS, Mode::Off),
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
