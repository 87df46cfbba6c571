//! The names of time zones, of which a zone may have several.

use std::sync::LazyLock;

use icu_time::zone::iana::IanaParserExtended;
use jiff::tz::TimeZoneDatabase;

/// The short name of Etc/UTC.
const UTC: &str = "UTC";

/// Sorted, with one name for UTC and for each zone that a place has: no former name such as `Asia/Calcutta`, no offset such as `Etc/GMT+5`
/// or `EST`. Read from the bundled database, so that the list is the same on every machine.
pub(crate) static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all = TimeZoneDatabase::bundled();
    let names = all.available().map(|name| name.to_string());
    let mut names: Vec<String> = names.filter(|name| is_place(name) && present_name(name) == Some(name)).collect();
    names.sort();
    names
});

fn is_place(name: &str) -> bool {
    name == UTC || name.contains('/') && !name.starts_with("Etc/")
}

/// The name that a zone has today, in any case: `Europe/Kyiv` for `Europe/Kiev`. `None` for an unknown zone.
pub(crate) fn present_name(name: &str) -> Option<&'static str> {
    let zone = IanaParserExtended::new().parse(name);
    match zone.canonical {
        _ if zone.time_zone.is_unknown() => None,
        "Etc/UTC" => Some(UTC),
        name => Some(name),
    }
}

/// The [present name](present_name) of a zone; an unknown name as it is.
pub(crate) fn renamed(name: String) -> String {
    present_name(&name).map_or(name, str::to_owned)
}

/// Whether `/api/time-zones` lists the zone, by this name or another one.
pub(crate) fn is_listed(name: &str) -> bool {
    let present = present_name(name);
    present.is_some_and(|name| NAMES.binary_search_by(|listed| listed.as_str().cmp(name)).is_ok())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn zone_is_listed_by_its_present_name_only() {
        for (name, present) in [
            ("Europe/Kiev", "Europe/Kyiv"),
            ("Asia/Calcutta", "Asia/Kolkata"),
            ("asia/CALCUTTA", "Asia/Kolkata"),
            ("US/Pacific", "America/Los_Angeles"),
            ("America/Buenos_Aires", "America/Argentina/Buenos_Aires"),
            ("America/Godthab", "America/Nuuk"),
            ("GB", "Europe/London"),
            ("EST", "America/Panama"),
            ("Europe/Oslo", "Europe/Oslo"),
            ("Etc/UTC", "UTC"),
            ("Zulu", "UTC"),
            ("UTC", "UTC"),
        ] {
            assert_eq!(present_name(name), Some(present));
            assert!(is_listed(name), "{name}");
            assert!(NAMES.iter().any(|listed| listed == present), "{present}");
            assert!(name == present || !NAMES.iter().any(|listed| listed == name), "{name}");
        }
        for offset in ["Etc/GMT+5", "Etc/GMT-14", "GMT0", "EST5EDT", "Factory", "Mars/Olympus", "", "+05:00"] {
            assert!(!is_listed(offset), "{offset}");
        }
        assert_eq!(present_name("Mars/Olympus"), None);
    }

    #[test]
    fn every_zone_of_the_database_has_its_present_name_once_and_tells_the_same_time() {
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        for name in TimeZoneDatabase::bundled().available().map(|name| name.to_string()).filter(|it| it != "Factory") {
            let present = present_name(&name).unwrap_or_else(|| panic!("{name} is unknown"));
            assert_eq!(present_name(present), Some(present), "{name}");
            let offset = |name: &str| TimeZone::get(name).unwrap().to_offset(now);
            assert_eq!(offset(&name), offset(present), "{name} {present}");
        }
        assert!(NAMES.len() > 400 && NAMES.is_sorted() && NAMES.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
