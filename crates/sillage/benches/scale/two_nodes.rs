//! How many reports one and two nodes of the cloud store in one PostgreSQL database, and what limits them.
//!
//! A thousand devices, spread over the nodes, report ten properties each and wait for the acknowledgement. If the processors are busy,
//! which devices, nodes and database share, the nodes are measured again with a small part of a processor each.

use std::thread::available_parallelism;
use std::time::Duration;

use futures::future::join_all;
use platform::testing::TestDb;

use crate::node::{self, Device, Node};
use crate::postgres::Postmaster;
use crate::throttle::Throttle;
use crate::{cpu, now, per};

const DEVICES: usize = 1_000;
const PROPERTIES: usize = 10;
const WARM_UP: usize = 4;
const REPORTS: usize = 30;

/// The minimum gain of a second node.
const GAIN: f64 = 1.6;
/// The part of the processors from which on they are the limit.
const BUSY: f64 = 0.85;

/// The processors of a node that is limited.
const CORES: f64 = 0.2;

/// Whether two nodes store at least 1.6 times as much as one while processors are idle.
pub(crate) async fn measure() -> bool {
    let (mut gain, busy) = gain_of_second(None).await;
    if gain < GAIN && busy >= BUSY {
        println!("the limit are the processors of this machine: {:.0} % are busy", busy * 100.0);
        println!("the same with {CORES} of a processor for each node:");
        (gain, _) = gain_of_second(Some(CORES)).await;
    }
    match gain >= GAIN {
        true => println!("good (bound {GAIN})"),
        false => println!("MISSED (bound {GAIN}): processors are idle, so the limit is PostgreSQL's disk or a lock"),
    }
    gain >= GAIN
}

/// How many times as much as one node two nodes store, and the part of the processors that is then busy.
async fn gain_of_second(cores: Option<f64>) -> (f64, f64) {
    let one = reports_of(1, cores).await;
    let two = reports_of(2, cores).await;
    let gain = two.datapoints_per_second() / one.datapoints_per_second();
    println!("two nodes store {gain:.2} times as much as one");
    (gain, two.busy())
}

struct Measured {
    datapoints: usize,
    elapsed: Duration,
    /// Processor time of the nodes, the database, and the devices.
    cpu: [Duration; 3],
}

impl Measured {
    fn datapoints_per_second(&self) -> f64 {
        per(self.datapoints) / self.elapsed.as_secs_f64()
    }

    /// The part of all processors that the benchmark used.
    fn busy(&self) -> f64 {
        let cores = per(available_parallelism().unwrap().get());
        self.cpu.iter().sum::<Duration>().as_secs_f64() / self.elapsed.as_secs_f64() / cores
    }
}

/// Each node gets no more than `cores` processors.
async fn reports_of(nodes: usize, cores: Option<f64>) -> Measured {
    let test = TestDb::postgres().await;
    node::seed(&test, DEVICES, PROPERTIES).await;
    let folders: Vec<_> = (0..nodes).map(|_| tempfile::tempdir().unwrap()).collect();
    let mut running = Vec::with_capacity(nodes);
    for folder in &folders {
        running.push(Node::start(&test.url, folder.path()).await);
    }
    let devices = (0..DEVICES).map(|device| Device::connect(running[device % nodes].link, device));
    let devices: Vec<Device> = join_all(devices).await.into_iter().map(Option::unwrap).collect();
    let devices = report(devices, WARM_UP).await;
    let server = Postmaster::of(&test).await;
    let throttle = |cores| running.iter().map(move |node| Throttle::start(node.id(), cores));
    let _throttles: Vec<_> = cores.into_iter().flat_map(throttle).collect();
    let used = || {
        let of_nodes = running.iter().map(|node| cpu::of(node.id())).sum();
        [of_nodes, server.processor_time(), cpu::of(std::process::id())]
    };
    let (begin, before) = (now(), used());
    report(devices, REPORTS).await;
    let (elapsed, after) = (begin.elapsed(), used());
    let cpu = [0, 1, 2].map(|part| after[part].saturating_sub(before[part]));
    let measured = Measured { datapoints: DEVICES * PROPERTIES * REPORTS, elapsed, cpu };
    let cores = cpu.map(|part| part.as_secs_f64() / elapsed.as_secs_f64());
    println!(
        "{nodes} node(s): {:.0} datapoints/s; cores used: nodes {:.2}, PostgreSQL {:.2}, devices {:.2}",
        measured.datapoints_per_second(),
        cores[0],
        cores[1],
        cores[2]
    );
    measured
}

/// Every device sends `times` reports one after the other.
async fn report(devices: Vec<Device>, times: usize) -> Vec<Device> {
    let reporting = devices.into_iter().map(|mut device| {
        tokio::spawn(async move {
            for report in 0..times {
                let values: Vec<String> =
                    (0..PROPERTIES).map(|n| format!(r#""{}":{report}"#, node::property(n))).collect();
                let payload = format!(r#"{{"properties":{{{}}}}}"#, values.join(","));
                device.report(payload).await.expect("the cloud is running");
            }
            device
        })
    });
    join_all(reporting.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect()
}
