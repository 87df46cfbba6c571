//! Load on a cluster: diffusers that report and a person who gives commands, all through the balancer. What the cloud acknowledged
//! must be stored in the end.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::cluster::{Cluster, eventually};
use crate::node::Device;
use crate::support::Person;

/// A property that only the device writes, with any integer.
const REPORTED: &str = "clock_mode";
/// A property that people write, from 1 to 45.
const COMMANDED: &str = "intensity";
/// In seconds.
const KEEP_ALIVE: u16 = 10;
/// Pause between the reports of a diffuser; the cloud accepts 20 packets a second.
const PACE: Duration = Duration::from_millis(60);
/// Pause after a failure, so that the load does not starve the nodes that should recover.
const BACK_OFF: Duration = Duration::from_millis(200);

/// A running load.
pub(crate) struct Load {
    stop: CancellationToken,
    acknowledged: Arc<AtomicU64>,
    reports: HashMap<String, JoinHandle<Vec<i64>>>,
    commands: (String, JoinHandle<Vec<i64>>),
}

impl Load {
    /// Commands go to the first of `devices`, which stays unplugged. The others report.
    pub(crate) fn start(cluster: &Cluster, person: &Person, devices: &[String]) -> Self {
        let (stop, acknowledged) = (CancellationToken::new(), Arc::new(AtomicU64::new(0)));
        let [target, reporting @ ..] = devices else { panic!("no devices") };
        let link = cluster.balanced_link();
        let report = |dsn: &String| {
            let task = report(link, dsn.clone(), cluster.key(dsn), Arc::clone(&acknowledged), stop.clone());
            (dsn.clone(), tokio::spawn(task))
        };
        let reports = reporting.iter().map(report).collect();
        let commands = command(person.clone(), target.clone(), Arc::clone(&acknowledged), stop.clone());
        Self { commands: (target.clone(), tokio::spawn(commands)), reports, acknowledged, stop }
    }

    /// Waits until so many more writes are acknowledged.
    pub(crate) async fn acknowledges(&self, more: u64) {
        let enough = self.acknowledged.load(Ordering::SeqCst) + more;
        let what = format!("{more} more acknowledged writes");
        let reached = async || self.acknowledged.load(Ordering::SeqCst) >= enough;
        eventually(&what, Duration::from_secs(90), reached).await;
    }

    /// Ends the load, and panics unless all acknowledged writes are stored.
    pub(crate) async fn stop_and_verify(self, cluster: &Cluster) {
        self.stop.cancel();
        for (dsn, reports) in self.reports {
            assert_stored(cluster, &dsn, REPORTED, reports.await.unwrap()).await;
        }
        let (dsn, commands) = self.commands;
        assert_stored(cluster, &dsn, COMMANDED, commands.await.unwrap()).await;
    }
}

/// Reports consecutive numbers until stopped, and returns the acknowledged ones.
async fn report(
    link: SocketAddr,
    dsn: String,
    key: String,
    count: Arc<AtomicU64>,
    stop: CancellationToken,
) -> Vec<i64> {
    let (mut acknowledged, mut number) = (Vec::new(), 0);
    while !stop.is_cancelled() {
        if let Some(Ok(mut device)) = Device::sign_in_for(link, &dsn, &key, KEEP_ALIVE).await {
            while !stop.is_cancelled() {
                number += 1;
                if device.report(json!({ "properties": { REPORTED: number } }).to_string()).await.is_none() {
                    break;
                }
                acknowledged.push(number);
                count.fetch_add(1, Ordering::SeqCst);
                sleep(PACE).await;
            }
        }
        sleep(BACK_OFF).await;
    }
    acknowledged
}

/// Sets a different value again and again until stopped, and returns the values that the console acknowledged.
async fn command(person: Person, dsn: String, count: Arc<AtomicU64>, stop: CancellationToken) -> Vec<i64> {
    let mut acknowledged = Vec::new();
    for value in (1..=45).cycle() {
        if stop.is_cancelled() {
            break;
        }
        if is_accepted(person.try_to_set(&dsn, &json!({ COMMANDED: value })).await, value).await {
            acknowledged.push(value);
            count.fetch_add(1, Ordering::SeqCst);
        } else {
            sleep(BACK_OFF).await;
        }
    }
    acknowledged
}

/// Whether the response is complete and shows the command.
async fn is_accepted(answer: reqwest::Result<reqwest::Response>, value: i64) -> bool {
    let Ok(answer) = answer else { return false };
    let device: reqwest::Result<Value> = answer.json().await;
    device.is_ok_and(|device| device[COMMANDED] == value && device["commands"][COMMANDED]["state"] == "pending")
}

async fn assert_stored(cluster: &Cluster, dsn: &str, property: &str, acknowledged: Vec<i64>) {
    assert!(!acknowledged.is_empty(), "{dsn} has had no load");
    let mut stored: HashMap<i64, usize> = HashMap::new();
    for value in cluster.stored(dsn, property).await {
        *stored.entry(value).or_default() += 1;
    }
    for value in acknowledged {
        let left = stored.get_mut(&value).filter(|left| **left > 0);
        *left.unwrap_or_else(|| panic!("{dsn}: {property} = {value} was acknowledged and is not stored")) -= 1;
    }
}
