//! The figures of the cost model in docs/scaling.md, measured on PostgreSQL: `make bench-scale`.
//!
//! 1. How much more two nodes of the cloud store than one, and what the limit is.
//! 2. What a report costs the nodes to which it is not sent.
//! 3. Memory of a connected device, and processor time of its connection and of its reports, for fleets of several sizes.
//! 4. Space of a stored device and of a datapoint, the cost of a report among many stored devices, and that of a pass of the console.
//!
//! `SCALE_CONNECTED` and `SCALE_STORED` choose the sizes: numbers of devices, separated by commas. The defaults take up to
//! an hour on two cores, half of it for a million stored devices. A fleet gets as many nodes as its connections
//! need, which depends on the open files that the system allows a process. The benchmark fails if two nodes store less than 1.6
//! times as much as one while processors are idle. The devices share the processors, but their time is not counted. PostgreSQL
//! comes from `tools/with-postgres --durable`.

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

#[path = "../../src/catalogue.rs"]
mod catalogue;
mod connected;
#[path = "../../tests/support/console.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod console;
#[path = "../ingest/cpu.rs"]
mod cpu;
mod devices;
#[path = "../pass/fleet.rs"]
mod fleet;
mod listening;
#[path = "../attack/memory.rs"]
#[expect(dead_code, reason = "shared with another benchmark")]
mod memory;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod node;
mod postgres;
mod reporters;
mod stored;
mod throttle;
mod two_nodes;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use postgres::Postmaster;

const CONNECTED: &str = "1000,5000,20000";
const STORED: &str = "100000,1000000";

// One thread for all devices leaves the other cores to nodes and database.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(devices::ARGUMENT) {
        devices::run(arguments).await;
        return ExitCode::SUCCESS;
    }
    let (Some(connected), Some(stored)) = (sizes("SCALE_CONNECTED", CONNECTED), sizes("SCALE_STORED", STORED)) else {
        return ExitCode::FAILURE;
    };
    let good = two_nodes::measure().await;
    listening::measure().await;
    connected::measure(&connected).await;
    stored::measure(&stored).await;
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The numbers of devices in this variable.
fn sizes(variable: &str, usual: &str) -> Option<Vec<usize>> {
    let text = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let sizes: Result<Vec<usize>, _> = text.split(',').map(str::parse).collect();
    let sizes = sizes.ok().filter(|sizes| sizes.iter().all(|size| (1..=10_000_000).contains(size)));
    if sizes.is_none() {
        println!("{variable} is a list of numbers of devices, such as {usual}");
    }
    sizes
}

/// Processor time of the nodes of the cloud and of their database.
#[derive(Clone, Copy)]
struct Cost {
    cloud: Duration,
    postgres: Duration,
}

impl Cost {
    /// The time used so far.
    fn now(nodes: &[node::Node], postmaster: Postmaster) -> Self {
        let cloud = nodes.iter().map(|node| cpu::of(node.id())).sum();
        Self { cloud, postgres: postmaster.processor_time() }
    }

    /// Microseconds of both since an earlier time, for each of `count`.
    fn since(self, earlier: Self, count: usize) -> [f64; 2] {
        [self.cloud.saturating_sub(earlier.cloud), self.postgres.saturating_sub(earlier.postgres)]
            .map(|time| time.as_secs_f64() * 1e6 / per(count))
    }
}

fn per(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}
