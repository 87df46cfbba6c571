use jiff::civil::Weekday;

/// The days of the week on which a frame runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Days {
    AllDays = 0,
    Monday = 1,
    Tuesday = 2,
    Wednesday = 3,
    Thursday = 4,
    Friday = 5,
    Saturday = 6,
    Sunday = 7,
    WeekendDays = 8,
    Weekdays = 9,
}

/// A code that is not a set of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Days must be between 0 and 9")]
pub struct UnknownDays;

impl Days {
    /// In display order, which is the order of the codes.
    pub const CHOICES: [Self; 10] = [
        Self::AllDays,
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
        Self::WeekendDays,
        Self::Weekdays,
    ];

    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::AllDays => "All Days",
            Self::Monday => "Monday",
            Self::Tuesday => "Tuesday",
            Self::Wednesday => "Wednesday",
            Self::Thursday => "Thursday",
            Self::Friday => "Friday",
            Self::Saturday => "Saturday",
            Self::Sunday => "Sunday",
            Self::WeekendDays => "Weekend Days",
            Self::Weekdays => "Weekdays",
        }
    }

    pub fn includes(self, day: Weekday) -> bool {
        self.set() & bit(day.to_monday_one_offset()) != 0
    }

    /// Whether the sets share a day. Unlike in the specification's rule, Friday is one of the weekdays.
    pub fn overlaps(self, other: Self) -> bool {
        self.set() & other.set() != 0
    }

    /// One bit per day.
    fn set(self) -> u8 {
        match self {
            Self::AllDays => 0b111_1111,
            Self::WeekendDays => 0b110_0000,
            Self::Weekdays => 0b001_1111,
            day => 1 << (day.code() - 1),
        }
    }
}

/// The bit of a day of the week; Monday is 1.
fn bit(day: i8) -> u8 {
    1 << (day - 1)
}

impl TryFrom<i64> for Days {
    type Error = UnknownDays;

    fn try_from(code: i64) -> Result<Self, UnknownDays> {
        Self::CHOICES.into_iter().find(|days| i64::from(days.code()) == code).ok_or(UnknownDays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_codes_labels_and_weekdays() {
        let expected = [
            (0, "All Days", vec![1, 2, 3, 4, 5, 6, 7]),
            (1, "Monday", vec![1]),
            (2, "Tuesday", vec![2]),
            (3, "Wednesday", vec![3]),
            (4, "Thursday", vec![4]),
            (5, "Friday", vec![5]),
            (6, "Saturday", vec![6]),
            (7, "Sunday", vec![7]),
            (8, "Weekend Days", vec![6, 7]),
            (9, "Weekdays", vec![1, 2, 3, 4, 5]),
        ];
        let rows = Days::CHOICES.map(|days| {
            let included = Weekday::Monday.cycle_forward().take(7).filter(|day| days.includes(*day));
            (days.code(), days.label(), included.map(Weekday::to_monday_one_offset).collect::<Vec<_>>())
        });
        assert_eq!(rows, expected);
    }

    #[test]
    fn day_codes_outside_0_to_9_are_rejected() {
        for code in -3..=20 {
            let read = Days::try_from(code).map(|days| i64::from(days.code()));
            assert_eq!(read, if (0..=9).contains(&code) { Ok(code) } else { Err(UnknownDays) });
        }
    }

    /// The specification's comparison of days below 5 misses a conflict between Friday and weekdays.
    #[test]
    fn friday_is_one_of_the_weekdays() {
        assert!(Days::Weekdays.overlaps(Days::Friday));
        assert!(Days::Friday.overlaps(Days::Weekdays));
        assert!(!Days::Weekdays.overlaps(Days::Saturday));
        assert!(!Days::Weekdays.overlaps(Days::WeekendDays));
    }
}
