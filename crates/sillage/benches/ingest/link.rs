//! Reports over the device link, measured until a subscriber has read the last event.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use platform::db::{Db, params};
use platform::testing::TestDb;
use tokio::sync::Semaphore;

use crate::node::{self, Device, Node};
use crate::reader::Reader;
use crate::{DEVICES, PROPERTIES, cpu, now};

/// Values in a report, which contains all properties.
pub(crate) const VALUES: usize = PROPERTIES;
const WARM_UP: usize = 4;
const REPORTS: usize = 30;
/// Maximum number of values in flight from a device to the subscriber, so that the stream drops no events.
const WINDOW: usize = 8_000;

/// The result of a measurement.
pub(crate) struct Measured {
    pub(crate) rows: usize,
    pub(crate) commits: usize,
    pub(crate) elapsed: Duration,
    /// Processor time of the cloud.
    pub(crate) cpu: Duration,
}

/// The devices of a cloud, and the number of reports of each.
pub(crate) struct Fleet {
    devices: Vec<Device>,
    reported: usize,
    /// Permits for values in flight.
    room: Arc<Semaphore>,
}

impl Fleet {
    /// Connects all devices. Each reported value takes a permit from `room`.
    pub(crate) async fn connect(node: &Node, room: Arc<Semaphore>) -> Self {
        let devices = join_all((0..DEVICES).map(|device| Device::connect(node.link, device))).await;
        Self { devices: devices.into_iter().map(Option::unwrap).collect(), reported: 0, room }
    }

    /// Every device sends `times` reports one after the other. Returns the number of values.
    pub(crate) async fn report(&mut self, times: usize) -> usize {
        let first = self.reported;
        self.reported += times;
        let devices = std::mem::take(&mut self.devices).into_iter().map(|mut device| {
            let room = Arc::clone(&self.room);
            tokio::spawn(async move {
                for report in first..first + times {
                    room.acquire_many(u32::try_from(VALUES).unwrap()).await.unwrap().forget();
                    device.report(payload(report)).await.expect("the cloud is running");
                }
                device
            })
        });
        self.devices = join_all(devices.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect();
        times * DEVICES * VALUES
    }
}

fn payload(report: usize) -> String {
    let values: Vec<String> = (0..VALUES).map(|n| format!(r#""{}":{report}"#, node::property(n))).collect();
    format!(r#"{{"properties":{{{}}}}}"#, values.join(","))
}

pub(crate) async fn measure(test: &TestDb) -> Measured {
    let folder = tempfile::tempdir().unwrap();
    let (operator, oem) = node::seed(test, DEVICES, PROPERTIES).await;
    let node = Node::start(&test.url, folder.path()).await;
    let room = Arc::new(Semaphore::new(WINDOW));
    let mut reader = Reader::subscribe(&operator, &oem, &node, Arc::clone(&room)).await;
    let mut fleet = Fleet::connect(&node, room).await;
    tokio::join!(fleet.report(WARM_UP), reader.read(WARM_UP * DEVICES * VALUES));
    let before = (commits(test).await, cpu::of(node.id()));
    let begin = now();
    let (rows, ()) = tokio::join!(fleet.report(REPORTS), reader.read(REPORTS * DEVICES * VALUES));
    let elapsed = begin.elapsed();
    let cpu = cpu::of(node.id()) - before.1;
    let commits = commits(test).await - before.0;
    Measured { rows, commits, elapsed, cpu }
}

/// Counts commits: all datapoints of a commit have the same creation time.
async fn commits(db: &Db) -> usize {
    let sql = "select count(distinct created_at) from datapoint";
    let (count,): (i64,) = db.fetch_one(sql, params![]).await.unwrap();
    usize::try_from(count).unwrap()
}
