use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::messages;
use crate::error::{Error, ErrorKind};

/// A point in time, in UTC, with microseconds.
///
/// Written as RFC 3339 text. Reads all formats that clouds use (with and without a fraction, with `T` or a space).
///
/// ```
/// use devicecloud::Time;
///
/// let time: Time = "2026-11-20T10:00:00Z".parse()?;
/// assert_eq!(time.unix_micros(), 1_795_168_800_000_000);
/// assert_eq!(time.to_string(), "2026-11-20T10:00:00Z");
/// # Ok::<(), devicecloud::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(Timestamp);

impl Time {
    /// From microseconds since 1970-01-01T00:00:00Z, clamped to the years -9999 to 9999.
    #[must_use]
    pub fn from_unix_micros(micros: i64) -> Self {
        let nearest = if micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Self(Timestamp::from_microsecond(micros).unwrap_or(nearest))
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn unix_micros(self) -> i64 {
        self.0.as_microsecond()
    }

    /// Whole seconds from `earlier` to this time; negative if `earlier` is later.
    #[must_use]
    pub fn seconds_since(self, earlier: Self) -> i64 {
        self.0.as_second().saturating_sub(earlier.0.as_second())
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`, without a fraction.
    pub(crate) fn in_whole_seconds(self) -> String {
        self.0.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    #[expect(clippy::disallowed_methods, reason = "the seam through which the clock reads the time")]
    pub(crate) fn now() -> Self {
        Self(Timestamp::now())
    }

    /// Parses the format of a `Retry-After` header: `Wed, 21 Oct 2015 07:28:00 GMT`.
    pub(crate) fn from_http_date(text: &str) -> Option<Self> {
        jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok().map(Self)
    }
}

impl FromStr for Time {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        text.parse().or_else(|_| format!("{text}Z").parse()).map(Self).map_err(|error: jiff::Error| {
            Error::new(ErrorKind::InvalidArgument, messages::INVALID_TIME).with_source(error)
        })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_format_is_read() {
        let table = [
            ("2026-11-20T10:00:00Z", Some("2026-11-20T10:00:00Z")),
            ("2017-05-19 11:42:50Z", Some("2017-05-19T11:42:50Z")),
            ("2018-03-16T23:11:13.895Z", Some("2018-03-16T23:11:13.895Z")),
            ("2018-03-16T23:11:13", Some("2018-03-16T23:11:13Z")),
            ("2018-03-16T23:11:13+01:00", Some("2018-03-16T22:11:13Z")),
            ("null", None),
            ("", None),
            ("yesterday", None),
        ];
        for (text, expected) in table {
            assert_eq!(text.parse::<Time>().ok().map(|time| time.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn out_of_range_times_are_clamped() {
        assert!(Time::from_unix_micros(i64::MAX) > Time::from_unix_micros(0));
        assert!(Time::from_unix_micros(i64::MIN) < Time::from_unix_micros(0));
    }
}
