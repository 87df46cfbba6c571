//! The cost of storing device reports, as ratios within one run: `make bench`.
//!
//! 1. Reports over the device link from a thousand connections over ten thousand properties, stored, last value updated,
//!    streamed to one subscriber, against a bare loop that writes the same rows in batches of the same size into the same
//!    kind of database.
//! 2. The cost of a datapoint when a million are stored, against the cost when a hundred thousand are; with
//!    `SILLAGE_BENCH=full` ten million.
//!
//! The benchmark fails if a bound is missed. PostgreSQL comes from `tools/with-postgres --durable`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

mod bare;
mod cpu;
mod growth;
mod link;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod node;
mod reader;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use platform::testing::TestDb;

const DEVICES: usize = 1_000;
const PROPERTIES: usize = 10;

/// The minimum speed of reports over the link, relative to the bare loop.
const SPEED: f64 = 0.3;
/// The maximum cost of a datapoint in the large database, relative to the small one.
const GROWTH: f64 = 1.2;

// One thread for all devices and the reader leaves the other cores to the cloud.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let full = std::env::var("SILLAGE_BENCH").is_ok_and(|bench| bench == "full");
    let many = if full { 10_000_000 } else { 1_000_000 };
    let mut good = true;
    for (name, postgres) in [("SQLite", false), ("PostgreSQL", true)] {
        let new = async || if postgres { TestDb::postgres().await } else { TestDb::sqlite().await };
        if !new().await.survives_power_cuts().await.unwrap() {
            println!("{name} does not wait for the disk: tools/with-postgres --durable …");
            good = false;
        }
        good &= speed(name, new().await, new().await).await;
        good &= growth(name, new().await, new().await, many).await;
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn speed(name: &str, test: TestDb, yardstick: TestDb) -> bool {
    let link = link::measure(&test).await;
    let batch = link.rows / link.commits;
    let mut bare = bare::BareLoop::new(&yardstick).await;
    bare.write(link.rows / 10, batch).await;
    let begin = now();
    bare.write(link.rows, batch).await;
    let (over_link, bare) = (rate(link.rows, link.elapsed), rate(link.rows, begin.elapsed()));
    let ratio = over_link / bare;
    let cpu = link.cpu.as_secs_f64() * 1e6 / per(link.rows);
    println!("{name}: {} reports of {} values over {DEVICES} connections", link.rows / link::VALUES, link::VALUES);
    println!(
        "  over the link  {over_link:>9.0} rows/s, {batch} rows a commit, {cpu:.1} CPU-seconds a million (the cloud's process)"
    );
    println!("  bare loop      {bare:>9.0} rows/s");
    println!("  ratio          {ratio:>9.2} {}", verdict(ratio >= SPEED, &format!(">= {SPEED}")));
    ratio >= SPEED
}

async fn growth(name: &str, few: TestDb, many: TestDb, rows: usize) -> bool {
    let costs = growth::measure(&few, 100_000, &many, rows).await;
    let [link, bare] = costs.map(|(few, many)| many.as_secs_f64() / few.as_secs_f64());
    let micros = |(few, many): (Duration, Duration)| format!("{:.1} µs, {:.1} µs", micros(few), micros(many));
    println!("{name}: a datapoint among 100000 and among {rows} stored");
    println!(
        "  over the link  {:>20}, ratio {link:.2} {}",
        micros(costs[0]),
        verdict(link <= GROWTH, &format!("<= {GROWTH}"))
    );
    println!(
        "  bare loop      {:>20}, ratio {bare:.2} {}",
        micros(costs[1]),
        verdict(bare <= GROWTH, &format!("<= {GROWTH}"))
    );
    link <= GROWTH && bare <= GROWTH
}

fn verdict(good: bool, bound: &str) -> String {
    format!("({bound}: {})", if good { "good" } else { "MISSED" })
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn rate(rows: usize, elapsed: Duration) -> f64 {
    per(rows) / elapsed.as_secs_f64()
}

fn per(rows: usize) -> f64 {
    f64::from(u32::try_from(rows).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}
