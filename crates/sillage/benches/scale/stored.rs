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
/// A pass of the console costs the same for each device, so it is measured for fleets up to this size.
const MAX_PASS: usize = 100_000;

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
    let node = Node::start(&test.url, folder.path()).await;
    let memory = memory::resident(node.id());
    let server = Postmaster::of(&test).await;
    let mut reporters = Reporters::connect(&node, REPORTING.min(devices)).await;
    reporters.report_at_full_speed(REPORTING).await;
    let before = Cost::now(&node, server);
    let reports = reporters.report_for(SECONDS).await;
    let [cloud, postgres] = Cost::now(&node, server).since(before, reports);
    println!(
        "{devices:>9}  {bytes:.0} bytes each, loaded in {:.0} s; the cloud starts with {memory:.0} MiB; a report {cloud:.0} + {postgres:.0}",
        loading.as_secs_f64()
    );

    if devices <= MAX_PASS {
        let (empty, before) = (size(&index).await, Cost::now(&node, server));
        let console = Console::start(&index.url, &node.url, &access, folder.path(), "console");
        let [cloud, postgres] = Cost::now(&node, server).since(before, devices);
        let console = cpu::of(console.id()).as_secs_f64() * 1e6 / per(devices);
        let bytes = (size(&index).await - empty) / per(devices);
        println!(
            "           first pass of a console: {console:.0} + {cloud:.0} + {postgres:.0} µs of console, cloud and PostgreSQL a device; \
             {bytes:.0} bytes each in its index"
        );
    }
}

/// The size of the database in bytes.
async fn size(db: &Db) -> f64 {
    let sql = "select pg_database_size(current_database())::float8";
    db.fetch_one::<(f64,)>(sql, params![]).await.unwrap().0
}
