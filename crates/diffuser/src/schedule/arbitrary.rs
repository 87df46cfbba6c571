//! Schedules and instants for property tests. Many times are near the hours of daylight-saving changes.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{Days, FRAME_COUNT, Frame, Schedule, TimeOfDay};

/// Zones north and south, with a shift of half an hour, without one, with a skipped or repeated midnight, with a lost day.
const ZONES: [(&str, &str); 9] = [
    ("Europe/Paris", "2026-01-01T00:00:00Z"),
    ("America/New_York", "2026-01-01T00:00:00Z"),
    ("Australia/Sydney", "2026-01-01T00:00:00Z"),
    ("America/Santiago", "2026-01-01T00:00:00Z"),
    ("Australia/Lord_Howe", "2026-01-01T00:00:00Z"),
    ("Africa/Cairo", "2026-01-01T00:00:00Z"),
    ("America/Sao_Paulo", "2017-01-01T00:00:00Z"),
    ("Pacific/Apia", "2011-06-01T00:00:00Z"),
    ("Asia/Kathmandu", "2026-01-01T00:00:00Z"),
];

prop_compose! {
    pub(super) fn time()(hour in prop_oneof![0u8..4, 0u8..24], minute in prop_oneof![Just(0u8), Just(30), Just(59), 0u8..60]) -> TimeOfDay {
        TimeOfDay::new(hour, minute).unwrap()
    }
}

prop_compose! {
    pub(super) fn frame()(
        active in any::<bool>(),
        days in 0..Days::CHOICES.len(),
        intensity in 1u8..=50,
        start in time(),
        stop in time(),
    ) -> Frame {
        Frame { active, days: Days::CHOICES[days], intensity, start, stop }
    }
}

/// An instant within two days of a clock change, in a zone with clock changes.
pub(crate) fn near_clock_change() -> impl Strategy<Value = (TimeZone, Timestamp)> {
    (0..ZONES.len(), any::<Index>(), -2880i64..2880, 0i64..60).prop_map(|(place, change, minutes, seconds)| {
        let (name, since) = ZONES[place];
        let (zone, since) = (TimeZone::get(name).unwrap(), since.parse().unwrap());
        let changes: Vec<_> = zone.following(since).take(4).map(|it| it.timestamp()).collect();
        let near = if changes.is_empty() { since } else { *change.get(&changes) };
        (zone, near + SignedDuration::from_secs(minutes * 60 + seconds))
    })
}

prop_compose! {
    pub(crate) fn schedule()(frames in prop::collection::vec(frame(), 0..=FRAME_COUNT)) -> Schedule {
        frames.into_iter().collect()
    }
}
