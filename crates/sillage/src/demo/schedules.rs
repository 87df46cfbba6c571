//! The weekly schedule of a store's diffusers, from its opening hours.

use diffuser::{Days, Frame, MIN_INTENSITY, Schedule, TimeOfDay};

use super::rng::SeededRng;
use super::stores::Store;

/// Times that are not shifted, because the frame extends to the start or end of the day.
const ENDS_OF_DAY: [(u8, u8); 2] = [(0, 0), (23, 59)];
/// The number of an inactive frame, as if a technician had tried it and switched it off.
const UNUSED_FRAME: u8 = 8;

/// A schedule with frames from 1 on. Their intensity is close to `intensity`, and half of it at night.
pub(super) fn schedule(store: &Store, intensity: u8, max_intensity: u8, rng: &mut SeededRng) -> Schedule {
    let mut schedule = Schedule::default();
    for (number, (days, start, stop)) in (1..).zip(store.customer.business_type.weeks()[store.week]) {
        let strength =
            if *stop < (6, 30) { i64::from(intensity) / 2 } else { i64::from(intensity) + rng.in_range(-3..=3) };
        let frame = Frame {
            active: true,
            days: *days,
            intensity: clamped(strength, max_intensity),
            start: shifted(*start, store.minutes_later),
            stop: shifted(*stop, store.minutes_later),
        };
        schedule.set(number, frame);
    }
    if rng.chance(30) {
        let frame = Frame {
            active: false,
            days: Days::Saturday,
            intensity: clamped(i64::from(intensity), max_intensity),
            start: shifted((12, 0), 0),
            stop: shifted((16, 0), 0),
        };
        schedule.set(UNUSED_FRAME, frame);
    }
    schedule
}

fn clamped(strength: i64, max_intensity: u8) -> u8 {
    u8::try_from(strength).unwrap_or(MIN_INTENSITY).clamp(MIN_INTENSITY, max_intensity)
}

fn shifted(time: (u8, u8), minutes_later: i64) -> TimeOfDay {
    let (hour, minute) = time;
    let later = if ENDS_OF_DAY.contains(&time) { 0 } else { minutes_later };
    let minutes = i64::from(hour) * 60 + i64::from(minute) + later;
    let part = |minutes: i64| u8::try_from(minutes).expect("shifted opening hours stay within the day");
    TimeOfDay::new(part(minutes / 60), part(minutes % 60)).expect("shifted opening hours stay within the day")
}
