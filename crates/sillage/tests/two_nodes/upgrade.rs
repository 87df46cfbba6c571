//! The upgrade drill of docs/how-to/upgrade.md: data and nodes of the release before become those of the next build, one node at a time
//! and under load.

use std::process::Output;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::build::Build;
use crate::cluster::{A, B, Cluster, eventually, within};
use crate::load::Load;
use crate::support::Person;
use crate::{at_both, live_again, obeys};

/// Limit for what takes a second on an idle machine.
const PATIENCE: Duration = Duration::from_secs(90);
/// The keep-alive of diffusers, in seconds.
const KEEP_ALIVE: u16 = 60;
/// How many of the unplugged diffusers are under load.
const LOADED: usize = 6;
/// Fields of a device's page that only change when somebody writes them or the device reports.
const STORED: [&str; 16] = [
    "serialNumber",
    "customer",
    "customerId",
    "storeNumber",
    "csp",
    "fragrance",
    "systemConfiguration",
    "timeZone",
    "city",
    "mode",
    "intensity",
    "fan",
    "scheduleBlob",
    "applianceLife",
    "pumpLife",
    "cartridgeLife",
];

#[tokio::test(flavor = "multi_thread")]
async fn nodes_of_the_release_before_are_upgraded_one_at_a_time_without_a_lost_write() {
    let folder = tempfile::tempdir().unwrap();
    let [before, next] = Build::before_and_next(folder.path());
    let mut cluster = Cluster::start_build(before.clone()).await;
    let drill = Drill::begin(&cluster).await;
    let (data, mut tokens) = (drill.read_quiet_data(&cluster).await, Vec::new());
    let load = Load::start(&cluster, &drill.ada, &cluster.unplugged[..LOADED]);
    load.acknowledges(200).await;
    tokens.push(drill.create_token(A).await);

    migrate(&cluster, &before, &next);
    cluster.install(next);
    for node in [A, B] {
        load.acknowledges(200).await;
        cluster.restart_cloud(node).await;
        drill.assert_clouds_work_together(&cluster, 2 * node + 1).await;
    }
    for node in [A, B] {
        load.acknowledges(200).await;
        cluster.restart_console(node);
        for writer in [A, B] {
            drill.assert_consoles_work_together(&cluster, writer).await;
        }
        tokens.push(drill.create_token(B).await);
    }

    load.acknowledges(200).await;
    join_all(cluster.simulated.iter().map(|dsn| obeys(&drill.ada, dsn, 9))).await;
    load.stop_and_verify(&cluster).await;
    assert_eq!(drill.read_quiet_data(&cluster).await, data, "data of the release before");
    drill.assert_all_is_readable(&cluster, &tokens).await;
    cluster.assert_running();
}

/// Migrates both databases while nodes of the release before use them. From then on, its operator commands are refused.
fn migrate(cluster: &Cluster, before: &Build, next: &Build) {
    for (server, command) in [("cloud", ["user", "list"].as_slice()), ("console", &["reindex"])] {
        let Output { status, stdout, stderr } = cluster.run(next, server, &["migrate"]);
        assert!(status.success(), "{server}: {}", String::from_utf8_lossy(&stderr));
        if !String::from_utf8_lossy(&stdout).starts_with("Migrated") {
            continue;
        }
        let Output { status, stderr, .. } = cluster.run(before, server, command);
        let stderr = String::from_utf8_lossy(&stderr);
        assert!(!status.success() && stderr.contains("newer than this program"), "{server}: {stderr}");
    }
}

/// The diffusers that nobody uses.
fn quiet(cluster: &Cluster) -> &[String] {
    &cluster.unplugged[LOADED + 2..]
}

/// The administrator, signed in since before the upgrade.
struct Drill {
    ada: Person,
    /// The same session at each console.
    both: [Person; 2],
    password: Value,
}

impl Drill {
    async fn begin(cluster: &Cluster) -> Self {
        let ada = cluster.administrator().await;
        let form = json!({ "method": "email", "recipient": "ada@example.com", "events": { "disconnected": true } });
        for dsn in quiet(cluster) {
            ada.post(&format!("/api/devices/dsns/{dsn}/notifications"), form.clone()).await;
        }
        Self { both: at_both(cluster, &ada), ada, password: cluster.account()["password"].clone() }
    }

    /// What nobody changes during the drill: the catalogue, the CSPs, and the quiet diffusers with their notifications.
    async fn read_quiet_data(&self, cluster: &Cluster) -> Vec<Value> {
        let mut data = Vec::new();
        for path in ["/api/fragrances", "/api/csps/all"] {
            data.push(self.ada.get(path).await);
        }
        for dsn in quiet(cluster) {
            let device = self.ada.get(&format!("/api/devices/dsns/{dsn}")).await;
            data.extend(STORED.map(|field| device[field].clone()));
            data.push(self.ada.get(&format!("/api/devices/dsns/{dsn}/notifications")).await);
        }
        data
    }

    /// A command that one cloud accepts reaches a device at the other, whose report is then read through a console.
    /// No two calls may use the same speeds of the fan: `slowest` and the next one.
    async fn assert_clouds_work_together(&self, cluster: &Cluster, slowest: usize) {
        for (near, far) in [(A, B), (B, A)] {
            let dsn = &cluster.unplugged[LOADED + near];
            let mut device = cluster.connect(dsn, near, KEEP_ALIVE).await;
            device.subscribe().await;
            let command = ("fan".to_owned(), json!(slowest + near));
            cluster.at_cloud(far).await.command(dsn, &command.0, command.1.clone()).await;
            let received = async { while device.next_command().await != command {} };
            within(PATIENCE, "a command reaches a device of the other cloud", received).await;
            let intensity = self.intensity(dsn).await % 40 + 1;
            let mut reporting = cluster.connect(dsn, near, KEEP_ALIVE).await;
            reporting.report(json!({ "properties": { "intensity": intensity } }).to_string()).await.unwrap();
            let is_read = async || self.intensity(dsn).await == intensity;
            eventually("the report is read", PATIENCE, is_read).await;
        }
    }

    async fn intensity(&self, dsn: &str) -> i64 {
        self.ada.get(&format!("/api/devices/dsns/{dsn}")).await["intensity"].as_i64().unwrap_or_default()
    }

    /// A change through one console is live in a browser at the other.
    async fn assert_consoles_work_together(&self, cluster: &Cluster, writer: usize) {
        let dsn = &cluster.simulated[0];
        let events = self.both[1 - writer].events(dsn).await;
        within(PATIENCE, "a change is live at the other console", live_again(&self.both[writer], dsn, events)).await;
    }

    /// Stores an access token through a console, which the database of the consoles keeps encrypted.
    async fn create_token(&self, node: usize) -> String {
        let form = json!({
            "name": "Drill", "rights": ["devices_read"], "expiresInDays": 365, "password": self.password,
        });
        self.both[node].post("/api/account/tokens", form).await["token"].as_str().unwrap().to_owned()
    }

    /// Each device, its history and each token can be read at both consoles.
    async fn assert_all_is_readable(&self, cluster: &Cluster, tokens: &[String]) {
        for console in &self.both {
            let devices = cluster.simulated.iter().chain(&cluster.unplugged);
            join_all(devices.map(|dsn| async move {
                for page in ["", "/history"] {
                    console.get(&format!("/api/devices/dsns/{dsn}{page}")).await;
                }
            }))
            .await;
        }
        for (node, token) in [A, B].into_iter().flat_map(|node| tokens.iter().map(move |token| (node, token))) {
            let devices = format!("{}/api/devices", cluster.console_url(node).trim_end_matches('/'));
            let answer = reqwest::Client::new().get(devices).bearer_auth(token).send().await.unwrap();
            assert_eq!(answer.status(), 200, "an access token that was acknowledged");
        }
    }
}
