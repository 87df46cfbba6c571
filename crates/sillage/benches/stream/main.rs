//! What it costs to tell many what happened, as ratios within one run: `make bench`.
//!
//! Devices report over the device link, and every datapoint goes to 100 and to 1,000 clients of the live stream, stored, in
//! order, filtered by subscription and rights, until the last client has read the last event. The yardstick is a bare loop in a
//! process of its own that writes the same frames to as many sockets of the same make and does nothing else.
//!
//! It fails when a bound is missed.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "what is missing here fails the run")]

mod bare;
mod clients;
#[path = "../ingest/cpu.rs"]
mod cpu;
mod fleet;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod node;
#[path = "../ingest/reader.rs"]
#[expect(dead_code, reason = "another benchmark reads with it")]
mod reader;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use platform::testing::TestDb;

/// Clients, and how many times each device reports to them.
const CASES: [(usize, usize); 2] = [(100, 60), (1_000, 10)];
/// Through the cloud, at least this part of the bare loop's speed.
const SPEED: f64 = 0.3;

/// How long it took until everybody had read everything, and the processor time of the serving process.
struct Measured {
    elapsed: Duration,
    cpu: Duration,
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == bare::ARGUMENT) {
        return bare::serve();
    }
    // One thread for all devices and clients: whoever serves has the rest of the machine.
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
        println!("  through the cloud  {}", told(frames, &cloud));
        println!("  bare loop          {}", told(frames, &bare));
        println!("  ratio              {ratio:>9.2} (>= {SPEED}: {bound})");
        good &= ratio >= SPEED;
    }
    good
}

fn told(frames: usize, measured: &Measured) -> String {
    let frames = f64::from(u32::try_from(frames).unwrap());
    let rate = frames / measured.elapsed.as_secs_f64();
    let cpu = measured.cpu.as_secs_f64() * 1e6 / frames;
    format!("{rate:>9.0} frames/s, {cpu:.1} CPU-seconds a million (the serving process)")
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}
