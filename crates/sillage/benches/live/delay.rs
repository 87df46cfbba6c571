//! The time from a report to its event, with many devices.

use std::time::Duration;

use futures::future::join_all;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use crate::browser::Events;
use crate::node::Device;
use crate::scene::{self, READERS, Scene};

const INTERVAL: Duration = Duration::from_secs(1);
const WARM_UP: usize = 3;
const REPORTS: usize = 13;
/// An event that takes longer counts as lost, with this time.
const LONGEST: Duration = Duration::from_secs(10);

/// Each device reports at its own time within the interval. Returns the sorted times.
pub(crate) async fn measure(scene: &Scene) -> Vec<Duration> {
    let mut pairs = Vec::with_capacity(READERS);
    for reader in 0..READERS {
        let query = format!("dsn={}", scene::dsn(reader));
        let events = Events::open(scene.console.url(), &query, scene.cookie(reader)).await;
        pairs.push((scene.connect(reader).await, events));
    }
    let begin = Instant::now() + INTERVAL;
    let tasks = pairs.into_iter().enumerate().map(|(number, (device, events))| {
        let offset = INTERVAL * u32::try_from(number).unwrap() / u32::try_from(READERS).unwrap();
        let (sent, reports) = mpsc::unbounded_channel();
        tokio::spawn(report(device, begin + offset, sent));
        tokio::spawn(receive(events, reports))
    });
    let delays = join_all(tasks.collect::<Vec<_>>()).await.into_iter().flat_map(Result::unwrap);
    let mut delays: Vec<Duration> = delays.collect();
    delays.sort();
    delays
}

async fn report(mut device: Device, begin: Instant, sent: mpsc::UnboundedSender<Instant>) {
    for number in 0..REPORTS {
        sleep_until(begin + INTERVAL * u32::try_from(number).unwrap()).await;
        sent.send(Instant::now()).unwrap();
        device.report(scene::intensity(number)).await.unwrap();
    }
}

async fn receive(mut events: Events, mut reports: mpsc::UnboundedReceiver<Instant>) -> Vec<Duration> {
    let mut delays = Vec::with_capacity(REPORTS);
    while let Some(sent) = reports.recv().await {
        // The connection of the device is an event, too.
        let reported = async { while !events.until("device").await.contains(r#""kind":"reported""#) {} };
        let is_lost = timeout(LONGEST, reported).await.is_err();
        delays.push(if is_lost { LONGEST } else { sent.elapsed() });
    }
    delays.split_off(WARM_UP)
}
