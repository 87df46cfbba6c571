//! How good forecasts are, and how long they take: `make bench-forecast`.
//!
//! A simulated fleet runs for 180 days. Forecasts that were made 14 days before a cartridge was empty are compared with the true date,
//! next to a straight line through the last 14 days. Then the forecasts of 100,000 devices are computed, in turns with the straight
//! line, which is the yardstick for the speed of the machine. It fails if
//!
//! 1. fewer than 75 or more than 85 percent of the intervals hold the true date, half of the dates are wrong by more than two days, or
//!    the straight line is better;
//! 2. the forecasts of 100,000 devices take more than 10 seconds of one core.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "small numbers; it measures time; a missing value fails the run"
)]

#[path = "../../tests/forecast/fleet.rs"]
mod fleet;
#[path = "../../tests/forecast/score.rs"]
mod score;
#[path = "../../tests/forecast/straight_line.rs"]
mod straight_line;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fleet::Device;

/// Not those for which the constants of the forecast were chosen.
const SEEDS: [u64; 3] = [2027, 2028, 2029];
const DEVICES: usize = 1400;
const FORECASTS: usize = 100_000;
const ROUNDS: usize = 20;
const MAX_TIME: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let mut failures = Vec::new();
    for seed in SEEDS {
        let rows = score::compare(seed, DEVICES);
        println!("seed {seed}, {DEVICES} devices\n{}", score::table(&rows));
        failures.extend(score::failures(&rows));
    }
    failures.extend(measure_time());
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Devices differ, and so do their days: each forecast is made for another night.
fn measure_time() -> Option<String> {
    let devices: Vec<Device> = fleet::simulate(SEEDS[0], 70).collect();
    let nights: Vec<(&Device, usize)> =
        devices.iter().flat_map(|device| (60..device.nights.len()).map(move |night| (device, night))).collect();
    let of = |round: usize| {
        let first = round * FORECASTS / ROUNDS;
        nights.iter().cycle().skip(first % nights.len()).take(FORECASTS / ROUNDS)
    };
    let (mut forecasts, mut lines) = (Duration::ZERO, Duration::ZERO);
    for round in 0..ROUNDS {
        let start = Instant::now();
        for (device, night) in of(round) {
            let _ = black_box(score::input(device, &device.nights[*night]).forecast());
        }
        forecasts += start.elapsed();
        let start = Instant::now();
        for (device, night) in of(round) {
            black_box(straight_line::extrapolate(device, *night, score::capacity_hours(device)));
        }
        lines += start.elapsed();
    }
    println!(
        "{FORECASTS} forecasts: {:.2} s; straight lines: {:.3} s; ratio {:.1}",
        forecasts.as_secs_f64(),
        lines.as_secs_f64(),
        forecasts.as_secs_f64() / lines.as_secs_f64()
    );
    (forecasts > MAX_TIME).then(|| format!("{FORECASTS} forecasts took {forecasts:?}"))
}
