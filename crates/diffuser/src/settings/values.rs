//! The settings with coded values: mode, off-cycle and fan speed.

use crate::{OutOfRange, Setting};

/// The mode: property `current_state`, 1 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    Off = 1,
    /// Reported by some appliances, but never offered to users. The intensity cannot be set in this mode.
    Two = 2,
    AllDay = 3,
    /// Follows the weekly schedule.
    Run = 4,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Off, Self::Two, Self::AllDay, Self::Run];

    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Two => "Mode 2",
            Self::AllDay => "24/7",
            Self::Run => "Run",
        }
    }

    /// Whether the mode is shown as On.
    pub fn is_running(self) -> bool {
        matches!(self, Self::AllDay | Self::Run)
    }
}

impl TryFrom<i64> for Mode {
    type Error = OutOfRange;

    fn try_from(code: i64) -> Result<Self, OutOfRange> {
        by_code(Setting::Mode, &Self::ALL, Self::code, code)
    }
}

/// The pause between two bursts: property `cycle`, 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OffCycle {
    VeryShort = 1,
    Short = 2,
    Normal = 3,
}

impl OffCycle {
    pub const ALL: [Self; 3] = [Self::VeryShort, Self::Short, Self::Normal];

    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::VeryShort => "Very Short (30 Sec)",
            Self::Short => "Short (2 Min)",
            Self::Normal => "Normal (7 Min)",
        }
    }
}

impl TryFrom<i64> for OffCycle {
    type Error = OutOfRange;

    fn try_from(code: i64) -> Result<Self, OutOfRange> {
        by_code(Setting::OffCycle, &Self::ALL, Self::code, code)
    }
}

/// The fan speed: property `fan`, 0 (Off) to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fan(u8);

impl Fan {
    pub const OFF: Self = Self(0);
    pub const MAX: Self = Self(Setting::Fan.range().1);

    pub fn speed(self) -> u8 {
        self.0
    }
}

impl TryFrom<i64> for Fan {
    type Error = OutOfRange;

    fn try_from(speed: i64) -> Result<Self, OutOfRange> {
        Setting::Fan.parse(speed).map(Self)
    }
}

fn by_code<T: Copy>(setting: Setting, all: &[T], code_of: fn(T) -> u8, code: i64) -> Result<T, OutOfRange> {
    let (min, max) = setting.range();
    let parsed = setting.parse(code)?;
    all.iter().copied().find(|value| code_of(*value) == parsed).ok_or(OutOfRange { setting, min, max })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn modes_have_their_codes_labels_and_running_states() {
        let rows = Mode::ALL.map(|mode| (mode.code(), mode.label(), mode.is_running()));
        assert_eq!(rows, [(1, "Off", false), (2, "Mode 2", false), (3, "24/7", true), (4, "Run", true)]);
    }

    #[test]
    fn off_cycles_have_their_codes_and_labels() {
        let rows = OffCycle::ALL.map(|cycle| (cycle.code(), cycle.label()));
        assert_eq!(rows, [(1, "Very Short (30 Sec)"), (2, "Short (2 Min)"), (3, "Normal (7 Min)")]);
    }

    proptest! {
        #[test]
        fn only_codes_in_range_are_accepted(code in prop_oneof![-10i64..300, any::<i64>()]) {
            prop_assert_eq!(Mode::try_from(code).map(|mode| i64::from(mode.code())).ok(), (1..=4).contains(&code).then_some(code));
            prop_assert_eq!(OffCycle::try_from(code).map(|cycle| i64::from(cycle.code())).ok(), (1..=3).contains(&code).then_some(code));
            prop_assert_eq!(Fan::try_from(code).map(|fan| i64::from(fan.speed())).ok(), (0..=5).contains(&code).then_some(code));
        }
    }
}
