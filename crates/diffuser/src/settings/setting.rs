//! The settings that users change, with their names, labels and ranges.

use crate::properties;

/// A setting of a diffuser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Setting {
    Mode,
    OffCycle,
    Intensity,
    Fan,
}

/// A number that is not a value of the setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} must be between {min} and {max}", .setting.label())]
pub struct OutOfRange {
    pub setting: Setting,
    pub min: u8,
    pub max: u8,
}

impl Setting {
    /// In the order in which a diffuser must apply them: it checks the intensity against mode and off-cycle.
    pub const ALL: [Self; 4] = [Self::Mode, Self::OffCycle, Self::Intensity, Self::Fan];

    /// The name in requests and responses.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Mode => "mode",
            Self::OffCycle => "cycle",
            Self::Intensity => "intensity",
            Self::Fan => "fan",
        }
    }

    /// The name on the page.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Mode => "Mode",
            Self::OffCycle => "Off-cycle",
            Self::Intensity => "Intensity",
            Self::Fan => "Fan Speed",
        }
    }

    /// The name of the property at the cloud.
    pub const fn property(self) -> &'static str {
        match self {
            Self::Mode => properties::CURRENT_STATE,
            Self::OffCycle => properties::CYCLE,
            Self::Intensity => properties::INTENSITY,
            Self::Fan => properties::FAN,
        }
    }

    /// The setting that this property stores.
    pub fn from_property(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.property() == name)
    }

    /// The smallest and the largest value that any model accepts.
    pub const fn range(self) -> (u8, u8) {
        match self {
            Self::Mode => (1, 4),
            Self::OffCycle => (1, 3),
            Self::Intensity => (1, 50),
            Self::Fan => (0, 5),
        }
    }

    /// Whether the setting changes how much fragrance a device uses. A cartridge is used up by running hours, which follow from
    /// the mode; the specification has no effect of the others.
    pub const fn affects_use(self) -> bool {
        matches!(self, Self::Mode)
    }

    /// Checks a value against [`range`](Self::range).
    ///
    /// # Errors
    /// Names the setting and its range.
    pub fn parse(self, value: i64) -> Result<u8, OutOfRange> {
        self.parse_up_to(value, self.range().1)
    }

    /// Checks a value against the minimum and a lower maximum.
    ///
    /// # Errors
    /// Names the setting and the range.
    pub fn parse_up_to(self, value: i64, max: u8) -> Result<u8, OutOfRange> {
        let min = self.range().0;
        let parsed = u8::try_from(value).ok().filter(|value| (min..=max).contains(value));
        parsed.ok_or(OutOfRange { setting: self, min, max })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn settings_match_the_vectors() {
        let vectors: Vec<Value> = serde_json::from_str(include_str!("../../vectors/settings.json")).unwrap();
        let settings = Setting::ALL.map(|it| {
            let (min, max) = it.range();
            json!({"field": it.field(), "label": it.label(), "property": it.property(), "min": min, "max": max})
        });
        assert_eq!(vectors, settings);
    }

    #[test]
    fn errors_name_the_setting_and_its_range() {
        let errors = [(Setting::Mode, 0), (Setting::OffCycle, 4), (Setting::Intensity, 51), (Setting::Fan, -1)]
            .map(|(setting, value)| setting.parse(value).unwrap_err().to_string());
        let expected = [
            "Mode must be between 1 and 4",
            "Off-cycle must be between 1 and 3",
            "Intensity must be between 1 and 50",
            "Fan Speed must be between 0 and 5",
        ];
        assert_eq!(errors, expected);
    }

    proptest! {
        #[test]
        fn only_values_in_range_are_accepted(value in prop_oneof![-10i64..300, any::<i64>()]) {
            for setting in Setting::ALL {
                let (min, max) = setting.range();
                let in_range = (i64::from(min)..=i64::from(max)).contains(&value);
                prop_assert_eq!(setting.parse(value).ok().map(i64::from), in_range.then_some(value));
            }
        }
    }
}
