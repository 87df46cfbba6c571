//! The cost of streaming events to many clients, as ratios within one run: `make bench`.
//!
//! Devices report over the device link, and every datapoint goes to 100 and to 1,000 clients of the live stream, stored, in
//! order, filtered by subscription and permissions, until the last client has read the last event. The baseline is a bare loop
//! in a separate process that writes the same frames to as many sockets.
//!
//! The benchmark fails if a bound is missed.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

mod bare;
mod baseline;
mod clients;
#[path = "../ingest/cpu.rs"]
mod cpu;
mod fleet;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod node;
#[path = "../ingest/reader.rs"]
#[expect(dead_code, reason = "shared with another benchmark")]
mod reader;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use platform::testing::TestDb;

/// The number of clients, and of reports per device.
const CASES: [(usize, usize); 2] = [(100, 60), (1_000, 10)];
/// The minimum speed through the cloud, relative to the bare loop.
const SPEED: f64 = 0.3;

/// The time until all clients have read all events, and the processor time of the server.
struct Measured {
    elapsed: Duration,
    cpu: Duration,
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == bare::ARGUMENT) {
        return bare::serve();
    }
    // One thread for all devices and clients leaves the other cores to the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if runtime.block_on(measure()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn measure() -> bool {
    let mut good = true;
    for (clients, times) in CASES {
        let (events, frame, cloud) = fleet::measure(&TestDb::sqlite().await, clients, times).await;
        let bare = bare::measure(clients, events, &frame).await;
        let frames = events * clients;
        let ratio = bare.elapsed.as_secs_f64() / cloud.elapsed.as_secs_f64();
        let bound = if ratio >= SPEED { "good" } else { "MISSED" };
        println!("{clients} clients, {events} events of {} bytes to each", frame.len());
        println!("  through the cloud  {}", format_result(frames, &cloud));
        println!("  bare loop          {}", format_result(frames, &bare));
        println!("  ratio              {ratio:>9.2} (>= {SPEED}: {bound})");
        good &= ratio >= SPEED;
    }
    good
}

fn format_result(frames: usize, measured: &Measured) -> String {
    let frames = f64::from(u32::try_from(frames).unwrap());
    let rate = frames / measured.elapsed.as_secs_f64();
    let cpu = measured.cpu.as_secs_f64() * 1e6 / frames;
    format!("{rate:>9.0} frames/s, {cpu:.1} CPU-seconds a million (the serving process)")
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}
