//! The cost of live updates for many browsers, as ratios within one run: `make bench`.
//!
//! Cloud and console are separate processes; devices report over the device link, and browsers are bare connections of this one.
//!
//! 1. 1,000 event streams follow the same 25 devices, which report as fast as they may. The baseline is a bare loop in a separate process
//!    that writes the same events to as many connections.
//! 2. 1,000 devices report once a second, and 1,000 event streams follow one each: the time from a report to its event.
//! 3. 1,000 lists are open while levels change, and are read again whenever the console says so: the time of a list that
//!    somebody requests meanwhile, beside the same without open lists.
//!
//! The benchmark fails if a bound is missed. The bound on deliveries a second assumes two idle cores.

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

mod bare;
#[path = "../stream/baseline.rs"]
mod baseline;
mod browser;
#[path = "../../src/catalogue.rs"]
mod catalogue;
#[path = "../../tests/support/console.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod console;
#[path = "../ingest/cpu.rs"]
mod cpu;
mod delay;
mod fan_out;
#[path = "../pass/fleet.rs"]
mod fleet;
mod lists;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "shared with other benchmarks and tests")]
mod node;
mod scene;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use platform::run::file_limit;

use crate::scene::Scene;

/// The minimum speed of the console, relative to the bare loop.
const SPEED: f64 = 0.3;
/// The minimum number of deliveries a second.
const DELIVERIES: f64 = 100_000.0;
/// The maximum 99th percentile from a report to its event.
const DELAY: Duration = Duration::from_millis(250);
/// The maximum 99th percentile of a list while other lists are read again.
const LIST: Duration = Duration::from_millis(100);

/// The time until all readers have all events, and the processor time of the serving process.
struct Measured {
    elapsed: Duration,
    cpu: Duration,
}

fn main() -> ExitCode {
    let _ = file_limit::raise();
    let _ = rustls::crypto::ring::default_provider().install_default();
    if std::env::args().any(|argument| argument == bare::ARGUMENT) {
        return bare::serve();
    }
    // One thread for all devices and browsers leaves the other cores to the servers.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if runtime.block_on(measure()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn measure() -> bool {
    let full = std::env::var("SILLAGE_BENCH").is_ok_and(|bench| bench == "full");
    let scene = Scene::start(if full { 100_000 } else { 10_000 }).await;
    let fan_out = measure_fan_out(&scene).await;
    let delay = measure_delay(&scene).await;
    let lists = measure_lists(&scene).await;
    fan_out && delay && lists
}

async fn measure_fan_out(scene: &Scene) -> bool {
    let (events, event, console) = fan_out::measure(scene).await;
    let bare = bare::measure(scene::READERS, events / scene::READERS, &event).await;
    let deliveries = f64::from(u32::try_from(events).unwrap());
    let rate = |measured: &Measured| deliveries / measured.elapsed.as_secs_f64();
    let ratio = rate(&console) / rate(&bare);
    println!("{} streams of the same devices, {events} events of {} bytes", scene::READERS, event.len());
    for (name, measured) in [("console", &console), ("bare loop", &bare)] {
        let cpu = measured.cpu.as_secs_f64() * 1e6 / deliveries;
        println!("  {name:<12}{:>9.0} deliveries/s, {cpu:.1} CPU-seconds a million", rate(measured));
    }
    println!("  ratio       {ratio:>9.2} {}", verdict(ratio >= SPEED, &format!(">= {SPEED}")));
    let enough = rate(&console) >= DELIVERIES;
    println!("  deliveries  {:>9.0} {}", rate(&console), verdict(enough, &format!(">= {DELIVERIES}")));
    ratio >= SPEED && enough
}

async fn measure_delay(scene: &Scene) -> bool {
    let delays = delay::measure(scene).await;
    println!("{} devices that report once a second, from a report to its event", scene::READERS);
    println!("  p50 {}, p99 {}", millis(percentile(&delays, 50)), millis(percentile(&delays, 99)));
    let good = percentile(&delays, 99) < DELAY;
    println!("  p99 {}", verdict(good, &format!("< {DELAY:?}")));
    good
}

async fn measure_lists(scene: &Scene) -> bool {
    let lists::Times { alone, beside, rereads, unchanged } = lists::measure(scene).await;
    println!(
        "{} open lists: {rereads} rereads, {unchanged} of them without a change, beside a requested list",
        scene::READERS
    );
    for (name, times) in [("alone", &alone), ("beside", &beside)] {
        println!("  {name:<8}p50 {}, p99 {}", millis(percentile(times, 50)), millis(percentile(times, 99)));
    }
    let ratio = percentile(&beside, 99).as_secs_f64() / percentile(&alone, 99).as_secs_f64();
    let good = percentile(&beside, 99) < LIST;
    println!("  p99     {ratio:.1} times that alone {}", verdict(good, &format!("< {LIST:?}")));
    good
}

/// Of sorted times.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    times[times.len() * percent / 100]
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn verdict(good: bool, bound: &str) -> String {
    format!("({bound}: {})", if good { "good" } else { "MISSED" })
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}
