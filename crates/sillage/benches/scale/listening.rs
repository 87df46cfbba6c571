//! What the reports to one node cost the other nodes of the cloud, which hear of them by NATS.

use platform::testing::{NatsServer, TestDb};

use crate::node::Node;
use crate::postgres::Postmaster;
use crate::reporters::{Reporters, VALUES};
use crate::{Cost, fleet};

const DEVICES: usize = 1_000;
const REPORTS: usize = 50_000;

pub(crate) async fn measure() {
    let (test, nats) = (TestDb::postgres().await, NatsServer::start());
    fleet::load(&test, DEVICES).await;
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut nodes = Vec::new();
    for folder in &folders {
        nodes.push(Node::start_with(&test.url, folder.path(), &["--bus", &nats.url()]).await);
    }
    let (reporting, listening) = nodes.split_at(1);
    let server = Postmaster::of(&test).await;
    let mut reporters = Reporters::connect(reporting, DEVICES);
    reporters.report_at_full_speed(DEVICES);
    let before = Cost::now(listening, server);
    let (reports, _) = reporters.report_at_full_speed(REPORTS);
    let [cost, _] = Cost::now(listening, server).since(before, reports * VALUES);
    println!("a value reported to another node costs {cost:.1} µs of a cloud");
}
