//! The everyday load: devices report, and people sign in, look at devices and send commands.

use std::time::Duration;

use futures::future::join_all;
use reqwest::Method;
use serde_json::json;
use tokio::time::sleep;

use crate::client::Client;
use crate::node::{Device, Node};
use crate::now;
use crate::scene::{DEVICES, PEOPLE, dsn};

/// How often a device reports.
const REPORTS: Duration = Duration::from_secs(10);
/// The pause of a person between two visits.
const REST: Duration = Duration::from_secs(4);

/// The measured latencies and the failures.
#[derive(Default)]
pub(crate) struct Latencies {
    pub(crate) sign_ins: Vec<Duration>,
    pub(crate) commands: Vec<Duration>,
    /// The number of successful requests and reports.
    pub(crate) done: usize,
    pub(crate) failures: Vec<String>,
}

impl Latencies {
    pub(crate) fn add(&mut self, other: Self) {
        self.sign_ins.extend(other.sign_ins);
        self.commands.extend(other.commands);
        self.done += other.done;
        self.failures.extend(other.failures);
    }

    fn record(&mut self, result: Result<impl Sized, String>) {
        match result {
            Ok(_) => self.done += 1,
            Err(failure) => self.failures.push(failure),
        }
    }
}

/// The 99th percentile.
pub(crate) fn percentile_99(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[(times.len() * 99).div_ceil(100) - 1]
}

/// People and connected devices.
pub(crate) struct Everyday {
    url: String,
    devices: Vec<Device>,
}

impl Everyday {
    pub(crate) async fn start(node: &Node) -> Self {
        let mut devices = Vec::new();
        for device in 0..PEOPLE * DEVICES {
            devices.push(Device::connect(node.link, device).await.expect("the cloud is running"));
        }
        Self { url: node.url.clone(), devices }
    }

    /// Runs the everyday load of devices and people for this time.
    pub(crate) async fn run_for(&mut self, time: Duration) -> Latencies {
        let end = now() + time;
        let devices = join_all(self.devices.iter_mut().enumerate().map(async |(number, device)| {
            let mut latencies = Latencies::default();
            // Spread over the interval.
            sleep(REPORTS.mul_f64(number as f64 / (PEOPLE * DEVICES) as f64)).await;
            let mut value = 0;
            while now() < end {
                value += 1;
                let report = device.report(json!({ "properties": { "p0": value } }).to_string()).await;
                latencies.record(report.ok_or_else(|| format!("the connection of device {number} ended")));
                if report.is_none() {
                    break;
                }
                sleep(REPORTS).await;
            }
            latencies
        }));
        let people = join_all((0..PEOPLE).map(async |person| {
            let mut latencies = Latencies::default();
            sleep(REST.mul_f64(person as f64 / PEOPLE as f64)).await;
            let mut device = 0;
            while now() < end {
                device = (device + 1) % DEVICES;
                visit(&self.url, person, device, &mut latencies).await;
                sleep(REST).await;
            }
            latencies
        }));
        let (devices, people) = tokio::join!(devices, people);
        let mut all = Latencies::default();
        devices.into_iter().chain(people).for_each(|latencies| all.add(latencies));
        all
    }
}

async fn visit(url: &str, person: usize, device: usize, latencies: &mut Latencies) {
    let mut client = Client::new(url, person);
    let begin = now();
    let signed_in = client.sign_in(person).await;
    latencies.sign_ins.push(begin.elapsed());
    latencies.record(signed_in);
    latencies.record(client.get("/apiv1/devices.json?paginated=true&per_page=50").await);
    let property = format!("/apiv1/dsns/{}/properties/intensity", dsn(person, device));
    let begin = now();
    let command = client.post(&format!("{property}/datapoints.json"), &json!({ "datapoint": { "value": 7 } })).await;
    latencies.commands.push(begin.elapsed());
    latencies.record(command);
    latencies.record(client.get(&format!("{property}.json")).await);
    latencies.record(client.send(Method::POST, "/users/sign_out.json", None).await);
}
