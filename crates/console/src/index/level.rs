//! The level as a list is sorted by it: unknown ones come last in both directions.

/// Above every known level.
const UNKNOWN_RISING: i64 = 101;
/// Below every known level.
const UNKNOWN_FALLING: i64 = -1;

/// What a list from the lowest level upwards is sorted by.
pub(super) fn rising(percent: Option<i64>) -> i64 {
    percent.map_or(UNKNOWN_RISING, |percent| percent.clamp(0, 100))
}

/// What a list from the highest level downwards is sorted by.
pub(super) fn falling(percent: Option<i64>) -> i64 {
    percent.map_or(UNKNOWN_FALLING, |percent| percent.clamp(0, 100))
}
