//! Memory and processor time of connected devices.

use std::path::Path;

use platform::db::{Db, params};
use platform::run::file_limit;
use platform::testing::TestDb;

use crate::node::Node;
use crate::postgres::Postmaster;
use crate::reporters::{RATE, Reporters, VALUES};
use crate::{Cost, fleet, memory, per};

/// How long the devices report at a fixed rate.
const SECONDS: usize = 20;
/// Reports at full speed.
const REPORTS: usize = 20_000;
/// All devices have the address of this machine.
const LIMITS: [&str; 4] = ["--link-connections-per-address", "1000000", "--link-pending-per-address", "1000"];

pub(crate) async fn measure(sizes: &[usize]) {
    println!("connected devices; processor time in µs of the cloud + PostgreSQL; a report has {VALUES} values");
    println!(
        "{:>9}  {:>5}  {:>10}  {:>16}  {:>24}  {:>30}  {:>14}",
        "devices",
        "nodes",
        "memory",
        "a connection",
        format!("a report at {RATE}/s"),
        "a report at full speed",
        "a datapoint"
    );
    for &devices in sizes {
        measure_one(devices).await;
    }
}

async fn measure_one(devices: usize) {
    let test = TestDb::postgres().await;
    fleet::load(&test, devices).await;
    let folder = tempfile::tempdir().unwrap();
    let nodes = start(&test.url, folder.path(), devices).await;
    let server = Postmaster::of(&test).await;
    let resident = || nodes.iter().map(|node| memory::resident(node.id())).sum::<f64>();
    let (idle, before) = (resident(), Cost::now(&nodes, server));
    let mut reporters = Reporters::connect(&nodes, devices);
    let connection = Cost::now(&nodes, server).since(before, devices);

    // Every device has reported once before its memory is measured.
    reporters.report_at_full_speed(devices);
    let kib = (resident() - idle) * 1024.0 / per(devices);

    let before = Cost::now(&nodes, server);
    let (reports, elapsed) = reporters.report_for(SECONDS);
    let (rate, paced) = (per(reports) / elapsed.as_secs_f64(), Cost::now(&nodes, server).since(before, reports));

    let before = Cost::now(&nodes, server);
    let (reports, elapsed) = reporters.report_at_full_speed(REPORTS);
    let full = Cost::now(&nodes, server).since(before, reports);
    println!(
        "{devices:>9}  {:>5}  {kib:>6.1} KiB  {:>16}  {:>24}  {:>30}  {:>8.0} bytes",
        nodes.len(),
        sum(connection),
        format!("{} ({rate:.0}/s)", sum(paced)),
        format!("{} ({:.0}/s)", sum(full), per(reports) / elapsed.as_secs_f64()),
        bytes_per_datapoint(&test).await,
    );
}

/// Starts as many nodes as the devices need: half of the files that a node may open are for devices.
async fn start(database: &str, folder: &Path, devices: usize) -> Vec<Node> {
    let places = usize::try_from(file_limit::raise() / 2).unwrap_or(usize::MAX);
    let mut nodes = Vec::new();
    for number in 0..devices.div_ceil(places) {
        let folder = folder.join(number.to_string());
        std::fs::create_dir(&folder).unwrap();
        nodes.push(Node::start_with(database, &folder, &LIMITS).await);
    }
    nodes
}

fn sum([cloud, postgres]: [f64; 2]) -> String {
    format!("{cloud:.0} + {postgres:.0}")
}

/// The space of all partitions of the history and of their indexes, divided by the number of datapoints.
async fn bytes_per_datapoint(db: &Db) -> f64 {
    let sql = "select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'datapoint'::regclass)::float8
                   / (select count(*) from datapoint)";
    db.fetch_one::<(f64,)>(sql, params![]).await.unwrap().0
}
