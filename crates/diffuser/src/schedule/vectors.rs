//! Reads frames from the shared test vectors.

use serde_json::Value;

use super::{Days, Frame, Schedule, TimeOfDay};

pub(super) fn read(vectors: &str) -> Vec<Value> {
    serde_json::from_str(vectors).unwrap()
}

pub(super) fn frame(value: &Value) -> Frame {
    let number = |key: &str| u8::try_from(value[key].as_u64().unwrap()).unwrap();
    let time = |hour: &str, minute: &str| TimeOfDay::new(number(hour), number(minute)).unwrap();
    Frame {
        active: value["active"].as_bool().unwrap(),
        days: Days::try_from(value["dayOfTheWeek"].as_i64().unwrap()).unwrap(),
        intensity: number("intensity"),
        start: time("startHour", "startMinute"),
        stop: time("stopHour", "stopMinute"),
    }
}

/// A schedule from an object of frames by number.
pub(super) fn schedule(frames: &Value) -> Schedule {
    let mut schedule = Schedule::default();
    for (number, value) in frames.as_object().unwrap() {
        schedule.set(number.parse().unwrap(), frame(value));
    }
    schedule
}
