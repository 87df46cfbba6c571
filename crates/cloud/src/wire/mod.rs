//! JSON of the wire protocol: snake_case, in wrappers with one member (docs/wire.md#requests).

pub(crate) mod connection;
pub(crate) mod contact;
pub(crate) mod datapoint;
pub(crate) mod datum;
pub(crate) mod device;
pub(crate) mod file;
pub(crate) mod notification;
pub(crate) mod place;
pub(crate) mod property;
pub(crate) mod role_user;
pub(crate) mod rule;
pub(crate) mod rule_action;
pub(crate) mod schedule;
pub(crate) mod share;
pub(crate) mod subscription;
pub(crate) mod trigger;
pub(crate) mod user;

use platform::run::clock::from_micros;

/// An instant in the format of the wire: `YYYY-MM-DDTHH:MM:SSZ`, without a fraction.
pub(crate) fn time(micros: i64) -> String {
    from_micros(micros).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// An instant in the format of the rules service: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
pub(crate) fn time_with_millis(micros: i64) -> String {
    from_micros(micros).strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Degrees as a text with six decimals (docs/wire.md#device-data).
pub(crate) fn degrees(value: f64) -> String {
    format!("{value:.6}")
}

#[cfg(test)]
mod tests {
    use platform::run::clock::to_micros;

    use super::*;

    #[test]
    fn times_have_no_fraction_or_three_digits_of_it() {
        let at = to_micros("2026-11-20T10:00:00.999888Z".parse().unwrap());
        assert_eq!(time(at), "2026-11-20T10:00:00Z");
        assert_eq!(time_with_millis(at), "2026-11-20T10:00:00.999Z");
        assert_eq!(time_with_millis(at - 999_888), "2026-11-20T10:00:00.000Z");
    }
}
