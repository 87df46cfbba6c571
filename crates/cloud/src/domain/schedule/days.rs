//! Weekdays and occurrences of days.

use jiff::civil::Date;

/// 1 is Sunday, as in the released protocol; an earlier version started with Monday.
pub(super) fn weekday(day: Date) -> i8 {
    day.weekday().to_sunday_one_offset()
}

pub(super) fn is_last_of_month(day: Date) -> bool {
    day.day() == day.days_in_month()
}

/// The occurrence of the day's weekday within its month, and whether it is the last one.
pub(super) fn occurrence(day: Date) -> (i8, bool) {
    ((day.day() - 1) / 7 + 1, day.day() + 7 > day.days_in_month())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn weekdays_have_the_numbers_of_the_wire() {
        // 1 November 2026 is a Sunday.
        let table = [
            (date(2026, 11, 1), 1, (1, false), false),
            (date(2026, 11, 7), 7, (1, false), false),
            (date(2026, 11, 8), 1, (2, false), false),
            (date(2026, 11, 23), 2, (4, false), false),
            (date(2026, 11, 24), 3, (4, true), false),
            (date(2026, 11, 29), 1, (5, true), false),
            (date(2026, 11, 30), 2, (5, true), true),
            (date(2028, 2, 29), 3, (5, true), true),
        ];
        for (day, number, nth, last) in table {
            assert_eq!((weekday(day), occurrence(day), is_last_of_month(day)), (number, nth, last), "{day}");
        }
    }
}
