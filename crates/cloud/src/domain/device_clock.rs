//! Whether the clock of a device is off (docs/device-link.md#report). Pure.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

/// A clock may be off by so much, and a value may wait so long while the device is connected.
const TOLERANCE: SignedDuration = SignedDuration::from_mins(5);
/// No device keeps values for so long while it is not connected.
const LONGEST_STORAGE: SignedDuration = SignedDuration::from_hours(365 * 24);

/// By how much a clock is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockError {
    Ahead(SignedDuration),
    Behind(SignedDuration),
}

impl fmt::Display for ClockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ahead(by) => write!(f, "{} seconds ahead", by.as_secs()),
            Self::Behind(by) => write!(f, "{} seconds behind", by.as_secs()),
        }
    }
}

/// The error of the clock of a device that sends a value of `at` now. A value from before the connection was stored meanwhile, so that
/// its age shows no error unless it is very old.
pub(crate) fn clock_error(at: Timestamp, connected_at: Option<Timestamp>, now: Timestamp) -> Option<ClockError> {
    let age = now.duration_since(at);
    if age < -TOLERANCE {
        return Some(ClockError::Ahead(-age));
    }
    let is_live = connected_at.is_some_and(|connected_at| at > connected_at);
    let max_age = if is_live { TOLERANCE } else { LONGEST_STORAGE };
    (age > max_age).then_some(ClockError::Behind(age))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_off_if_a_value_is_in_the_future_late_or_of_another_year() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let connected_at = now - SignedDuration::from_hours(2);
        let ago = |seconds| now - SignedDuration::from_secs(seconds);
        const DAY: i64 = 86_400;
        for (at, expected) in [
            (now, None),
            (ago(-300), None),
            (ago(-301), Some("301 seconds ahead")),
            (Timestamp::MAX, Some("251607031200 seconds ahead")),
            (ago(300), None),
            (ago(301), Some("301 seconds behind")),
            (ago(7199), Some("7199 seconds behind")),
            (ago(7200), None),
            (ago(365 * DAY), None),
            (ago(365 * DAY + 1), Some("31536001 seconds behind")),
            (Timestamp::UNIX_EPOCH, Some("1795176000 seconds behind")),
        ] {
            let error = clock_error(at, Some(connected_at), now).map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected, "{at}");
        }
        assert_eq!(clock_error(ago(301), None, now), None, "a device that is not connected");
    }
}
