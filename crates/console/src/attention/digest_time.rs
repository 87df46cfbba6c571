//! When a digest is due.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

/// An hour of each day in a time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DigestTime {
    /// 0 to 23.
    pub(super) hour: i8,
    /// An IANA name.
    pub(super) time_zone: String,
}

impl DigestTime {
    /// The first time after `now`. An hour that a clock change skips is an hour later on that day. A time zone that no longer exists
    /// counts as UTC.
    pub(super) fn next_after(&self, now: Timestamp) -> Timestamp {
        let zone = TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC);
        let today = now.to_zoned(zone.clone()).date();
        let on = |days: i64| {
            let date = today.checked_add(Span::new().days(days)).ok()?;
            let at: Zoned = date.at(self.hour, 0, 0, 0).to_zoned(zone.clone()).ok()?;
            Some(at.timestamp())
        };
        // Dates are out of range only thousands of years from now.
        on(0).filter(|at| *at > now).or_else(|| on(1)).unwrap_or(Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_due_at_the_hour_of_the_time_zone() {
        let rows = [
            ("2026-11-20T05:59:59Z", "2026-11-20T06:00:00Z"),
            ("2026-11-20T06:00:00Z", "2026-11-21T06:00:00Z"),
            // The clock changes in the night.
            ("2026-10-24T05:00:00Z", "2026-10-25T06:00:00Z"),
            ("2026-03-28T06:00:00Z", "2026-03-29T05:00:00Z"),
        ];
        let time = DigestTime { hour: 7, time_zone: "Europe/Berlin".to_owned() };
        for (now, next) in rows {
            assert_eq!(time.next_after(now.parse().unwrap()), next.parse().unwrap(), "{now}");
        }
    }

    #[test]
    fn skipped_hour_is_an_hour_later() {
        let time = DigestTime { hour: 2, time_zone: "Europe/Berlin".to_owned() };
        let next = time.next_after("2026-03-28T12:00:00Z".parse().unwrap());
        assert_eq!(next, "2026-03-29T01:00:00Z".parse().unwrap());
    }

    #[test]
    fn unknown_time_zone_counts_as_utc() {
        let time = DigestTime { hour: 7, time_zone: "Mars/Olympus".to_owned() };
        assert_eq!(time.next_after("2026-11-20T06:30:00Z".parse().unwrap()), "2026-11-20T07:00:00Z".parse().unwrap());
    }
}
