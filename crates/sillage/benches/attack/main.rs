//! A mixed attack on a cloud beside its everyday work: `make torture`.
//!
//! 500 devices report and 20 people sign in, list devices and send commands, first alone, then beside eight accounts that each
//! abuse one thing without a pause. No request of the people and no report may fail, and 99 of 100 sign-ins and commands must
//! take at most five times as long as before. The memory of the cloud must not grow with the attack's duration.
//!
//! `--seconds` is the duration of the attack, `--only` the name of the only one.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

mod attacks;
mod client;
#[path = "../ingest/cpu.rs"]
mod cpu;
mod everyday;
mod memory;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod node;
mod scene;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use platform::run::file_limit;
use platform::testing::TestDb;

use crate::attacks::Phases;
use crate::everyday::{Everyday, Latencies};
use crate::node::Node;

/// How much longer a request may take during the attack.
const SLOWER: f64 = 5.0;
/// How much memory may grow from the first third of the attack to the last.
const GROWTH: f64 = 1.5;
const DEFAULT_SECONDS: u64 = 300;

fn main() -> ExitCode {
    let _ = file_limit::raise();
    let _ = rustls::crypto::ring::default_provider().install_default();
    // One thread for the everyday work and one for the attack leave the other cores to the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let seconds = argument("--seconds").map_or(DEFAULT_SECONDS, |seconds| seconds.parse().unwrap());
    if runtime.block_on(measure(seconds)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

async fn measure(seconds: u64) -> bool {
    let (test, folder) = (database().await, tempfile::tempdir().unwrap());
    scene::seed(&test).await;
    // People and attackers have addresses of this machine.
    let node = Node::start_with(&test.url, folder.path(), &["--trusted-proxy", "192.0.2.1"]).await;
    let mut everyday = Everyday::start(&node).await;

    let phases = Phases::default();
    let attack = std::thread::spawn({
        let (url, link, phases) = (node.url.clone(), node.link, phases.clone());
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(attacks::run(&url, link, argument("--only"), phases))
        }
    });
    phases.prepared.cancelled().await;
    let quiet = everyday.run_for(Duration::from_secs(seconds.div_ceil(5).max(10))).await;
    phases.begin.cancel();
    let processes = [node.id(), std::process::id()];
    let cpu_before = processes.map(cpu::of);
    let third = Duration::from_secs(seconds.div_ceil(3));
    let (mut attacked, mut peaks) = (Latencies::default(), Vec::new());
    for _ in 0..3 {
        let (latencies, peak) = tokio::join!(everyday.run_for(third), memory::peak(node.id(), third));
        attacked.add(latencies);
        peaks.push(peak);
    }
    let [cloud, clients] = [0, 1].map(|of| cpu::of(processes[of]) - cpu_before[of]);
    phases.stop.cancel();
    let counts = attack.join().unwrap();

    for (name, count) in counts {
        println!("{name:<18} {count}");
    }
    println!("processor time: cloud {cloud:.1?}, people and attackers {clients:.1?}");
    let mut good = true;
    for (name, quiet, attacked) in
        [("sign-in", &quiet.sign_ins, &attacked.sign_ins), ("command", &quiet.commands, &attacked.commands)]
    {
        let (before, during) = (everyday::percentile_99(quiet), everyday::percentile_99(attacked));
        let ratio = during.as_secs_f64() / before.as_secs_f64();
        let bound = if ratio <= SLOWER { "good" } else { "MISSED" };
        println!(
            "{name}: p99 {before:.1?} before, {during:.1?} during the attack, {ratio:.2} times (<= {SLOWER}: {bound})"
        );
        good &= ratio <= SLOWER;
    }
    let growth = peaks[2] / peaks[0];
    let bound = if growth <= GROWTH { "good" } else { "MISSED" };
    println!("memory: {peaks:.0?} MiB in each third, {growth:.2} times (<= {GROWTH}: {bound})");
    let failures = quiet.failures.iter().chain(&attacked.failures);
    let failed = failures.inspect(|failure| println!("FAILED {failure}")).count();
    println!("requests and reports: {} before, {} during the attack, {failed} failed", quiet.done, attacked.done);
    good && growth <= GROWTH && failed == 0
}

/// PostgreSQL with `SILLAGE_BENCH_DATABASE=postgres`, otherwise SQLite.
async fn database() -> TestDb {
    match std::env::var("SILLAGE_BENCH_DATABASE").as_deref() {
        Ok("postgres") => TestDb::postgres().await,
        _ => TestDb::sqlite().await,
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}
