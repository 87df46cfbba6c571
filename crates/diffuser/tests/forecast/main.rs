//! Forecasts for a simulated fleet, compared with what happened then. `make bench-forecast` does the same for a larger fleet.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    reason = "small numbers; a missing value fails the test"
)]

mod fleet;
mod score;
mod straight_line;

/// Not one of those for which the constants of the forecast were chosen.
const SEED: u64 = 2026;
const DEVICES: usize = 140;

#[test]
fn forecasts_14_days_ahead_are_calibrated_and_better_than_a_straight_line() {
    let rows = score::compare(SEED, DEVICES);
    let failures = score::failures(&rows);
    assert!(failures.is_empty(), "{}\n{}", failures.join("\n"), score::table(&rows));
}
