//! The settings of a diffuser: each with its range and label, coded values, and the checks of a change of several.

pub(crate) mod intensity;
pub(crate) mod setting;
pub(crate) mod values;

use std::collections::BTreeMap;
use std::fmt;

use crate::{Fan, Mode, OffCycle, Setting, SystemConfiguration, max_intensity};

/// A requested change of settings, as property values. `None` leaves a setting unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    pub mode: Option<i64>,
    pub cycle: Option<i64>,
    pub intensity: Option<i64>,
    pub fan: Option<i64>,
}

/// The current settings of the diffuser, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentSettings {
    pub configuration: SystemConfiguration,
    pub mode: Option<Mode>,
    pub cycle: Option<OffCycle>,
}

/// Validation errors of settings: texts for the user by [`Setting::field`]. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsErrors(pub BTreeMap<&'static str, Vec<String>>);

impl Settings {
    /// Changes one setting.
    pub fn of(setting: Setting, value: Option<i64>) -> Self {
        let mut settings = Self::default();
        settings.set(setting, value);
        settings
    }

    pub fn get(&self, setting: Setting) -> Option<i64> {
        match setting {
            Setting::Mode => self.mode,
            Setting::OffCycle => self.cycle,
            Setting::Intensity => self.intensity,
            Setting::Fan => self.fan,
        }
    }

    pub fn set(&mut self, setting: Setting, value: Option<i64>) {
        *self.value_mut(setting) = value;
    }

    fn value_mut(&mut self, setting: Setting) -> &mut Option<i64> {
        match setting {
            Setting::Mode => &mut self.mode,
            Setting::OffCycle => &mut self.cycle,
            Setting::Intensity => &mut self.intensity,
            Setting::Fan => &mut self.fan,
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Validates each field, and the intensity against the resulting mode and off-cycle.
    ///
    /// # Errors
    /// Lists every invalid field with a text for the user.
    pub fn validate(&self, current: &CurrentSettings) -> Result<(), SettingsErrors> {
        let mut errors = BTreeMap::new();
        let mut refuse = |setting: Setting, text: String| {
            errors.insert(setting.field(), vec![text]);
        };

        let mode = match self.mode.map(Mode::try_from) {
            None => current.mode,
            Some(Ok(Mode::Two)) if current.mode != Some(Mode::Two) => {
                refuse(Setting::Mode, "Mode 2 can be kept, but not chosen".to_owned());
                None
            }
            Some(Ok(mode)) => Some(mode),
            Some(Err(error)) => {
                refuse(Setting::Mode, error.to_string());
                None
            }
        };
        let cycle = match self.cycle.map(OffCycle::try_from) {
            None => current.cycle,
            Some(Ok(cycle)) => Some(cycle),
            Some(Err(error)) => {
                refuse(Setting::OffCycle, error.to_string());
                None
            }
        };
        if let Some(intensity) = self.intensity {
            let max = max_intensity(&current.configuration, cycle);
            if mode == Some(Mode::Two) {
                refuse(Setting::Intensity, "Intensity cannot be set in mode 2".to_owned());
            } else if let Err(error) = Setting::Intensity.parse_up_to(intensity, max) {
                refuse(Setting::Intensity, error.to_string());
            }
        }
        if let Some(Err(error)) = self.fan.map(Fan::try_from) {
            refuse(Setting::Fan, error.to_string());
        }

        if errors.is_empty() { Ok(()) } else { Err(SettingsErrors(errors)) }
    }
}

impl fmt::Display for SettingsErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.0.values().flatten().map(String::as_str).collect();
        f.write_str(&texts.join(". "))
    }
}

impl std::error::Error for SettingsErrors {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NONE: Settings = Settings { mode: None, cycle: None, intensity: None, fan: None };

    fn current(cart_name: &str, mode: Mode, cycle: OffCycle) -> CurrentSettings {
        CurrentSettings { configuration: cart_name.into(), mode: Some(mode), cycle: Some(cycle) }
    }

    fn refusals(settings: Settings, current: &CurrentSettings) -> Vec<(&'static str, String)> {
        match settings.validate(current) {
            Ok(()) => Vec::new(),
            Err(SettingsErrors(errors)) => errors.into_iter().map(|(field, texts)| (field, texts.join("|"))).collect(),
        }
    }

    #[test]
    fn settings_are_validated_against_the_resulting_mode_and_off_cycle() {
        let run = current("AQ290", Mode::Run, OffCycle::Normal);
        let two = current("AQ290", Mode::Two, OffCycle::Normal);
        let rows = [
            (NONE, &run, None),
            (Settings { intensity: Some(40), ..NONE }, &run, None),
            (Settings { intensity: Some(41), ..NONE }, &run, Some(("intensity", "Intensity must be between 1 and 40"))),
            (Settings { intensity: Some(49), cycle: Some(1), ..NONE }, &run, None),
            (
                Settings { intensity: Some(46), cycle: Some(2), ..NONE },
                &run,
                Some(("intensity", "Intensity must be between 1 and 45")),
            ),
            (Settings { intensity: Some(0), ..NONE }, &run, Some(("intensity", "Intensity must be between 1 and 40"))),
            (Settings { mode: Some(2), ..NONE }, &run, Some(("mode", "Mode 2 can be kept, but not chosen"))),
            (Settings { mode: Some(2), fan: Some(5), ..NONE }, &two, None),
            (Settings { intensity: Some(10), ..NONE }, &two, Some(("intensity", "Intensity cannot be set in mode 2"))),
            (Settings { mode: Some(4), intensity: Some(10), ..NONE }, &two, None),
            (Settings { mode: Some(5), ..NONE }, &run, Some(("mode", "Mode must be between 1 and 4"))),
            (Settings { cycle: Some(0), ..NONE }, &run, Some(("cycle", "Off-cycle must be between 1 and 3"))),
            (Settings { fan: Some(6), ..NONE }, &run, Some(("fan", "Fan Speed must be between 0 and 5"))),
        ];
        for (settings, current, refusal) in rows {
            let expected: Vec<_> = refusal.into_iter().map(|(field, text)| (field, text.to_owned())).collect();
            assert_eq!(refusals(settings, current), expected, "{settings:?} for {current:?}");
        }
    }

    #[test]
    fn all_invalid_fields_are_listed() {
        let everything_wrong = Settings { mode: Some(9), cycle: Some(9), intensity: Some(99), fan: Some(9) };
        let errors = everything_wrong.validate(&current("AQ380", Mode::Off, OffCycle::Short)).unwrap_err();
        assert_eq!(errors.0.keys().copied().collect::<Vec<_>>(), ["cycle", "fan", "intensity", "mode"]);
        assert_eq!(
            errors.to_string(),
            "Off-cycle must be between 1 and 3. Fan Speed must be between 0 and 5. Intensity must be between 1 and 50. Mode must be between 1 and 4"
        );
    }

    #[test]
    fn unknown_diffuser_has_the_widest_limits() {
        let unknown = CurrentSettings { configuration: "".into(), mode: None, cycle: None };
        assert_eq!(Settings { intensity: Some(50), ..NONE }.validate(&unknown), Ok(()));
        assert!(Settings { intensity: Some(51), ..NONE }.validate(&unknown).is_err());
    }

    proptest! {
        #[test]
        fn accepted_intensity_never_exceeds_the_maximum(
            intensity in prop_oneof![-5i64..60, any::<i64>()],
            now in 1i64..=3,
            then in proptest::option::of(1i64..=3),
            configuration in 0..SystemConfiguration::ALL.len(),
        ) {
            let configuration = SystemConfiguration::ALL[configuration].clone();
            let cycle = OffCycle::try_from(then.unwrap_or(now)).unwrap();
            let max = i64::from(max_intensity(&configuration, Some(cycle)));
            let current = CurrentSettings { configuration, mode: Some(Mode::AllDay), cycle: OffCycle::try_from(now).ok() };
            let accepted = Settings { intensity: Some(intensity), cycle: then, ..NONE }.validate(&current).is_ok();
            prop_assert_eq!(accepted, (1..=max).contains(&intensity));
        }
    }
}
