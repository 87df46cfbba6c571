//! Nodes of the cloud on one database.

use std::collections::BTreeSet;

use futures::future::join_all;
use jiff::SignedDuration;
use platform::db::{Db, Dialect, params};
use platform::run::random::Random;
use platform::store_suite;
use serde_json::json;

use super::{Node, node, report_of};
use crate::background;
use crate::devices::link::{ConnectError, ReportError};
use crate::operator::NewDevice;
use crate::records::message::Channel;
use crate::store::outbox::{self, NextMessages};
use crate::store::{commands, nodes};
use crate::stream::event;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

impl Node {
    /// The devices that are Online.
    async fn online(&self) -> Vec<String> {
        let sql = "select d.dsn from device d join device_state s on s.device_id = d.id where s.status = 'Online' order by d.dsn";
        let rows: Vec<(String,)> = self.db.fetch_all(sql, params![]).await.unwrap();
        rows.into_iter().map(|(dsn,)| dsn).collect()
    }

    /// The connection changes of all devices.
    async fn changes_of_all(&self) -> Vec<(String, String)> {
        let sql = "select d.dsn, c.status from connection_change c join device d on d.id = c.device_id order by c.id";
        self.db.fetch_all(sql, params![]).await.unwrap()
    }

    async fn connect(&self, dsn: &str) {
        self.link.connected(&self.device(dsn).await).await.unwrap();
    }
}

async fn dead_node_connects_no_device_until_it_has_a_new_identity(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let before = node.nodes.identity();
    node.die().await;
    assert!(matches!(node.link.connected(&device).await, Err(ConnectError::NodeIsDead)));
    assert!(node.online().await.is_empty());
    node.nodes.beat().await.unwrap();
    before.ended().await;
    assert!(matches!(node.link.connected(&device).await, Err(ConnectError::NodeIsDead)), "it signed in before");
    node.connect("DEV-A1").await;
    node.nodes.sweep().await.unwrap();
    node.nodes.beat().await.unwrap();
    assert_eq!(node.online().await, ["DEV-A1"]);
    assert!(nodes::dead(&node.db).await.unwrap().is_empty());
}

async fn node_whose_heartbeats_continued_is_not_declared_dead(db: Db) {
    let (node, other) = (node(db.clone()).await, node(db).await);
    let now = node.clock.now();
    let seen = nodes::others(&node.db, node.nodes.identity().id()).await.unwrap().remove(0);
    other.nodes.beat().await.unwrap();
    assert!(!nodes::declare_dead(&node.db, &seen.id, seen.beats, now).await.unwrap());
    assert!(nodes::declare_dead(&node.db, &seen.id, seen.beats + 1, now).await.unwrap());
    assert!(!nodes::declare_dead(&node.db, &seen.id, seen.beats + 1, now).await.unwrap(), "once");
}

async fn node_is_not_declared_dead_while_it_sets_a_device_online(db: Db) {
    let (node, other) = (node(db.clone()).await, node(db).await);
    let (now, id) = (node.clock.now(), other.nodes.identity().id().to_owned());
    // SQLite has one writer at a time.
    if node.db.dialect() == Dialect::Postgres {
        let mut tx = other.db.begin().await.unwrap();
        assert!(nodes::is_alive(&mut tx, &id).await.unwrap());
        assert!(!nodes::declare_dead(&node.db, &id, 0, now).await.unwrap());
        other.nodes.beat().await.unwrap();
        tx.commit().await.unwrap();
        assert!(!nodes::declare_dead(&node.db, &id, 0, now).await.unwrap());
        assert!(nodes::declare_dead(&node.db, &id, 1, now).await.unwrap());
    } else {
        assert!(nodes::declare_dead(&node.db, &id, 0, now).await.unwrap());
    }
    let mut tx = other.db.begin().await.unwrap();
    assert!(!nodes::is_alive(&mut tx, &id).await.unwrap());
}

async fn connections_of_a_dead_node_are_closed_once_by_all_others(db: Db) {
    let (dead, node, other) = (node(db.clone()).await, node(db.clone()).await, node(db).await);
    for dsn in ["DEV-A1", "DEV-A2", "DEV-B1"] {
        dead.connect(dsn).await;
    }
    node.connect("DEV-A2").await;
    let (mut events, mut others_events) = (node.bus.subscribe(event::SUBJECT), other.bus.subscribe(event::SUBJECT));
    dead.die().await;
    let (of_node, of_other) = tokio::join!(node.nodes.sweep(), other.nodes.sweep());
    of_node.and(of_other).unwrap();
    assert_eq!(node.online().await, ["DEV-A2"]);
    let closed: BTreeSet<_> = node.changes_of_all().await[3..].iter().cloned().collect();
    let offline = |dsn: &str| (dsn.to_owned(), "Offline".to_owned());
    assert_eq!(closed, BTreeSet::from([offline("DEV-A1"), offline("DEV-B1")]));
    assert_eq!(node.changes_of_all().await.len(), 5);
    let published = tokio::select! {
        published = node.events(&mut events, 1) => published,
        published = other.events(&mut others_events, 1) => published,
    };
    assert_eq!(published[0]["connection"]["status"], "Offline");
}

async fn many_connections_of_a_dead_node_are_closed_in_small_transactions(db: Db) {
    let (dead, node) = (node(db.clone()).await, node(db).await);
    let device = |n: usize| NewDevice {
        dsn: format!("DEV-X{n:04}"),
        template: "thing".into(),
        link_key: "key".into(),
        ..NewDevice::default()
    };
    let devices: Vec<NewDevice> = (0..=nodes::BATCH).map(device).collect();
    node.operator.add_devices(&node.world.oem, &devices).await.unwrap();
    let sql = "update device_state set status = 'Online', cloud_node_id = $1";
    node.db.execute(sql, params![dead.nodes.identity().id()]).await.unwrap();
    node.connect("DEV-A1").await;
    let mut tx = node.db.begin().await.unwrap();
    assert!(nodes::lock_orphaned(&mut tx, i64::MIN).await.unwrap().is_empty());
    drop(tx);
    dead.die().await;
    let mut tx = node.db.begin().await.unwrap();
    assert_eq!(nodes::lock_orphaned(&mut tx, i64::MIN).await.unwrap().len(), nodes::BATCH);
    drop(tx);
    node.nodes.sweep().await.unwrap();
    assert_eq!(node.online().await, ["DEV-A1"]);
    assert!(nodes::dead(&node.db).await.unwrap().is_empty());
}

async fn message_on_a_replaced_connection_changes_nothing(db: Db) {
    let (node, other) = (node(db.clone()).await, node(db).await);
    let older = node.device("DEV-A1").await;
    node.link.connected(&older).await.unwrap();
    let report = || report_of(vec![("fan".into(), json!(1))]);
    node.link.report(&older, report()).await.unwrap();
    let newer = other.device("DEV-A1").await;
    other.link.connected(&newer).await.unwrap();
    assert!(matches!(node.link.report(&older, report()).await, Err(ReportError::Replaced)));
    other.link.report(&newer, report()).await.unwrap();
    assert_eq!(node.history("DEV-A1", "fan").await.len(), 2);
}

async fn message_claimed_by_a_dead_node_is_sent_after_its_longest_attempt(db: Db) {
    let (dead, node) = (node(db.clone()).await, node(db).await);
    for recipient in ["ada@example.com", "otto@example.com"] {
        node.operator.write_test_message(&node.world.oem, recipient).await.unwrap();
    }
    node.db.execute("update outbox set state = 'waiting'", params![]).await.unwrap();
    let claim = async |by: &Node, most| {
        let (now, claim) = (by.clock.now(), by.nodes.identity().claim(&Random::system()));
        let next = NextMessages { channel: Channel::Email, most, last_oem: 0 };
        outbox::claim(&by.db, &claim, next, now, now + MINUTE * 5).await.unwrap().len()
    };
    assert_eq!((claim(&dead, 1).await, claim(&node, 1).await), (1, 1));
    dead.die().await;
    node.nodes.sweep().await.unwrap();
    node.clock.advance(MINUTE - SignedDuration::from_secs(1));
    assert_eq!(claim(&node, 9).await, 0, "the dead node may still be sending it");
    node.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(claim(&node, 9).await, 1, "a living node keeps its claim");
}

async fn command_expires_once_on_two_nodes(db: Db) {
    let (node, other) = (node(db.clone()).await, node(db).await);
    let fan = node.property("DEV-A1", "fan").await;
    node.command(&fan, &json!(2)).await;
    let (mut events, mut others_events) = (node.bus.subscribe(event::SUBJECT), other.bus.subscribe(event::SUBJECT));
    let now = node.clock.now() + SignedDuration::from_hours(2);
    let expired = join_all([node.commands.expire(now), other.commands.expire(now), node.commands.expire(now)]).await;
    expired.into_iter().for_each(Result::unwrap);
    node.bus.publish(event::SUBJECT, "end");
    other.bus.publish(event::SUBJECT, "end");
    let mut published = 0;
    for events in [&mut events, &mut others_events] {
        while let Some(platform::bus::Delivery::Message { payload, .. }) = events.next().await {
            let Some(some) = event::read(&payload) else { break };
            published += some.len();
        }
    }
    assert_eq!(published, 1);
}

async fn retention_of_two_nodes_deletes_each_datapoint_once(db: Db) {
    let (node, other) = (node(db.clone()).await, node(db).await);
    for value in 0..20 {
        node.report("DEV-A1", "fan", value).await;
    }
    let later = node.clock.now() + SignedDuration::from_hours(401 * 24);
    let cleared =
        join_all([&node, &other, &node, &other].map(|it| background::retention::clear(&it.db, later, super::SESSIONS)))
            .await;
    cleared.into_iter().for_each(Result::unwrap);
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(19)], "the newest value stays");
}

async fn late_commands_are_those_of_devices_at_this_node(db: Db) {
    let (node, other) = (node(db.clone()).await, node(db).await);
    node.connect("DEV-A1").await;
    other.connect("DEV-A2").await;
    for dsn in ["DEV-A1", "DEV-A2", "DEV-B1"] {
        node.command(&node.property(dsn, "fan").await, &json!(2)).await;
    }
    let since = node.clock.now() - MINUTE;
    for (at, dsn) in [(&node, "DEV-A1"), (&other, "DEV-A2")] {
        let recent: Vec<String> =
            at.link.recent_commands(since).await.unwrap().into_iter().map(|row| row.dsn).collect();
        assert_eq!(recent, [dsn]);
    }
    let unknown = commands::recent(&node.db, "no such node", since, node.clock.now()).await.unwrap();
    assert!(unknown.is_empty());
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        dead_node_connects_no_device_until_it_has_a_new_identity,
        node_whose_heartbeats_continued_is_not_declared_dead,
        node_is_not_declared_dead_while_it_sets_a_device_online,
        connections_of_a_dead_node_are_closed_once_by_all_others,
        many_connections_of_a_dead_node_are_closed_in_small_transactions,
        message_on_a_replaced_connection_changes_nothing,
        message_claimed_by_a_dead_node_is_sent_after_its_longest_attempt,
        command_expires_once_on_two_nodes,
        retention_of_two_nodes_deletes_each_datapoint_once,
        late_commands_are_those_of_devices_at_this_node,
    ]
);
