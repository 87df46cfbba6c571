//! Reports over the device link, to the last byte that a subscriber reads.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use platform::db::{Db, params};
use platform::testing::TestDb;
use tokio::sync::Semaphore;

use crate::node::{self, Device, Node};
use crate::reader::Reader;
use crate::{DEVICES, PROPERTIES, cpu, now};

/// Values in a report: all that a device has to say.
pub(crate) const VALUES: usize = PROPERTIES;
const WARM_UP: usize = 4;
const REPORTS: usize = 30;
/// So many values are on their way at most, from a device to the subscriber's eyes: nobody counts what the stream has yet to
/// bring, and no event is lost.
const WINDOW: usize = 8_000;

/// What was measured.
pub(crate) struct Measured {
    pub(crate) rows: usize,
    pub(crate) commits: usize,
    pub(crate) elapsed: Duration,
    /// Of the cloud's process.
    pub(crate) cpu: Duration,
}

/// Devices of one cloud, and how often each has reported.
pub(crate) struct Fleet {
    devices: Vec<Device>,
    reported: usize,
    /// Room for values on their way.
    room: Arc<Semaphore>,
}

impl Fleet {
    /// Connects them all. Each value that they report takes a permit from `room`.
    pub(crate) async fn connect(node: &Node, room: Arc<Semaphore>) -> Self {
        let devices = join_all((0..DEVICES).map(|device| Device::connect(node.link, device))).await;
        Self { devices: devices.into_iter().map(Option::unwrap).collect(), reported: 0, room }
    }

    /// Every device reports so many times, one report after the other; answers how many values that were.
    pub(crate) async fn report(&mut self, times: usize) -> usize {
        let first = self.reported;
        self.reported += times;
        let devices = std::mem::take(&mut self.devices).into_iter().map(|mut device| {
            let room = Arc::clone(&self.room);
            tokio::spawn(async move {
                for report in first..first + times {
                    room.acquire_many(u32::try_from(VALUES).unwrap()).await.unwrap().forget();
                    device.report(payload(report)).await.expect("the cloud stands");
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

/// Everything that is kept by one commit was created at the same instant.
async fn commits(db: &Db) -> usize {
    let sql = "select count(distinct created_at) from datapoint";
    let (count,): (i64,) = db.fetch_one(sql, params![]).await.unwrap();
    usize::try_from(count).unwrap()
}
