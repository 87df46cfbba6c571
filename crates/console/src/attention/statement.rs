//! What the digest says about the time of an item. Its page says the same: `statements.json` contains the cases of both.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::attention_rules::Evidence;

const HALF_YEAR: SignedDuration = SignedDuration::from_hours(180 * 24);

/// One time, as a day of the zone: when the cartridge runs dry, or since when the item has had its cause.
pub(super) fn statement(
    evidence: &Evidence,
    is_provisional: bool,
    since: Timestamp,
    now: Timestamp,
    zone: &TimeZone,
) -> String {
    let day = |at: Timestamp| {
        let near = at.duration_since(now).abs() < HALF_YEAR;
        at.to_zoned(zone.clone()).strftime(if near { "%b %-d" } else { "%b %-d, %Y" }).to_string()
    };
    match evidence.runs_dry_at {
        // The item opened with this date, which is no forecast any more.
        Some(at) if at <= now => format!("was expected to run dry {}", day(at)),
        Some(at) if is_provisional => format!("runs dry {}, provisional", day(at)),
        Some(at) => format!("runs dry {}", day(at)),
        None => format!("since {}", day(since)),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Case {
        evidence: Evidence,
        is_provisional: bool,
        time_zone: Option<String>,
        text: String,
    }

    #[test]
    fn digest_says_what_the_page_says() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("statements.json")).unwrap();
        assert_eq!(cases.len(), 10);
        let [now, since] = ["2026-11-20T10:00:00Z", "2026-11-18T23:30:00Z"].map(|at| at.parse().unwrap());
        for Case { evidence, is_provisional, time_zone, text } in cases {
            let zone = time_zone.map_or(TimeZone::UTC, |name| TimeZone::get(&name).unwrap());
            assert_eq!(statement(&evidence, is_provisional, since, now, &zone), text, "{evidence:?} {zone:?}");
        }
    }
}
