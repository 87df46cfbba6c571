//! Decides which checks of a certificate are worth a line in the log.

use jiff::{SignedDuration, Timestamp};

use super::TlsError;

/// A certificate that is not renewed by then was forgotten.
pub const RENEWED_BEFORE: SignedDuration = SignedDuration::from_hours(14 * 24);
const FAULT_INTERVAL: SignedDuration = SignedDuration::from_hours(1);
const END_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// What was reported about a certificate.
#[derive(Debug, Default)]
pub(super) struct Reporter {
    /// The fault that the last check found.
    found: Option<String>,
    /// The last reported fault.
    fault: Option<(String, Timestamp)>,
    /// The last reported end.
    end: Option<(Timestamp, Timestamp)>,
}

impl Reporter {
    /// Returns the fault of the files if it is to be reported: after two checks that found it, then once an hour.
    pub(super) fn fault(&mut self, error: Option<&TlsError>, now: Timestamp) -> Option<String> {
        let Some(error) = error else {
            (self.found, self.fault) = (None, None);
            return None;
        };
        let text = error.to_string();
        // A renewal writes two files, and a check between the two finds a mismatch. Dates do not change by themselves.
        let is_certain = matches!(error, TlsError::Expired { .. } | TlsError::NotYetValid { .. })
            || self.found.as_ref() == Some(&text);
        self.found = Some(text.clone());
        let is_due = is_due(self.fault.as_ref(), &text, now, FAULT_INTERVAL);
        (is_certain && is_due).then(|| self.fault.insert((text, now)).0.clone())
    }

    /// Whether to report this end of the certificate in use: during the last 14 days, once a day.
    pub(super) fn ends_soon(&mut self, end: Timestamp, now: Timestamp) -> bool {
        let is_soon = now < end && end.duration_since(now) < RENEWED_BEFORE;
        let reports = is_soon && is_due(self.end.as_ref(), &end, now, END_INTERVAL);
        if reports {
            self.end = Some((end, now));
        }
        reports
    }
}

/// Whether nothing, something else or the same was reported at least this long ago.
fn is_due<T: PartialEq>(last: Option<&(T, Timestamp)>, subject: &T, now: Timestamp, interval: SignedDuration) -> bool {
    last.is_none_or(|(reported, at)| reported != subject || now.duration_since(*at) >= interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        format!("2026-11-{time}Z").parse().unwrap()
    }

    #[test]
    fn fault_is_reported_when_two_checks_found_it_and_then_hourly() {
        let mismatch = || TlsError::Mismatch { key: "key.pem".into(), certificate: "cert.pem".into() };
        let half = || TlsError::NoKey { path: "key.pem".into() };
        let expired = || TlsError::Expired { path: "cert.pem".into(), end: at("01T00:00:00") };
        let mut reporter = Reporter::default();
        for (time, found, is_reported) in [
            ("20T12:00:00", Some(mismatch()), false),
            ("20T12:00:05", None, false),
            ("20T12:00:10", Some(mismatch()), false),
            ("20T12:00:15", Some(mismatch()), true),
            ("20T12:00:20", Some(mismatch()), false),
            ("20T12:00:25", Some(half()), false),
            ("20T12:00:30", Some(half()), true),
            ("20T13:00:29", Some(half()), false),
            ("20T13:00:30", Some(half()), true),
            ("20T13:00:35", Some(expired()), true),
            ("20T13:00:40", Some(expired()), false),
            ("20T14:00:35", Some(expired()), true),
            ("20T14:00:40", None, false),
            ("20T14:00:45", Some(expired()), true),
        ] {
            let reported = reporter.fault(found.as_ref(), at(time));
            assert_eq!(reported, found.filter(|_| is_reported).map(|error| error.to_string()), "{time}");
        }
    }

    #[test]
    fn near_end_is_reported_daily_until_it_is_reached() {
        let mut reporter = Reporter::default();
        for (time, end, expected) in [
            ("06T12:00:00", "20T12:00:00", false),
            ("06T12:00:01", "20T12:00:00", true),
            ("06T12:00:06", "20T12:00:00", false),
            ("07T12:00:00", "20T12:00:00", false),
            ("07T12:00:01", "20T12:00:00", true),
            ("07T12:00:06", "21T12:00:00", true),
            ("07T12:00:11", "29T12:00:00", false),
            ("20T12:00:00", "20T12:00:00", false),
        ] {
            assert_eq!(reporter.ends_soon(at(end), at(time)), expected, "{time}");
        }
    }
}
