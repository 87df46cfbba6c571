use diffuser::properties::{self as names, Direction, TEMPLATE};
use diffuser::{Fan, MIN_INTENSITY, Mode, OffCycle, Present, Settings, SystemConfiguration, max_intensity};
use serde_json::Value;

use crate::wire::{Ack, Command, Values};

/// All that a diffuser knows of itself. `None` is never reported.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// What was built; it limits the intensity.
    pub configuration: SystemConfiguration,
    pub mode: Mode,
    pub cycle: OffCycle,
    /// 1 to the maximum of configuration and off-cycle.
    pub intensity: u8,
    pub fan: Fan,
    pub schedule_blob: Option<String>,
    /// Hours.
    pub cartridge_life: Option<f64>,
    /// Percent.
    pub fragrance_remaining: Option<u8>,
    /// Hours.
    pub appliance_life: Option<f64>,
    /// Hours.
    pub pump_life: Option<f64>,
    pub clock_mode: Option<i64>,
    pub host_version: Option<String>,
    pub oem_host_version: Option<String>,
    /// Number of the schedule that runs, 0 = none.
    pub current_schedule_running: Option<i64>,
}

impl State {
    /// Fresh from the factory: off, with a full cartridge.
    pub fn new(configuration: SystemConfiguration) -> Self {
        Self {
            configuration,
            mode: Mode::Off,
            cycle: OffCycle::Normal,
            intensity: MIN_INTENSITY,
            fan: Fan::OFF,
            schedule_blob: None,
            cartridge_life: Some(0.0),
            fragrance_remaining: Some(100),
            appliance_life: Some(0.0),
            pump_life: Some(0.0),
            clock_mode: Some(0),
            host_version: None,
            oem_host_version: None,
            current_schedule_running: Some(0),
        }
    }

    /// Takes back what the diffuser once reported, as it stands in a cloud, so that a fleet that starts again goes on
    /// where it was. What is no value of its property is left out.
    pub fn restore<'a>(&mut self, reported: impl IntoIterator<Item = (&'a str, &'a Value)>) {
        // The off-cycle limits the intensity, so it goes first.
        let (cycle, others): (Vec<_>, Vec<_>) = reported.into_iter().partition(|(name, _)| *name == names::CYCLE);
        for (name, value) in cycle.into_iter().chain(others) {
            let _ = self.assign(name, value);
        }
    }

    /// Everything it knows, as it reports it.
    pub(crate) fn values(&self) -> Values {
        let known = [
            (names::SCHEDULE_BLOB, self.schedule_blob.as_deref().map(Value::from)),
            (names::CURRENT_STATE, Some(self.mode.code().into())),
            (names::CYCLE, Some(self.cycle.code().into())),
            (names::INTENSITY, Some(self.intensity.into())),
            (names::FAN, Some(self.fan.speed().into())),
            (names::CARTRIDGE_LIFE, self.cartridge_life.map(Value::from)),
            (names::FRAGRANCE_REMAINING, self.fragrance_remaining.map(Value::from)),
            (names::APPLIANCE_LIFE, self.appliance_life.map(Value::from)),
            (names::PUMP_LIFE, self.pump_life.map(Value::from)),
            (names::CLOCK_MODE, self.clock_mode.map(Value::from)),
            (names::HOST_VERSION, self.host_version.as_deref().map(Value::from)),
            (names::OEM_HOST_VERSION, self.oem_host_version.as_deref().map(Value::from)),
            (names::CURRENT_SCHEDULE_RUNNING, self.current_schedule_running.map(Value::from)),
        ];
        known.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Obeys a command or refuses it. The report holds the commanded property and whatever changed with it; it is empty
    /// after a refusal.
    pub(crate) fn obey(&self, command: Command) -> (Self, Ack, Values) {
        let mut next = self.clone();
        match next.try_obey(&command.property, &command.value) {
            Ok(()) => {
                let before = self.values();
                let mut report = next.values();
                report.retain(|name, value| *name == command.property || before.get(name) != Some(value));
                (next, Ack::done(command.id), report)
            }
            Err(why) => (self.clone(), Ack::refused(command.id, why), Values::new()),
        }
    }

    fn try_obey(&mut self, property: &str, value: &Value) -> Result<(), String> {
        match TEMPLATE.properties.iter().find(|known| known.name == property) {
            None => return Err("Unknown property".to_owned()),
            Some(known) if known.direction == Direction::Output => return Err("Property is read-only".to_owned()),
            Some(_) => {}
        }
        let number = value.as_i64();
        let wish = match property {
            names::CURRENT_STATE => Settings { mode: number, ..Settings::default() },
            names::CYCLE => Settings { cycle: number, ..Settings::default() },
            names::INTENSITY => Settings { intensity: number, ..Settings::default() },
            names::FAN => Settings { fan: number, ..Settings::default() },
            _ => Settings::default(),
        };
        let present =
            Present { configuration: self.configuration.clone(), mode: Some(self.mode), cycle: Some(self.cycle) };
        wish.validate(&present).map_err(|errors| errors.to_string())?;
        self.assign(property, value)
    }

    fn assign(&mut self, property: &str, value: &Value) -> Result<(), String> {
        match property {
            names::SCHEDULE_BLOB => self.schedule_blob = Some(text(value)?),
            names::CURRENT_STATE => self.mode = Mode::try_from(integer(value)?).map_err(|error| error.to_string())?,
            names::CYCLE => {
                self.cycle = OffCycle::try_from(integer(value)?).map_err(|error| error.to_string())?;
                self.intensity = self.intensity.min(self.max_intensity());
            }
            names::INTENSITY => {
                let max = self.max_intensity();
                self.intensity = within(value, MIN_INTENSITY, max)?;
            }
            names::FAN => self.fan = Fan::try_from(integer(value)?).map_err(|error| error.to_string())?,
            names::CARTRIDGE_LIFE => self.cartridge_life = Some(hours(value)?),
            names::FRAGRANCE_REMAINING => self.fragrance_remaining = Some(within(value, 0, 100)?),
            names::APPLIANCE_LIFE => self.appliance_life = Some(hours(value)?),
            names::PUMP_LIFE => self.pump_life = Some(hours(value)?),
            names::CLOCK_MODE => self.clock_mode = Some(integer(value)?),
            names::HOST_VERSION => self.host_version = Some(text(value)?),
            names::OEM_HOST_VERSION => self.oem_host_version = Some(text(value)?),
            names::CURRENT_SCHEDULE_RUNNING => self.current_schedule_running = Some(integer(value)?),
            _ => return Err("Unknown property".to_owned()),
        }
        Ok(())
    }

    fn max_intensity(&self) -> u8 {
        max_intensity(&self.configuration, Some(self.cycle))
    }
}

fn integer(value: &Value) -> Result<i64, String> {
    value.as_i64().ok_or_else(|| "Value must be a whole number".to_owned())
}

fn within(value: &Value, min: u8, max: u8) -> Result<u8, String> {
    let number = u8::try_from(integer(value)?).ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("Value must be between {min} and {max}"))
}

fn hours(value: &Value) -> Result<f64, String> {
    value.as_f64().filter(|hours| *hours >= 0.0).ok_or_else(|| "Value must be a number of hours".to_owned())
}

fn text(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| "Value must be a text".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn running_aq290() -> State {
        State { mode: Mode::Run, cycle: OffCycle::VeryShort, intensity: 49, ..State::new(SystemConfiguration::Aq290) }
    }

    fn command(property: &str, value: Value) -> Command {
        Command { id: "c1".to_owned(), property: property.to_owned(), value }
    }

    #[test]
    fn good_commands_are_obeyed_acknowledged_and_reported() {
        let rows = [
            ("current_state", json!(1), json!({"current_state": 1})),
            ("current_state", json!(4), json!({"current_state": 4})),
            ("cycle", json!(2), json!({"cycle": 2, "intensity": 45})),
            ("intensity", json!(20), json!({"intensity": 20})),
            ("fan", json!(5), json!({"fan": 5})),
            ("schedule_blob", json!("1,1,0"), json!({"schedule_blob": "1,1,0"})),
            ("cartridge_life", json!(0), json!({"cartridge_life": 0.0})),
            ("cartridge_life", json!(12.5), json!({"cartridge_life": 12.5})),
            ("fragrance_remaining", json!(100), json!({"fragrance_remaining": 100})),
        ];
        for (property, value, expected) in rows {
            let (state, ack, report) = running_aq290().obey(command(property, value.clone()));
            assert_eq!(ack, Ack::done("c1".to_owned()), "{property} {value}");
            assert_eq!(json!(report), expected, "{property} {value}");
            assert!(report.iter().all(|(name, value)| state.values().get(name) == Some(value)));
        }
    }

    #[test]
    fn bad_commands_change_nothing_and_say_why() {
        let rows = [
            ("current_state", json!(2), "Mode 2 can be kept, but not chosen"),
            ("current_state", json!(5), "Mode must be between 1 and 4"),
            ("cycle", json!(0), "Off-cycle must be between 1 and 3"),
            ("intensity", json!(50), "Intensity must be between 1 and 49"),
            ("intensity", json!("20"), "Value must be a whole number"),
            ("intensity", json!(20.5), "Value must be a whole number"),
            ("fan", json!(6), "Fan must be between 0 and 5"),
            ("fan", json!(null), "Value must be a whole number"),
            ("schedule_blob", json!(7), "Value must be a text"),
            ("cartridge_life", json!(-1), "Value must be a number of hours"),
            ("fragrance_remaining", json!(101), "Value must be between 0 and 100"),
            ("pump_life", json!(1), "Property is read-only"),
            ("volume", json!(1), "Unknown property"),
        ];
        for (property, value, why) in rows {
            let (state, ack, report) = running_aq290().obey(command(property, value.clone()));
            assert_eq!(ack, Ack::refused("c1".to_owned(), why.to_owned()), "{property} {value}");
            assert_eq!((state, report), (running_aq290(), Values::new()), "{property} {value}");
        }
    }

    #[test]
    fn a_new_diffuser_reports_what_it_knows_and_nothing_else() {
        let state = State { host_version: Some("2.1".to_owned()), ..State::new(SystemConfiguration::Aq380) };
        let expected = json!({
            "current_state": 1, "cycle": 3, "intensity": 1, "fan": 0, "cartridge_life": 0.0, "fragrance_remaining": 100,
            "appliance_life": 0.0, "pump_life": 0.0, "clock_mode": 0, "host_version": "2.1", "current_schedule_running": 0,
        });
        assert_eq!(json!(state.values()), expected);
    }

    #[test]
    fn a_diffuser_goes_on_where_its_reports_ended() {
        let mut before = running_aq290();
        before.mode = Mode::Two;
        before.schedule_blob = Some("1,1".to_owned());
        before.pump_life = Some(7.25);
        let mut again = State::new(SystemConfiguration::Aq290);
        let values = before.values();
        again.restore(values.iter().rev().map(|(name, value)| (*name, value)));
        again.restore([("intensity", &json!("broken")), ("unknown", &json!(1))]);
        assert_eq!(again, before);
    }

    proptest! {
        #[test]
        fn no_command_leads_out_of_the_limits(
            commands in proptest::collection::vec((0..TEMPLATE.properties.len(), -3i64..60), 0..20),
            configuration in 0..SystemConfiguration::ALL.len(),
        ) {
            let mut state = State::new(SystemConfiguration::ALL[configuration].clone());
            for (property, value) in commands {
                let (next, ack, report) = state.obey(command(TEMPLATE.properties[property].name, json!(value)));
                prop_assert_eq!(ack.status == 200, !report.is_empty());
                prop_assert!((MIN_INTENSITY..=next.max_intensity()).contains(&next.intensity));
                prop_assert!(next.mode != Mode::Two);
                state = next;
            }
        }
    }
}
