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
