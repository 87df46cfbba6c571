//! The state of a virtual diffuser: what it reports, what applies to it, and whether it runs.

mod apply;
pub(crate) mod hours;
pub(crate) mod running;

use std::net::IpAddr;

use diffuser::properties as names;
use diffuser::{Fan, MIN_INTENSITY, Mode, OffCycle, SystemConfiguration, max_intensity};
use jiff::tz::TimeZone;
use serde_json::Value;

use self::hours::Hours;
use crate::wire::Values;

/// The values that a diffuser stores. `None` is never reported.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Limits the intensity.
    pub configuration: SystemConfiguration,
    pub mode: Mode,
    pub cycle: OffCycle,
    /// From 1 to the maximum of configuration and off-cycle. In mode Run the frame's intensity is used instead.
    pub intensity: u8,
    pub fan: Fan,
    /// The schedule string as it was written; for its format.
    pub schedule_blob: Option<String>,
    /// The time zone of the schedule, until the cloud sends another.
    pub time_zone: TimeZone,
    /// How long the diffuser has been powered.
    pub appliance_life: Hours,
    /// How long the pump has run.
    pub pump_life: Hours,
    /// How long the pump has run with the current cartridge.
    pub cartridge_life: Hours,
    /// Percent, reported as written, because the console computes it.
    pub fragrance_remaining: Option<u8>,
    pub clock_mode: Option<i64>,
    pub host_version: Option<String>,
    pub oem_host_version: Option<String>,
    /// The version of the software that talks to the cloud: 1 to 64 printable ASCII characters.
    pub sw_version: String,
    /// The address in the local network.
    pub lan_ip: Option<IpAddr>,
}

impl State {
    /// The factory state: off, with a full cartridge, without a schedule, in UTC.
    pub fn new(configuration: SystemConfiguration) -> Self {
        Self {
            configuration,
            mode: Mode::Off,
            cycle: OffCycle::Normal,
            intensity: MIN_INTENSITY,
            fan: Fan::OFF,
            schedule_blob: None,
            time_zone: TimeZone::UTC,
            appliance_life: Hours::default(),
            pump_life: Hours::default(),
            cartridge_life: Hours::default(),
            fragrance_remaining: Some(100),
            clock_mode: Some(0),
            host_version: None,
            oem_host_version: None,
            sw_version: concat!("simulator ", env!("CARGO_PKG_VERSION")).to_owned(),
            lan_ip: None,
        }
    }

    /// Restores values that were reported to a cloud, so that a restarted fleet continues where it stopped. Invalid and
    /// derived values are ignored.
    pub fn restore<'a>(&mut self, reported: impl IntoIterator<Item = (&'a str, &'a Value)>) {
        // The off-cycle limits the intensity, so it is restored first.
        let (cycle, others): (Vec<_>, Vec<_>) = reported.into_iter().partition(|(name, _)| *name == names::CYCLE);
        for (name, value) in cycle.into_iter().chain(others) {
            let _ = self.assign(name, value);
        }
    }

    /// All stored values as they are reported.
    pub(crate) fn values(&self) -> Values {
        let known = [
            (names::SCHEDULE_BLOB, self.schedule_blob.as_deref().map(Value::from)),
            (names::CURRENT_STATE, Some(self.mode.code().into())),
            (names::CYCLE, Some(self.cycle.code().into())),
            (names::INTENSITY, Some(self.intensity.into())),
            (names::FAN, Some(self.fan.speed().into())),
            (names::FRAGRANCE_REMAINING, self.fragrance_remaining.map(Value::from)),
            (names::CLOCK_MODE, self.clock_mode.map(Value::from)),
            (names::HOST_VERSION, self.host_version.as_deref().map(Value::from)),
            (names::OEM_HOST_VERSION, self.oem_host_version.as_deref().map(Value::from)),
        ];
        let known = known.into_iter().filter_map(|(name, value)| Some((name, value?)));
        known.chain(self.lives().map(|(name, hours)| (name, hours.get().into()))).collect()
    }

    /// The life counters.
    pub(crate) fn lives(&self) -> [(&'static str, Hours); 3] {
        [
            (names::APPLIANCE_LIFE, self.appliance_life),
            (names::PUMP_LIFE, self.pump_life),
            (names::CARTRIDGE_LIFE, self.cartridge_life),
        ]
    }

    pub(crate) fn max_intensity(&self) -> u8 {
        max_intensity(&self.configuration, Some(self.cycle))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn new_diffuser_reports_only_known_values() {
        let state = State { host_version: Some("2.1".to_owned()), ..State::new(SystemConfiguration::Aq380) };
        let expected = json!({
            "current_state": 1, "cycle": 3, "intensity": 1, "fan": 0, "cartridge_life": 0.0, "fragrance_remaining": 100,
            "appliance_life": 0.0, "pump_life": 0.0, "clock_mode": 0, "host_version": "2.1",
        });
        assert_eq!(json!(state.values()), expected);
    }

    #[test]
    fn state_is_restored_from_reported_values() {
        let before = State {
            mode: Mode::Two,
            cycle: OffCycle::VeryShort,
            intensity: 49,
            schedule_blob: Some("1,1,5,30,11,0,11,59".to_owned()),
            appliance_life: Hours::new(8000.31).unwrap(),
            pump_life: Hours::new(7.25).unwrap(),
            cartridge_life: Hours::new(0.07).unwrap(),
            ..State::new(SystemConfiguration::Aq290)
        };
        let mut again = State::new(SystemConfiguration::Aq290);
        let values = before.values();
        again.restore(values.iter().rev().map(|(name, value)| (*name, value)));
        let nothing = [("intensity", json!("broken")), ("unknown", json!(1)), ("current_schedule_running", json!(3))];
        again.restore(nothing.iter().map(|(name, value)| (*name, value)));
        assert_eq!(again, before);
    }
}
