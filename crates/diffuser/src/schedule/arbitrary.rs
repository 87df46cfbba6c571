//! Schedules for property tests. Many times are near the hours of daylight-saving changes.

use proptest::prelude::*;

use super::{Days, FRAME_COUNT, Frame, Schedule, TimeOfDay};

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

prop_compose! {
    pub(super) fn schedule()(frames in prop::collection::vec(frame(), 0..=FRAME_COUNT)) -> Schedule {
        frames.into_iter().collect()
    }
}
