//! The process with the devices of a node: they report their three counters, as simulated devices do every quarter of an hour.
//!
//! It connects its devices and writes a line. Then it reads commands: the number of reports, and how many a second, 0 for full speed.
//! After each it writes the number of reports that were sent.

use std::io::stdin;
use std::net::SocketAddr;
use std::time::Duration;

use diffuser::properties::{APPLIANCE_LIFE, CARTRIDGE_LIFE, PUMP_LIFE};
use futures::future::join_all;
use futures::{StreamExt, stream};
use platform::run::file_limit;

use crate::fleet;
use crate::node::{Device, key};

/// The argument of the process.
pub(crate) const ARGUMENT: &str = "--devices";
/// Files that the process opens beside its connections.
const OTHER_FILES: u64 = 50;
/// How many devices report at the same time, at most.
const WORKERS: usize = 50;
/// How many devices connect at the same time.
const CONNECTING: usize = 100;
/// The longest that the device link allows, in seconds, so that no device has to send pings.
const KEEP_ALIVE: u16 = 1200;

/// Runs until standard input ends. `arguments` are the address of the node, the first device and the end of their range.
pub(crate) async fn run(mut arguments: impl Iterator<Item = String>) {
    let link: SocketAddr = arguments.next().unwrap().parse().unwrap();
    let [first, end] = [arguments.next(), arguments.next()].map(|number| number.unwrap().parse::<usize>().unwrap());
    let needed = u64::try_from(end - first).unwrap() + OTHER_FILES;
    assert!(file_limit::raise() >= needed, "the devices need {needed} open files");
    let mut devices = connect(link, first..end).await;
    println!("connected");
    for command in stdin().lines() {
        let numbers: Vec<usize> = command.unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
        let [reports, rate] = numbers[..] else { panic!("a command has two numbers") };
        let workers = devices.len();
        let pause = (rate > 0).then(|| Duration::from_secs_f64(crate::per(workers) / crate::per(rate)));
        let each = reports.div_ceil(workers);
        let reporting: Vec<_> =
            devices.drain(..).map(|group| tokio::spawn(report_in_turn(group, each, pause))).collect();
        devices = join_all(reporting).await.into_iter().map(Result::unwrap).collect();
        println!("{}", each * workers);
    }
}

/// Connects devices of the fleet, in groups whose members report in turn.
async fn connect(link: SocketAddr, range: std::ops::Range<usize>) -> Vec<Vec<Device>> {
    let mut groups: Vec<Vec<Device>> = (0..WORKERS.min(range.len())).map(|_| Vec::new()).collect();
    let connecting = stream::iter(range).map(async |device| {
        let signed_in = Device::sign_in_for(link, &fleet::dsn(device), &key(device), KEEP_ALIVE).await;
        signed_in.expect("the cloud is running").expect("the cloud accepts the device")
    });
    let mut connected = connecting.buffer_unordered(CONNECTING).enumerate();
    while let Some((number, device)) = connected.next().await {
        let group = number % groups.len();
        groups[group].push(device);
    }
    groups
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
