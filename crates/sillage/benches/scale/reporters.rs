//! Devices that report their three counters, as simulated devices do every quarter of an hour.

use std::time::Duration;

use diffuser::properties::{APPLIANCE_LIFE, CARTRIDGE_LIFE, PUMP_LIFE};
use futures::future::join_all;
use futures::{StreamExt, stream};

use crate::node::{Device, Node, key};
use crate::{fleet, now};

/// Values in a report.
pub(crate) const VALUES: usize = 3;
/// Reports a second of a paced fleet: those of 450,000 devices.
pub(crate) const RATE: usize = 500;
/// How many devices report at the same time, at most.
const WORKERS: usize = 50;
/// How many devices connect at the same time.
const CONNECTING: usize = 100;
/// The longest that the device link allows, in seconds, so that no device has to send pings.
const KEEP_ALIVE: u16 = 1200;

/// Connected devices.
pub(crate) struct Reporters(Vec<Vec<Device>>);

impl Reporters {
    /// Connects the first devices of the fleet.
    pub(crate) async fn connect(node: &Node, devices: usize) -> Self {
        let connecting = stream::iter(0..devices).map(async |device| {
            let signed_in = Device::sign_in_for(node.link, &fleet::dsn(device), &key(device), KEEP_ALIVE).await;
            signed_in.expect("the cloud is running").expect("the cloud accepts the device")
        });
        let mut groups: Vec<Vec<Device>> = (0..WORKERS.min(devices)).map(|_| Vec::new()).collect();
        let mut connected = connecting.buffer_unordered(CONNECTING).enumerate();
        while let Some((number, device)) = connected.next().await {
            let group = number % groups.len();
            groups[group].push(device);
        }
        Self(groups)
    }

    /// Reports about [`RATE`] times a second, the devices in turn. Returns the number of reports.
    pub(crate) async fn report_for(&mut self, seconds: usize) -> usize {
        let pause = Duration::from_secs(1) * u32::try_from(self.0.len()).unwrap() / u32::try_from(RATE).unwrap();
        self.report(RATE * seconds, Some(pause)).await
    }

    /// Reports as often as the cloud acknowledges, at least `reports` times in all. Returns the number of reports and the time.
    pub(crate) async fn report_at_full_speed(&mut self, reports: usize) -> (usize, Duration) {
        let begin = now();
        (self.report(reports, None).await, begin.elapsed())
    }

    async fn report(&mut self, reports: usize, pause: Option<Duration>) -> usize {
        let each = reports.div_ceil(self.0.len());
        let workers = self.0.drain(..).map(|group| tokio::spawn(report_in_turn(group, each, pause)));
        let workers: Vec<_> = workers.collect();
        let count = each * workers.len();
        self.0 = join_all(workers).await.into_iter().map(Result::unwrap).collect();
        count
    }
}

async fn report_in_turn(mut devices: Vec<Device>, reports: usize, pause: Option<Duration>) -> Vec<Device> {
    let mut ticks = pause.map(tokio::time::interval);
    for number in 0..reports {
        if let Some(ticks) = &mut ticks {
            ticks.tick().await;
        }
        let (hours, device) = (number % 10_000, number % devices.len());
        let payload = format!(
            r#"{{"properties":{{"{APPLIANCE_LIFE}":{hours}.25,"{PUMP_LIFE}":{hours}.25,"{CARTRIDGE_LIFE}":{hours}.25}}}}"#
        );
        devices[device].report(payload).await.expect("the cloud is running");
    }
    devices
}
