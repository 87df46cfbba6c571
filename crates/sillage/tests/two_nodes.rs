//! Two nodes of the cloud and two of the console work as one: changes cross them, and each can fail, as can NATS and PostgreSQL.

#![expect(clippy::duplicate_mod, reason = "the node and the console both use `disk.rs`")]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/build.rs"]
mod build;
#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[path = "support/load.rs"]
mod load;
#[path = "two_nodes/newer_version.rs"]
mod newer_version;
#[path = "support/node.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod node;
#[path = "two_nodes/schema.rs"]
mod schema;
#[path = "support/servers.rs"]
mod servers;
#[expect(dead_code, reason = "shared with other tests")]
mod support;
#[path = "two_nodes/upgrade.rs"]
mod upgrade;

use std::collections::BTreeSet;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use cluster::{A, B, Cluster, eventually, within};
use futures::future::join_all;
use load::Load;
use newer_version::BusNode;
use platform::db::{Db, Migrations, params};
use platform::testing::TestDb;
use schema::Schema;
use serde_json::json;
use servers::{Balanced, Balancer, free_addresses};
use support::{Events, Person};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);
/// The keep-alive of diffusers that do not come back, in seconds.
const KEEP_ALIVE: u16 = 10;

/// The person's session at each console.
fn at_both(cluster: &Cluster, person: &Person) -> [Person; 2] {
    [A, B].map(|node| person.at(cluster.console_url(node)))
}

/// A browser at one console sees a change through the other within a second.
async fn change_is_live(writer: &Person, reader: &Person, dsn: &str, intensity: i64) {
    let mut events = reader.events(dsn).await;
    writer.set(dsn, json!({ "intensity": intensity })).await;
    within(SECOND, "a change is live at the other console", events.contain(&format!("\"intensity\":{intensity}")))
        .await;
    carried_out(reader, dsn, intensity).await;
}

/// The lists of both consoles have a change as soon as its writer has an answer.
async fn lists_follow(both: &[Person; 2], dsn: &str) {
    for (writer, mode, name) in [(A, 1, "Off"), (B, 3, "24%2F7"), (A, 1, "Off"), (B, 3, "24%2F7")] {
        both[writer].set(dsn, json!({ "mode": mode })).await;
        for reader in [A, B] {
            let list = both[reader].get(&format!("/api/devices?dsn={dsn}&mode={name}")).await;
            assert_eq!(list["total"], 1, "{writer} {reader} {name}");
        }
    }
}

/// Changes a device until an event stream shows a change within a second.
async fn live_again(writer: &Person, dsn: &str, mut events: Events) {
    for intensity in (1..=40).cycle() {
        writer.set(dsn, json!({ "intensity": intensity })).await;
        let event = format!("\"intensity\":{intensity}");
        if timeout(SECOND, events.contain(&event)).await.is_ok() {
            return;
        }
    }
}

/// Gives a command to a simulated device and waits until the device has carried it out.
async fn obeys(person: &Person, dsn: &str, intensity: i64) {
    person.set(dsn, json!({ "intensity": intensity })).await;
    carried_out(person, dsn, intensity).await;
}

async fn carried_out(person: &Person, dsn: &str, intensity: i64) {
    let path = format!("/api/devices/dsns/{dsn}");
    let is_acknowledged = async || {
        let device = person.get(&path).await;
        device["intensity"] == intensity && device["commands"]["intensity"]["state"] == "acknowledged"
    };
    eventually("a device obeys", SECOND * 70, is_acknowledged).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_and_commands_reach_the_other_node_within_a_second() {
    let cluster = Cluster::start().await;
    let ada = at_both(&cluster, &cluster.administrator().await);
    let [dsn, ..] = &cluster.simulated[..] else { panic!("no devices") };
    for (writer, reader, intensity) in [(A, B, 21), (B, A, 22), (A, B, 23), (B, A, 24)] {
        change_is_live(&ada[writer], &ada[reader], dsn, intensity).await;
    }
    lists_follow(&ada, &cluster.unplugged[2]).await;

    for (near, far) in [(A, B), (B, A)] {
        let dsn = &cluster.unplugged[near];
        let mut device = cluster.connect(dsn, near, KEEP_ALIVE).await;
        device.subscribe().await;
        let cloud = cluster.at_cloud(far).await;
        for fan in [2, 3, 4] {
            cloud.command(dsn, "fan", json!(fan)).await;
            let received = within(SECOND, "a command reaches a device of the other cloud", device.next_command()).await;
            assert_eq!(received, ("fan".to_owned(), json!(fan)));
        }
        let mut watchers = [ada[A].events(dsn).await, ada[B].events(dsn).await];
        let mut reporting = cluster.connect(dsn, near, KEEP_ALIVE).await;
        reporting.report(json!({ "properties": { "intensity": 17 } }).to_string()).await.unwrap();
        for events in &mut watchers {
            within(SECOND, "a report is live", events.contain("\"intensity\":17")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn session_continues_at_the_other_console_and_survives_refreshes_by_both() {
    let mut cluster = Cluster::start().await;
    let ada = cluster.administrator().await;
    let both = at_both(&cluster, &ada);
    let devices = "/api/devices/dsns/".to_owned() + &cluster.simulated[0];
    for _ in 0..5 {
        let expire = "update session set access_expires_at = created_at where user_id in \
                      (select id from users where email = 'admin@sillage.example')";
        cluster.db.execute(expire, params![]).await.unwrap();
        let statuses = join_all((0..32).map(|number| both[number % 2].status(&devices))).await;
        assert_eq!(statuses, [Some(200); 32]);
    }
    let [_, survivor] = both;
    cluster.consoles[A].take().unwrap().kill();
    let begun = Instant::now();
    while begun.elapsed() < SECOND * 3 {
        assert_eq!(ada.status(&devices).await, Some(200), "the balancer uses the other console at once");
    }
    let dsn = &cluster.simulated[1];
    within(SECOND * 15, "changes are live at the other console", live_again(&ada, dsn, survivor.events(dsn).await))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_cloud_node_loses_no_acknowledged_write_and_sends_no_false_message() {
    let mut cluster = Cluster::start().await;
    let ada = cluster.administrator().await;
    let (gone, loaded) = cluster.unplugged.split_at(3);
    let (gone, loaded) = (gone.to_vec(), loaded.to_vec());
    for dsn in cluster.simulated.iter().chain(&gone).chain(&loaded[1..]) {
        let form = json!({
            "method": "email", "recipient": format!("{}@example.com", dsn.to_lowercase()), "events": { "disconnected": true },
        });
        ada.post(&format!("/api/devices/dsns/{dsn}/notifications"), form).await;
    }
    let mut staying_away = Vec::new();
    for dsn in &gone {
        staying_away.push(cluster.connect(dsn, A, KEEP_ALIVE).await);
    }
    let load = Load::start(&cluster, &ada, &loaded);
    load.acknowledges(300).await;
    cluster.clouds[A].take().unwrap().kill();
    let killed = Instant::now();
    let limit = Duration::from_secs((KEEP_ALIVE + 10).into());
    drop(staying_away);

    let offline = async || {
        for dsn in &gone {
            if cluster.is_online(dsn).await {
                return false;
            }
        }
        true
    };
    eventually("the devices that stay away are offline", limit - killed.elapsed(), offline).await;
    load.acknowledges(300).await;
    let simulated = join_all(cluster.simulated.iter().map(|dsn| obeys(&ada, dsn, 9)));
    within(Duration::from_secs(70), "the others obey the other node", simulated).await;
    cluster.consoles[A].take().unwrap().kill();
    load.acknowledges(100).await;

    // All delays have passed when no notification is due.
    let due = async || cluster.count("notification where due_at is not null").await == 0;
    eventually("the messages are written", Duration::from_secs(40), due).await;
    let recipients: BTreeSet<String> = gone.iter().map(|_| cluster.mail.next_recipient()).collect();
    assert_eq!(recipients, gone.iter().map(|dsn| format!("{}@example.com", dsn.to_lowercase())).collect());
    assert_eq!(cluster.count("outbox").await, gone.len(), "no false message and none twice");
    load.stop_and_verify(&cluster).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_nats_all_but_liveness_works_and_liveness_returns_with_it() {
    let mut cluster = Cluster::start().await;
    let ada = cluster.administrator().await;
    let both = at_both(&cluster, &ada);
    let (dsn, unplugged) = (cluster.simulated[0].clone(), cluster.unplugged.clone());
    let mut device = cluster.connect(&unplugged[0], A, 600).await;
    device.subscribe().await;
    let cloud = cluster.at_cloud(B).await;
    let load = Load::start(&cluster, &ada, &unplugged[1..5]);
    change_is_live(&both[A], &both[B], &dsn, 5).await;

    cluster.nats.stop();
    let down = Instant::now();
    lists_follow(&both, &unplugged[5]).await;
    let mut round = 10;
    while down.elapsed() < SECOND * 30 {
        round += 1;
        let [writer, reader] = if round % 2 == 0 { [&both[A], &both[B]] } else { [&both[B], &both[A]] };
        writer.set(&dsn, json!({ "intensity": round })).await;
        within(SECOND * 5, "a command is carried out without NATS", carried_out(reader, &dsn, round)).await;
        cloud.command(&unplugged[0], "fan", json!(round % 5 + 1)).await;
        within(SECOND * 5, "a command crosses the clouds without NATS", device.next_command()).await;
        load.acknowledges(10).await;
    }

    let events = both[B].events(&dsn).await;
    cluster.nats.restart();
    let crosses = async {
        cloud.command(&unplugged[0], "fan", json!(5)).await;
        device.next_command().await
    };
    let live = within(SECOND * 5, "changes are live again", live_again(&both[A], &dsn, events));
    tokio::join!(live, within(SECOND * 5, "commands cross the clouds again", crosses));
    load.stop_and_verify(&cluster).await;
    cluster.assert_running();
}

#[tokio::test(flavor = "multi_thread")]
async fn restart_of_postgres_under_load_loses_nothing_and_all_nodes_serve_again() {
    let mut cluster = Cluster::start().await;
    let ada = cluster.administrator().await;
    let both = at_both(&cluster, &ada);
    let load = Load::start(&cluster, &ada, &cluster.unplugged[..6]);
    load.acknowledges(200).await;
    cluster.postgres.crash_and_restart();
    let nodes =
        [A, B].map(|node| [cluster.clouds[node].as_ref().unwrap().url.clone(), cluster.console_url(node).to_owned()]);
    for url in nodes.as_flattened() {
        let ready = format!("{}/readyz", url.trim_end_matches('/'));
        let serves = async || reqwest::get(&ready).await.is_ok_and(|answer| answer.status() == 200);
        eventually("a node is ready again", SECOND * 30, serves).await;
    }
    load.acknowledges(200).await;
    let simulated = cluster.simulated.clone();
    for (person, intensity) in both.iter().zip([8, 9]) {
        let obeying = join_all(simulated.iter().map(|dsn| obeys(person, dsn, intensity)));
        within(Duration::from_secs(90), "all devices obey", obeying).await;
    }
    change_is_live(&both[A], &both[B], &simulated[0], 7).await;
    load.stop_and_verify(&cluster).await;
    cluster.assert_running();
}

#[tokio::test(flavor = "multi_thread")]
async fn restart_of_one_node_after_the_other_loses_nothing_and_reports_no_device_as_lost() {
    let mut cluster = Cluster::start().await;
    let ada = cluster.administrator().await;
    let loaded = cluster.unplugged[..6].to_vec();
    for dsn in cluster.simulated.iter().chain(&loaded[1..]) {
        let form = json!({ "method": "email", "recipient": "ada@example.com", "events": { "disconnected": true } });
        ada.post(&format!("/api/devices/dsns/{dsn}/notifications"), form).await;
    }
    let load = Load::start(&cluster, &ada, &loaded);
    for node in [A, B] {
        load.acknowledges(200).await;
        cluster.restart_cloud(node).await;
        load.acknowledges(200).await;
        cluster.restart_console(node);
    }
    load.acknowledges(200).await;
    let simulated = join_all(cluster.simulated.iter().map(|dsn| obeys(&ada, dsn, 9)));
    within(Duration::from_secs(90), "all devices obey", simulated).await;
    let due = async || cluster.count("notification where due_at is not null").await == 0;
    eventually("no loss is waiting to be reported", Duration::from_secs(40), due).await;
    assert_eq!(cluster.count("outbox").await, 0);
    load.stop_and_verify(&cluster).await;
    cluster.assert_running();
}

/// The newest migration of the last release of each server, up to which nodes of the version before may know the schema: those of 0.1.0.
const RELEASED: [(&str, &Migrations, usize); 2] =
    [("cloud", &cloud::MIGRATIONS, 1), ("console", &::console::MIGRATIONS, 1)];

#[tokio::test]
async fn migrations_since_the_last_release_only_add_to_the_schema() {
    for (server, migrations, released) in RELEASED {
        let (old, new) = (TestDb::postgres().await, TestDb::postgres().await);
        schema::migrate_up_to(&old, migrations, released).await;
        new.migrate(migrations).await.unwrap();
        let (old, new) = (Schema::read(&old).await, Schema::read(&new).await);
        assert_eq!(old.faults_of(&new), [""; 0], "{server}");
    }
}

#[tokio::test]
async fn change_that_breaks_statements_of_the_version_before_is_found() {
    for (change, fault) in [
        ("alter table item drop column name", "item.name is gone"),
        ("alter table item alter column name type varchar(9)", "item.name has another type"),
        ("alter table item alter column note set not null", "item.note is required"),
        ("alter table item add column size bigint not null", "the new item.size is required"),
        ("drop index item_name", "item is no longer unique: "),
        ("alter table item add check (name <> '')", "item refuses more rows: CHECK"),
        ("create unique index on item (note)", "item refuses more rows: "),
        ("drop table item cascade", "item.id is gone"),
    ] {
        let db = TestDb::postgres().await;
        for sql in [
            "create table item (id bigint primary key, name text not null, note text)",
            "create unique index item_name on item (name)",
        ] {
            db.execute(sql, params![]).await.unwrap();
        }
        let before = Schema::read(&db).await;
        let expansion = "alter table item add column size bigint unique, add column colour text not null default ''";
        let mut tx = db.begin().await.unwrap();
        tx.execute(expansion, params![]).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(before.faults_of(&Schema::read(&db).await), [""; 0]);
        db.execute("alter table item drop column size", params![]).await.unwrap();
        db.execute(change, params![]).await.unwrap();
        let faults = before.faults_of(&Schema::read(&db).await);
        assert!(faults.iter().any(|found| found.starts_with(fault)), "{change}: {faults:?}");
    }
}

#[test]
fn no_two_servers_of_a_test_get_the_same_address() {
    let addresses: [_; 500] = free_addresses();
    assert_eq!(BTreeSet::from(addresses).len(), 500);
}

#[tokio::test]
async fn balancer_keeps_nodes_whose_check_takes_a_second() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let [front, a, b, c, d, e, f, g, h] = free_addresses();
    let consoles = Balanced { front, nodes: [a, b] };
    let checks = watch::Sender::new(0);
    for address in consoles.nodes {
        let begun = checks.clone();
        let ready = move || {
            begun.send_modify(|begun| *begun += 1);
            // As while the database pauses.
            sleep(SECOND)
        };
        let node = Router::new().route("/readyz", get(ready)).route("/", get(async || "served"));
        let listener = TcpListener::bind(address).await.unwrap();
        tokio::spawn(async { axum::serve(listener, node).await });
    }
    let folder = tempfile::tempdir().unwrap();
    let (clouds, links) = (Balanced { front: c, nodes: [d, e] }, Balanced { front: f, nodes: [g, h] });
    let _balancer = Balancer::start(folder.path(), &consoles, &clouds, &links).await;
    // Two failed checks would take a node out.
    checks.subscribe().wait_for(|begun| *begun >= 8).await.unwrap();
    let response = reqwest::get(format!("http://{front}/")).await.unwrap();
    assert_eq!(response.text().await.unwrap(), "served");
}

#[tokio::test(flavor = "multi_thread")]
async fn running_nodes_drop_nothing_beside_nodes_of_a_newer_version() {
    let mut cluster = Cluster::start().await;
    let ada = cluster.administrator().await;
    let both = at_both(&cluster, &ada);
    let (dsn, unplugged) = (cluster.simulated[0].clone(), cluster.unplugged.clone());
    let consoles: Db = cluster.console_db().await;
    let load = Load::start(&cluster, &ada, &unplugged[..6]);
    load.acknowledges(200).await;
    for db in [&cluster.db, &consoles] {
        newer_version::expand(db).await;
    }
    newer_version::store_unknown_kinds(&cluster.db, &consoles).await;
    load.acknowledges(200).await;

    let clouds = BusNode::connect(&cluster.nats.url(), &cluster.db).await;
    let mut events = both[A].events(&dsn).await;
    for _ in 0..50 {
        clouds.publish_to_clouds(&dsn);
    }
    // It must stay until its message has been sent.
    let other_console = BusNode::connect(&cluster.nats.url(), &consoles).await;
    other_console.publish_to_consoles(&dsn);
    within(SECOND, "an unknown kind of event is a change", events.contain(r#""kind":"changed""#)).await;
    drop(other_console);

    // The nodes A know the schema of before, the nodes B start on that of the newer version.
    cluster.restart_cloud(B).await;
    cluster.restart_console(B);
    load.acknowledges(200).await;
    for (writer, reader, intensity) in [(A, B, 21), (B, A, 22)] {
        within(
            Duration::from_secs(60),
            "changes are live between the versions",
            live_again(&both[writer], &dsn, both[reader].events(&dsn).await),
        )
        .await;
        change_is_live(&both[writer], &both[reader], &dsn, intensity).await;
    }
    let simulated = join_all(cluster.simulated.iter().map(|dsn| obeys(&ada, dsn, 9)));
    within(Duration::from_secs(90), "all devices obey", simulated).await;
    newer_version::assert_unknown_kinds_are_kept(&cluster, &consoles).await;
    load.stop_and_verify(&cluster).await;
    cluster.assert_running();
}
