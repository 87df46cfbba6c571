//! Memory and processor time of connected devices.

use platform::db::{Db, params};
use platform::testing::TestDb;

use crate::node::Node;
use crate::postgres::Postmaster;
use crate::reporters::{RATE, Reporters, VALUES};
use crate::{Cost, fleet, memory, now, per};

/// How long the devices report at a fixed rate.
const SECONDS: usize = 20;
/// Reports at full speed.
const REPORTS: usize = 20_000;
/// All devices have the address of this machine.
const LIMITS: [&str; 4] = ["--link-connections-per-address", "1000000", "--link-pending-per-address", "1000"];

pub(crate) async fn measure(sizes: &[usize]) {
    println!("connected devices; processor time in µs of the cloud + PostgreSQL; a report has {VALUES} values");
    println!(
        "{:>9}  {:>10}  {:>16}  {:>24}  {:>30}  {:>14}",
        "devices",
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
    let node = Node::start_with(&test.url, folder.path(), &LIMITS).await;
    let server = Postmaster::of(&test).await;
    let (idle, before) = (memory::resident(node.id()), Cost::now(&node, server));
    let mut reporters = Reporters::connect(&node, devices).await;
    let connection = Cost::now(&node, server).since(before, devices);

    // Every device has reported once before its memory is measured.
    reporters.report_at_full_speed(devices).await;
    let kib = (memory::resident(node.id()) - idle) * 1024.0 / per(devices);

    let (before, begin) = (Cost::now(&node, server), now());
    let reports = reporters.report_for(SECONDS).await;
    let (rate, paced) = (per(reports) / begin.elapsed().as_secs_f64(), Cost::now(&node, server).since(before, reports));

    let before = Cost::now(&node, server);
    let (reports, elapsed) = reporters.report_at_full_speed(REPORTS).await;
    let full = Cost::now(&node, server).since(before, reports);
    println!(
        "{devices:>9}  {kib:>6.1} KiB  {:>16}  {:>24}  {:>30}  {:>8.0} bytes",
        sum(connection),
        format!("{} ({rate:.0}/s)", sum(paced)),
        format!("{} ({:.0}/s)", sum(full), per(reports) / elapsed.as_secs_f64()),
        bytes_per_datapoint(&test).await,
    );
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
