//! The cloud is killed, or its disk fills up, repeatedly at random moments under load. Acknowledged reports must be stored.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/node.rs"]
#[expect(dead_code, reason = "shared with the benchmark")]
mod node;

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cloud::operator::NewUser;
use futures::future::join_all;
use node::{Device, Node, disk};
use platform::db::{Db, Dialect, params};
use platform::run::random::Random;
use platform::testing::{TestDb, until};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const DEVICES: usize = 24;
const PROPERTIES: usize = 4;
/// Maximum number of acknowledgements before a kill.
const ACKNOWLEDGED: u64 = 600;

/// The number of kills; `make torture` increases it.
fn kills() -> u64 {
    std::env::var("SILLAGE_KILLS").map_or(20, |kills| kills.parse().unwrap())
}

/// The reports of one device over all kills, numbered consecutively.
#[derive(Default)]
struct Log {
    acknowledged: Vec<i64>,
    /// Sent, but not acknowledged, so it is sent again.
    unanswered: Option<i64>,
    /// How often a report was sent again.
    repeated: usize,
}

impl Log {
    /// Reports until the cloud stops answering.
    async fn run(
        mut self,
        link: std::net::SocketAddr,
        device: usize,
        left: Arc<AtomicU64>,
        stop: CancellationToken,
    ) -> Self {
        let Some(mut connection) = Device::connect(link, device).await else { return self };
        loop {
            let number = self.unanswered.unwrap_or_else(|| self.acknowledged.last().map_or(0, |last| last + 1));
            self.repeated += usize::from(self.unanswered.replace(number).is_some());
            let values: serde_json::Map<String, Value> =
                (0..PROPERTIES).map(|n| (node::property(n), value(number, n))).collect();
            if connection.report(json!({ "properties": values }).to_string()).await.is_none() {
                return self;
            }
            self.unanswered = None;
            self.acknowledged.push(number);
            if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                stop.cancel();
            }
        }
    }
}

fn value(number: i64, property: usize) -> Value {
    json!(number * 10 + i64::try_from(property).unwrap())
}

async fn online(db: &Db) -> i64 {
    let sql = "select count(*) from device_state where status = 'Online'";
    db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
}

/// Lets all devices report until `acknowledged` reports are acknowledged, then calls `interrupt`, which ends their
/// connections.
async fn report_until(
    logs: Vec<Log>,
    link: std::net::SocketAddr,
    acknowledged: u64,
    interrupt: impl FnOnce(),
) -> Vec<Log> {
    let (left, stop) = (Arc::new(AtomicU64::new(acknowledged)), CancellationToken::new());
    let devices = logs
        .into_iter()
        .enumerate()
        .map(|(device, log)| tokio::spawn(log.run(link, device, Arc::clone(&left), stop.clone())));
    let devices: Vec<_> = devices.collect();
    stop.cancelled().await;
    interrupt();
    join_all(devices).await.into_iter().map(Result::unwrap).collect()
}

/// Waits until PostgreSQL has noticed that the node was killed. The next one is then alone, and ready only when all devices are
/// Offline; otherwise they are Offline some seconds later.
async fn wait_for_end_of_session(db: &Db) {
    if db.dialect() == Dialect::Postgres {
        let sql = "select count(*) from pg_stat_activity \
                   where datname = current_database() and application_name = 'sillage node lock'";
        until(async || db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0 == 0).await;
    }
}

async fn kill_repeatedly(test: &TestDb, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let random = Random::seeded(seed);
    node::seed(test, DEVICES, PROPERTIES).await;
    let mut logs: Vec<Log> = (0..DEVICES).map(|_| Log::default()).collect();
    let mut left_online = 0;
    for kill in 0..kills() {
        let node = Node::start(&test.url, folder.path()).await;
        assert_eq!(online(test).await, 0, "no device is online after kill {kill}");
        logs = report_until(logs, node.link, random.below(ACKNOWLEDGED) + 1, || node.kill()).await;
        wait_for_end_of_session(test).await;
        left_online += online(test).await;
    }
    assert!(left_online > 0, "kills must leave devices Online in the database");
    let node = Node::start(&test.url, folder.path()).await;
    assert_eq!(online(test).await, 0);
    verify(test, &logs).await;
    node.kill();
}

/// Id, property, previous datapoint, value.
type Datapoint = (String, i64, Option<String>, String);

struct Property {
    id: i64,
    value: Option<String>,
    reported_value: Option<String>,
    last_datapoint: Option<String>,
}

/// Reads a property from the database.
async fn property(db: &Db, device: usize, n: usize) -> Property {
    let sql = "select p.id, p.value, p.reported_value, p.last_datapoint
               from property p join device d on d.id = p.device_id
               join template_property t on t.id = p.template_property_id
               where d.dsn = $1 and t.name = $2";
    let (id, value, reported_value, last_datapoint) =
        db.fetch_one(sql, params![node::dsn(device), node::property(n)]).await.unwrap();
    Property { id, value, reported_value, last_datapoint }
}

/// Asserts that exactly the acknowledged values are stored, in order, and that the newest is the property's value.
async fn verify(db: &Db, logs: &[Log]) {
    let datapoints: Vec<Datapoint> =
        db.fetch_all("select id, property_id, previous, value from datapoint", params![]).await.unwrap();
    let datapoints: HashMap<&str, &Datapoint> = datapoints.iter().map(|row| (&*row.0, row)).collect();
    let mut reached = 0;
    for (device, log) in logs.iter().enumerate() {
        for n in 0..PROPERTIES {
            let name = format!("{} {}", node::dsn(device), node::property(n));
            let property = property(db, device, n).await;
            let mut chain = Vec::new();
            let mut next = property.last_datapoint.as_deref();
            while let Some(id) = next {
                let Some((_, owner, previous, value)) = datapoints.get(id) else {
                    panic!("{name}: the chain is broken at {id}");
                };
                assert_eq!(*owner, property.id, "{name}");
                chain.push(serde_json::from_str::<Value>(value).unwrap());
                next = previous.as_deref();
            }
            reached += chain.len();
            let shown = property.value.as_deref().map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(shown.as_ref(), chain.first(), "{name}: the last value is the newest datapoint");
            assert_eq!(property.reported_value, property.value, "{name}");
            chain.reverse();
            let stored = chain.len();
            chain.dedup();
            assert!(stored - chain.len() <= log.repeated, "{name}: only repeated reports are stored twice");
            let mut sent = log.acknowledged.clone();
            let last = value(log.unanswered.unwrap_or(-1), n);
            if chain.last() == Some(&last) {
                // It was stored, but the cloud was killed before it could acknowledge it.
                sent.extend(log.unanswered);
            }
            let sent: Vec<Value> = sent.into_iter().map(|number| value(number, n)).collect();
            assert_eq!(chain, sent, "{name}: acknowledged values are stored as sent");
        }
    }
    assert_eq!(reached, datapoints.len(), "no datapoint is outside its property's chain");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_loses_no_acknowledged_report_on_sqlite() {
    kill_repeatedly(&TestDb::sqlite().await, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_loses_no_acknowledged_report_on_postgres() {
    kill_repeatedly(&TestDb::postgres().await, 2).await;
}

/// How often the disk fills up.
const FILLS: usize = 10;
const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "Correct-Horse-1";

/// Signs in, which writes a session.
async fn sign_in(cloud: &str) -> (u16, Value) {
    let application = json!({ "app_id": "app", "app_secret": "hush" });
    let user = json!({ "email": EMAIL, "password": PASSWORD, "application": application });
    let call = reqwest::Client::new().post(format!("{cloud}/users/sign_in.json")).json(&json!({ "user": user }));
    let answer = call.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_loses_no_acknowledged_report_and_the_cloud_recovers() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (test, folder, random) = (TestDb::sqlite().await, tempfile::tempdir().unwrap(), Random::seeded(3));
    let (operator, oem) = node::seed(&test, DEVICES, PROPERTIES).await;
    operator.ensure_application(&oem, "app", "App", &"hush".into()).await.unwrap();
    let ada = NewUser { email: EMAIL.into(), password: PASSWORD.into(), confirmed: true, ..NewUser::default() };
    operator.ensure_user(&oem, &ada).await.unwrap();
    let (mut log, writer) = std::io::pipe().unwrap();
    let node = Node::start_logging(&test.url, folder.path(), "error", writer.into()).await;
    let mut logs: Vec<Log> = (0..DEVICES).map(|_| Log::default()).collect();
    for fill in 0..FILLS {
        let (status, body) = sign_in(&node.url).await;
        assert_eq!(status, 200, "fill {fill}: {body}");
        logs = report_until(logs, node.link, random.below(ACKNOWLEDGED) + 1, || disk::fill(node.id())).await;
        for _ in 0..3 {
            let unavailable = json!({ "error": "The service is not available at the moment" });
            assert_eq!(sign_in(&node.url).await, (503, unavailable));
        }
        disk::free(node.id());
    }
    assert_eq!(sign_in(&node.url).await.0, 200);
    assert!(node.stop().success());
    verify(&test, &logs).await;
    let mut text = String::new();
    log.read_to_string(&mut text).unwrap();
    let name = format!("database=\"{}\"", test.url);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().all(|line| line.contains("the database is not available (--database)")), "{text}");
    assert!((1..FILLS).contains(&lines.len()) && lines.iter().all(|line| line.contains(&name)), "{text}");
}
