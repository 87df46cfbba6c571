//! Devices that report to a cloud, and its clients.

use std::sync::Arc;

use futures::future::join_all;
use platform::testing::TestDb;
use tokio::sync::Semaphore;

use crate::clients::Clients;
use crate::node::{self, Device, Node};
use crate::{Measured, cpu, now, reader};

const DEVICES: usize = 50;
/// Values in a report.
const VALUES: usize = 10;
/// Maximum number of events in flight from a device to the last client, so that the stream drops no events.
const WINDOW: usize = 4_000;

/// Returns the number of events per client, one of them, and the measurement.
pub(crate) async fn measure(test: &TestDb, clients: usize, times: usize) -> (usize, String, Measured) {
    let folder = tempfile::tempdir().unwrap();
    let (operator, oem) = node::seed(test, DEVICES, VALUES).await;
    let node = Node::start_with(&test.url, folder.path(), &["--sockets-per-user", "5000"]).await;
    let room = Arc::new(Semaphore::new(WINDOW));
    let url = reader::subscribe(&operator, &oem, &node).await;
    let mut clients = Clients::connect(&url, clients, room.clone()).await;
    let devices = join_all((0..DEVICES).map(|device| Device::connect(node.link, device))).await;
    let mut devices: Vec<Device> = devices.into_iter().map(Option::unwrap).collect();
    // One round to warm up.
    tokio::join!(report(&mut devices, 1, &room), clients.read(DEVICES * VALUES));
    let before = cpu::of(node.id());
    let begin = now();
    let events = times * DEVICES * VALUES;
    let ((), frame) = tokio::join!(report(&mut devices, times, &room), clients.read(events));
    let measured = Measured { elapsed: begin.elapsed(), cpu: cpu::of(node.id()) - before };
    (events, frame, measured)
}

/// Every device sends `times` reports one after the other.
async fn report(devices: &mut [Device], times: usize, room: &Semaphore) {
    join_all(devices.iter_mut().map(async |device| {
        for report in 0..times {
            room.acquire_many(u32::try_from(VALUES).unwrap()).await.unwrap().forget();
            let values: Vec<String> = (0..VALUES).map(|n| format!(r#""{}":{report}"#, node::property(n))).collect();
            let payload = format!(r#"{{"properties":{{{}}}}}"#, values.join(","));
            device.report(payload).await.expect("the cloud is running");
        }
    }))
    .await;
}
