//! The cost of a full pass of the console over its cloud's devices: `make bench`.
//!
//! Cloud and console are separate processes. The benchmark counts the requests of the first pass, which fills the index, and of
//! the second, which finds no changes; the console's processor time in each; and the rows that the second pass writes. It fails
//! if a bound is missed. PostgreSQL comes from `tools/with-postgres --durable`; its processor time is not counted, while
//! SQLite's is part of the console's.

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

#[path = "../../src/catalogue.rs"]
mod catalogue;
#[path = "../../tests/support/console.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod console;
#[path = "../ingest/cpu.rs"]
mod cpu;
mod fleet;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "shared with other benchmarks and tests")]
mod node;

use std::fs::File;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use console::Console;
use node::Node;
use platform::db::{Db, params};
use platform::testing::TestDb;

/// Maximum requests per hundred devices.
const CALLS: f64 = 1.5;
/// The maximum cost of the second pass, relative to the first.
const AGAIN: f64 = 0.2;

/// The cost of a pass.
struct Pass {
    calls: usize,
    cpu: Duration,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let full = std::env::var("SILLAGE_BENCH").is_ok_and(|bench| bench == "full");
    let devices = if full { 100_000 } else { 10_000 };
    let cloud = TestDb::sqlite().await;
    let access = fleet::load(&cloud, devices).await;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("cloud.log");
    // Log one line per request and nothing else.
    let node = Node::start_logging(
        &cloud.url,
        folder.path(),
        "off,tower_http::trace::on_response=debug",
        Stdio::from(File::create(&log).unwrap()),
    )
    .await;
    let mut good = true;
    for (name, index) in [("SQLite", TestDb::sqlite().await), ("PostgreSQL", TestDb::postgres().await)] {
        let before = calls(&log);
        // A pass does not wait for the histories of new devices, whose requests would be counted.
        let console =
            Console::start_with(&index.url, &node.url, &access, folder.path(), name, &["--level-pause", "3600000"]);
        let first = Pass { calls: calls(&log) - before, cpu: cpu::of(console.id()) };
        let stood = rows(&index).await;
        let again = next_pass(&index, &console, &log).await;
        let wrote = rows(&index).await != stood;
        good &= print_result(name, devices, &first, &again, wrote);
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Waits for the console's next pass. The processor time of the pause before it does not count.
async fn next_pass(index: &Db, console: &Console, log: &Path) -> Pass {
    let (calls_before, as_of) = (calls(log), as_of(index).await);
    while calls(log) == calls_before {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let cpu_before = cpu::of(console.id());
    while self::as_of(index).await == as_of {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Pass { calls: calls(log) - calls_before, cpu: cpu::of(console.id()) - cpu_before }
}

fn print_result(name: &str, devices: usize, first: &Pass, again: &Pass, wrote: bool) -> bool {
    let most = per(devices) / 100.0 * CALLS;
    let few = per(first.calls.max(again.calls)) <= most;
    let ratio = again.cpu.as_secs_f64() / first.cpu.as_secs_f64();
    println!("{name}: a pass over {devices} devices");
    println!("  first   {:>6} calls, {:>6.2} CPU-seconds", first.calls, first.cpu.as_secs_f64());
    println!("  second  {:>6} calls, {:>6.2} CPU-seconds", again.calls, again.cpu.as_secs_f64());
    println!("  calls   {}", verdict(few, &format!("<= {most}")));
    println!("  CPU     {ratio:.2} {}", verdict(ratio <= AGAIN, &format!("<= {AGAIN}")));
    println!("  rows    {}", verdict(!wrote, "none written by the second"));
    few && ratio <= AGAIN && !wrote
}

async fn as_of(index: &Db) -> Option<i64> {
    index.fetch_one::<(Option<i64>,)>("select as_of from idx_sync", params![]).await.unwrap().0
}

/// A version of each index row, which changes when the row is written.
async fn rows(index: &Db) -> Vec<(String, i64)> {
    let sql = match index {
        Db::Sqlite { .. } => "select dsn, synced_at from idx_device_state order by dsn",
        Db::Postgres(_) => {
            "select s.dsn, s.xmin::text::bigint + d.xmin::text::bigint from idx_device_state s \
             join idx_devices d on d.dsn = s.dsn order by s.dsn"
        }
    };
    index.fetch_all(sql, params![]).await.unwrap()
}

/// The number of requests that the cloud has answered.
fn calls(log: &Path) -> usize {
    std::fs::read_to_string(log).unwrap().lines().count()
}

fn verdict(good: bool, bound: &str) -> String {
    format!("({bound}: {})", if good { "good" } else { "MISSED" })
}

fn per(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}
