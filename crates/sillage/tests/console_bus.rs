//! Two console nodes on one PostgreSQL database, on each bus: what one node does is live in the browsers of the other.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::time::Duration;

use console::{Access, Console};
use platform::db::params;
use platform::testing::{NatsServer, TestDb};
use serde_json::{Value, json};
use support::{Demo, Events, Person};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

/// The longest time until a change is live at the other node.
const LIVE: Duration = Duration::from_secs(1);
/// The longest time until a bus that is back is live again.
const BACK: Duration = Duration::from_secs(5);
/// The longest time until another node has the lease of a dead one.
const TAKEN_OVER: Duration = Duration::from_secs(10);
/// Leaves the processor to the nodes.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// A demo's cloud, and two consoles of their own.
struct Nodes {
    a: Console,
    b: Console,
    at_a: Person,
    at_b: Person,
    dsn: String,
    database: TestDb,
    nats: Option<NatsServer>,
    demo: Demo,
    _folder: TempDir,
}

impl Nodes {
    async fn start(nats: Option<NatsServer>) -> Self {
        let (folder, database) = (tempfile::tempdir().unwrap(), TestDb::postgres().await);
        let demo = Demo::start(folder.path(), &[]);
        let cloud = demo.ready()["cloud"].as_str().unwrap();
        let access = Access::of_demo(folder.path());
        let url = nats.as_ref().map(NatsServer::url);
        // The bus of the database is the default.
        let bus: Vec<&str> = url.iter().flat_map(|url| ["--bus", url]).collect();
        let node = |name: &str| Console::start_with(&database.url, cloud, &access, folder.path(), name, &bus);
        // The first one has the lease.
        let (a, b) = (node("a"), node("b"));
        let at_a = Person::sign_in_at(a.url(), &demo.ready()["accounts"][0]).await;
        let at_b = at_a.at(b.url());
        let dsn = "AC000W000100001".to_owned();
        at_a.set(&dsn, json!({ "mode": 3, "intensity": 20 })).await;
        Self { a, b, at_a, at_b, dsn, database, nats, demo, _folder: folder }
    }

    /// Ends every connection of the bus.
    async fn cut_bus(&mut self) {
        match &mut self.nats {
            Some(server) => server.stop(),
            None => {
                let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
                           where application_name = 'sillage bus' and datname = current_database()";
                assert_eq!(self.database.fetch_one::<(i64,)>(end, params![]).await.unwrap().0, 2);
            }
        }
    }

    fn restore_bus(&mut self) {
        if let Some(server) = &mut self.nats {
            server.restart();
        }
    }
}

/// Sets an intensity at one node, and waits until it is live on a stream of the other node.
async fn set_and_see(writer: &Person, events: &mut Events, dsn: &str, intensity: u64, within: Duration) {
    writer.set(dsn, json!({ "intensity": intensity })).await;
    let seen = async {
        loop {
            let (kind, event) = events.next().await;
            if kind == "device" && event["kind"] == "commanded" && event["device"]["intensity"] == intensity {
                return;
            }
        }
    };
    timeout(within, seen).await.unwrap_or_else(|_| panic!("intensity {intensity} was not live in time"));
}

/// Waits for an event of this type.
async fn until(events: &mut Events, kind: &str) -> Value {
    loop {
        let (next, event) = events.next().await;
        if next == kind {
            return event;
        }
    }
}

async fn change_through_one_node_is_live_at_the_other(nats: Option<NatsServer>) {
    let nodes = Nodes::start(nats).await;
    let mut at_b = nodes.at_b.events(&nodes.dsn).await;
    let mut at_a = nodes.at_a.events(&nodes.dsn).await;
    for intensity in 1..=4 {
        set_and_see(&nodes.at_a, &mut at_b, &nodes.dsn, intensity, LIVE).await;
    }
    for intensity in 5..=8 {
        set_and_see(&nodes.at_b, &mut at_a, &nodes.dsn, intensity, LIVE).await;
    }

    // A job.
    let row = nodes.at_a.get(&format!("/api/devices/dsns/{}", nodes.dsn)).await;
    let csps = nodes.at_a.get("/api/csps").await;
    let names = csps["csps"].as_array().unwrap().iter().map(|csp| &csp["name"]);
    let csp = names.into_iter().find(|name| **name != row["csp"]).unwrap();
    let job = nodes.at_a.put("/api/devices/csp", json!({ "dsns": [nodes.dsn], "csp": csp })).await;
    let progress = timeout(LIVE * 5, async {
        loop {
            let progress = until(&mut at_b, "job").await;
            if progress["state"] != "running" {
                return progress;
            }
        }
    });
    assert_eq!(progress.await.unwrap()["id"], job["id"]);

    // A sign-out.
    nodes.at_a.sign_out().await;
    let end = timeout(LIVE, until(&mut at_b, "end")).await.unwrap();
    assert_eq!(end["reason"], "signed_out");
}

async fn without_the_bus_only_liveness_is_missing(nats: Option<NatsServer>) {
    let mut nodes = Nodes::start(nats).await;
    let mut at_b = nodes.at_b.events(&nodes.dsn).await;
    let mut at_a = nodes.at_a.events(&nodes.dsn).await;
    set_and_see(&nodes.at_a, &mut at_b, &nodes.dsn, 1, LIVE).await;

    nodes.cut_bus().await;
    nodes.at_a.set(&nodes.dsn, json!({ "intensity": 2 })).await;
    let path = format!("/api/devices/dsns/{}", nodes.dsn);
    assert_eq!(nodes.at_b.get(&path).await["intensity"], 2, "the other node reads the change");
    nodes.at_b.set(&nodes.dsn, json!({ "intensity": 3 })).await;
    assert_eq!(nodes.at_a.get(&path).await["intensity"], 3);
    let later = Person::sign_in_at(nodes.b.url(), &nodes.demo.ready()["accounts"][0]).await;
    assert_eq!(later.at(nodes.a.url()).status("/api/devices").await, Some(200), "a new session is valid at both");

    nodes.restore_bus();
    let resyncs = async { tokio::join!(until(&mut at_a, "resync"), until(&mut at_b, "resync")) };
    timeout(BACK, resyncs).await.expect("readers of both nodes read again");
    set_and_see(&nodes.at_b, &mut at_a, &nodes.dsn, 4, LIVE).await;
    set_and_see(&nodes.at_a, &mut at_b, &nodes.dsn, 5, LIVE).await;
}

async fn lease_of_a_killed_node_moves_within_ten_seconds(nats: Option<NatsServer>) {
    let nodes = Nodes::start(nats).await;
    let holder = async || {
        let (holder,): (String,) = nodes.database.fetch_one("select holder from leases", params![]).await.unwrap();
        holder
    };
    let first = holder().await;
    let mut at_b = nodes.at_b.events(&nodes.dsn).await;
    nodes.a.kill();
    let taken_over = timeout(TAKEN_OVER, async {
        while holder().await == first {
            sleep(POLL_EVERY).await;
        }
    });
    taken_over.await.expect("the other node has the lease");
    // Another console's command reaches the index by the new holder only.
    let elsewhere = Person::sign_in(&nodes.demo, &nodes.demo.ready()["accounts"][0]).await;
    set_and_see(&elsewhere, &mut at_b, &nodes.dsn, 9, TAKEN_OVER).await;
}

macro_rules! on_each_bus {
    ($($test:ident),* $(,)?) => {
        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(None).await;
                }
            )*
        }
        mod nats {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(Some(super::NatsServer::start())).await;
                }
            )*
        }
    };
}

on_each_bus!(
    change_through_one_node_is_live_at_the_other,
    without_the_bus_only_liveness_is_missing,
    lease_of_a_killed_node_moves_within_ten_seconds,
);
