use std::fmt;

/// A minute of the day, 00:00 to 23:59. There is no 24:00.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay {
    hour: u8,
    minute: u8,
}

impl TimeOfDay {
    pub const MIDNIGHT: Self = Self { hour: 0, minute: 0 };

    /// Returns `None` if the hour is above 23 or the minute above 59.
    pub fn new(hour: u8, minute: u8) -> Option<Self> {
        (hour <= 23 && minute <= 59).then_some(Self { hour, minute })
    }

    pub fn hour(self) -> u8 {
        self.hour
    }

    pub fn minute(self) -> u8 {
        self.minute
    }

    /// 0 to 1439.
    pub(super) fn minutes_since_midnight(self) -> i32 {
        i32::from(self.hour) * 60 + i32::from(self.minute)
    }
}

/// As `HH:MM`, 24 hours.
impl fmt::Display for TimeOfDay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:02}:{:02}", self.hour, self.minute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_1440_minutes_of_a_day_are_valid_times() {
        let times: Vec<TimeOfDay> =
            (0..=255).flat_map(|hour| (0..=255).filter_map(move |minute| TimeOfDay::new(hour, minute))).collect();
        assert!(times.is_sorted());
        assert_eq!(
            times.iter().map(|it| it.minutes_since_midnight()).collect::<Vec<_>>(),
            (0..1440).collect::<Vec<_>>()
        );
        assert_eq!(times[7 * 60 + 5].to_string(), "07:05");
    }
}
