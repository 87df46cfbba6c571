//! Sort values of the fragrance level: unknown levels come last in both directions.

/// Above every known level.
const UNKNOWN_RISING: i64 = 101;
/// Below every known level.
const UNKNOWN_FALLING: i64 = -1;

/// Sort value for ascending order.
pub(super) fn rising(percent: Option<i64>) -> i64 {
    percent.map_or(UNKNOWN_RISING, |percent| percent.clamp(0, 100))
}

/// Sort value for descending order.
pub(super) fn falling(percent: Option<i64>) -> i64 {
    percent.map_or(UNKNOWN_FALLING, |percent| percent.clamp(0, 100))
}
