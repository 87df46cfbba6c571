//! Space of stored devices, and what they cost while a few of them report.

use platform::db::{Db, params};
use platform::testing::TestDb;

use crate::console::Console;
use crate::node::Node;
use crate::postgres::Postmaster;
use crate::reporters::{RATE, Reporters};
use crate::{Cost, cpu, fleet, memory, now, per};

/// How many of the devices report.
const REPORTING: usize = 1_000;
const SECONDS: usize = 20;

pub(crate) async fn measure(sizes: &[usize]) {
    println!(
        "stored devices; {RATE} reports a second of {REPORTING} of them; processor time in µs of the cloud + PostgreSQL"
    );
    for &devices in sizes {
        measure_one(devices).await;
    }
}

async fn measure_one(devices: usize) {
    let (test, index) = (TestDb::postgres().await, TestDb::postgres().await);
    let begin = now();
    let (empty, access) = (size(&test).await, fleet::load(&test, devices).await);
    let loading = begin.elapsed();
    test.execute("vacuum analyze", params![]).await.unwrap();
    let bytes = (size(&test).await - empty) / per(devices);

    let folder = tempfile::tempdir().unwrap();
    let nodes = [Node::start(&test.url, folder.path()).await];
    let [node] = &nodes;
    let memory = memory::resident(node.id());
    let server = Postmaster::of(&test).await;
    let mut reporters = Reporters::connect(&nodes, REPORTING.min(devices));
    reporters.report_at_full_speed(REPORTING);
    let before = Cost::now(&nodes, server);
    let (reports, _) = reporters.report_for(SECONDS);
    let [cloud, postgres] = Cost::now(&nodes, server).since(before, reports);
    println!(
        "{devices:>9}  {bytes:.0} bytes each, loaded in {:.0} s; the cloud starts with {memory:.0} MiB; a report {cloud:.0} + {postgres:.0}",
        loading.as_secs_f64()
    );

    let (empty, before, begin) = (size(&index).await, Cost::now(&nodes, server), now());
    let console = Console::start(&index.url, &node.url, &access, folder.path(), "console");
    let elapsed = begin.elapsed().as_secs_f64();
    let [cloud, postgres] = Cost::now(&nodes, server).since(before, devices);
    let used = cpu::of(console.id()).as_secs_f64() * 1e6 / per(devices);
    let bytes = (size(&index).await - empty) / per(devices);
    let memory = memory::resident(console.id());
    println!(
        "           first pass of a console in {elapsed:.0} s: {used:.0} + {cloud:.0} + {postgres:.0} µs of console, cloud and PostgreSQL \
         a device; {bytes:.0} bytes each in its index; the console has {memory:.0} MiB"
    );
}

/// The size of the database in bytes.
async fn size(db: &Db) -> f64 {
    let sql = "select pg_database_size(current_database())::float8";
    db.fetch_one::<(f64,)>(sql, params![]).await.unwrap().0
}
