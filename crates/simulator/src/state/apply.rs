//! Validates and applies values: from a user's command, or restored from a cloud.

use diffuser::properties as names;
use diffuser::template::{Direction, TEMPLATE};
use diffuser::{CurrentSettings, Fan, Mode, OffCycle, Schedule, Setting, Settings};
use serde_json::Value;

use super::State;
use super::hours::Hours;

/// The maximum length of a text in a report.
const MAX_TEXT_BYTES: usize = 1024;

impl State {
    /// Applies a command.
    ///
    /// # Errors
    /// Returns the reason for the user if the command is invalid. The state is then unchanged.
    pub(crate) fn apply_command(&mut self, property: &str, value: &Value) -> Result<(), String> {
        match TEMPLATE.properties.iter().find(|known| known.name == property) {
            None => return Err("Unknown property".to_owned()),
            Some(known) if known.direction == Direction::Output => return Err("Property is read-only".to_owned()),
            Some(_) => {}
        }
        let number = value.as_i64();
        let setting = Setting::from_property(property);
        let settings = setting.map(|setting| Settings::of(setting, number)).unwrap_or_default();
        let current = CurrentSettings {
            configuration: self.configuration.clone(),
            mode: Some(self.mode),
            cycle: Some(self.cycle),
        };
        settings.validate(&current).map_err(|errors| errors.to_string())?;
        self.assign(property, value)
    }

    pub(super) fn assign(&mut self, property: &str, value: &Value) -> Result<(), String> {
        match property {
            names::SCHEDULE_BLOB => self.schedule_blob = Some(schedule(value)?),
            names::CURRENT_STATE => self.mode = Mode::try_from(integer(value)?).map_err(|error| error.to_string())?,
            names::CYCLE => {
                self.cycle = OffCycle::try_from(integer(value)?).map_err(|error| error.to_string())?;
                self.intensity = self.intensity.min(self.max_intensity());
            }
            names::INTENSITY => {
                let parsed = Setting::Intensity.parse_up_to(integer(value)?, self.max_intensity());
                self.intensity = parsed.map_err(|error| error.to_string())?;
            }
            names::FAN => self.fan = Fan::try_from(integer(value)?).map_err(|error| error.to_string())?,
            names::CARTRIDGE_LIFE => self.cartridge_life = hours(value)?,
            names::FRAGRANCE_REMAINING => self.fragrance_remaining = Some(within(value, 0, 100)?),
            names::APPLIANCE_LIFE => self.appliance_life = hours(value)?,
            names::PUMP_LIFE => self.pump_life = hours(value)?,
            names::CLOCK_MODE => self.clock_mode = Some(integer(value)?),
            names::HOST_VERSION => self.host_version = Some(text(value)?),
            names::OEM_HOST_VERSION => self.oem_host_version = Some(text(value)?),
            _ => return Err("Unknown property".to_owned()),
        }
        Ok(())
    }
}

fn integer(value: &Value) -> Result<i64, String> {
    value.as_i64().ok_or_else(|| "Value must be a whole number".to_owned())
}

fn within(value: &Value, min: u8, max: u8) -> Result<u8, String> {
    let number = u8::try_from(integer(value)?).ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("Value must be between {min} and {max}"))
}

fn hours(value: &Value) -> Result<Hours, String> {
    value.as_f64().and_then(Hours::new).ok_or_else(|| "Value must be a number of hours".to_owned())
}

fn schedule(value: &Value) -> Result<String, String> {
    let text = text(value)?;
    if Schedule::read(&text).1.is_empty() { Ok(text) } else { Err("Value must be a schedule".to_owned()) }
}

fn text(value: &Value) -> Result<String, String> {
    let text = value.as_str().ok_or_else(|| "Value must be a text".to_owned())?;
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("Value must be a text of up to {MAX_TEXT_BYTES} bytes"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use diffuser::{MIN_INTENSITY, SystemConfiguration};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn running_aq290() -> State {
        State { mode: Mode::Run, cycle: OffCycle::VeryShort, intensity: 49, ..State::new(SystemConfiguration::Aq290) }
    }

    #[test]
    fn valid_commands_change_their_property_and_dependent_ones() {
        let rows = [
            ("current_state", json!(1), json!({"current_state": 1})),
            ("current_state", json!(3), json!({"current_state": 3})),
            ("cycle", json!(2), json!({"cycle": 2, "intensity": 45})),
            ("intensity", json!(20), json!({"intensity": 20})),
            ("fan", json!(5), json!({"fan": 5})),
            ("schedule_blob", json!("1,1,5,30,11,0,11,59"), json!({"schedule_blob": "1,1,5,30,11,0,11,59"})),
            ("cartridge_life", json!(12.5), json!({"cartridge_life": 12.5})),
            ("fragrance_remaining", json!(99), json!({"fragrance_remaining": 99})),
        ];
        for (property, value, expected) in rows {
            let before = running_aq290().values();
            let mut state = running_aq290();
            assert_eq!(state.apply_command(property, &value), Ok(()), "{property} {value}");
            let mut changed = state.values();
            changed.retain(|name, value| before.get(name) != Some(value));
            assert_eq!(json!(changed), expected, "{property} {value}");
        }
    }

    #[test]
    fn invalid_commands_change_nothing_and_return_the_reason() {
        let rows = [
            ("current_state", json!(2), "Mode 2 can be kept, but not chosen"),
            ("current_state", json!(5), "Mode must be between 1 and 4"),
            ("cycle", json!(0), "Off-cycle must be between 1 and 3"),
            ("intensity", json!(50), "Intensity must be between 1 and 49"),
            ("intensity", json!("20"), "Value must be a whole number"),
            ("intensity", json!(20.5), "Value must be a whole number"),
            ("fan", json!(6), "Fan Speed must be between 0 and 5"),
            ("fan", json!(null), "Value must be a whole number"),
            ("schedule_blob", json!(7), "Value must be a text"),
            ("schedule_blob", json!("1,1,0"), "Value must be a schedule"),
            ("schedule_blob", json!("1".repeat(1025)), "Value must be a text of up to 1024 bytes"),
            ("cartridge_life", json!(-1), "Value must be a number of hours"),
            ("cartridge_life", json!(1e7), "Value must be a number of hours"),
            ("fragrance_remaining", json!(101), "Value must be between 0 and 100"),
            ("pump_life", json!(1), "Property is read-only"),
            ("current_schedule_running", json!(1), "Property is read-only"),
            ("volume", json!(1), "Unknown property"),
        ];
        for (property, value, why) in rows {
            let mut state = running_aq290();
            assert_eq!(state.apply_command(property, &value), Err(why.to_owned()), "{property} {value}");
            assert_eq!(state, running_aq290(), "{property} {value}");
        }
    }

    proptest! {
        #[test]
        fn values_stay_within_limits_for_any_commands(
            commands in proptest::collection::vec((0..TEMPLATE.properties.len(), -3i64..60), 0..20),
            configuration in 0..SystemConfiguration::ALL.len(),
        ) {
            let mut state = State::new(SystemConfiguration::ALL[configuration].clone());
            for (property, value) in commands {
                let before = state.clone();
                if state.apply_command(TEMPLATE.properties[property].name, &json!(value)).is_err() {
                    prop_assert_eq!(&state, &before);
                }
                prop_assert!((MIN_INTENSITY..=state.max_intensity()).contains(&state.intensity));
                prop_assert!(state.mode != Mode::Two);
            }
        }
    }
}
