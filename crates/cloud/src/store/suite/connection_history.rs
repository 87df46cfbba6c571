//! Connection history.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::background;
use crate::operator::ConnectionPoint;
use crate::store::connection_history::{ChangeRow, append, newest};
use crate::store::datapoints::Span;

const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Retention of changes.
const KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);

impl Node {
    /// The device's changes: hours since the start of the test, and whether it connected.
    async fn changes(&self, dsn: &str, span: Span, limit: i64) -> Vec<(i64, bool)> {
        let rows = newest(&self.db, self.property(dsn, "fan").await.device_id, span, limit).await.unwrap();
        let hours = |at: i64| platform::run::clock::from_micros(at).duration_since(begin()).as_hours();
        rows.iter().map(|row| (hours(row.at), row.status == "Online")).collect()
    }

    async fn all_changes(&self, dsn: &str) -> Vec<(i64, bool)> {
        self.changes(dsn, Span::ALL, i64::MAX).await
    }

    /// Connects and disconnects every hour, `times` times.
    async fn come_and_go(&self, dsn: &str, times: usize) {
        let device = self.device(dsn).await;
        for _ in 0..times {
            let generation = self.link.connected(&device).await.unwrap();
            self.clock.advance(HOUR);
            self.link.disconnected(&device, generation).await.unwrap();
            self.clock.advance(HOUR);
        }
    }
}

fn begin() -> Timestamp {
    "2026-11-20T10:00:00Z".parse().unwrap()
}

fn hours(hours: i64) -> Timestamp {
    begin() + HOUR * i32::try_from(hours).unwrap()
}

async fn connection_change_is_stored_once_and_takeover_is_not_a_change(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let first = node.link.connected(&device).await.unwrap();
    node.clock.advance(HOUR);
    let (second, third) = tokio::join!(node.link.connected(&device), node.link.connected(&device));
    let newest = second.unwrap().max(third.unwrap());
    node.link.disconnected(&device, first).await.unwrap();
    assert_eq!(node.all_changes("DEV-A1").await, [(0, true)]);
    node.clock.advance(HOUR);
    node.link.disconnected(&device, newest).await.unwrap();
    node.link.disconnected(&device, newest).await.unwrap();
    assert_eq!(node.all_changes("DEV-A1").await, [(0, true), (2, false)]);
    assert_eq!(node.all_changes("DEV-A2").await, []);
}

async fn span_starts_with_the_status_at_its_start(db: Db) {
    let node = node(db).await;
    node.come_and_go("DEV-A1", 3).await;
    node.come_and_go("DEV-A2", 1).await;
    let table = [
        (hours(2), hours(3), 100, vec![(2, true), (3, false)]),
        // The status at the start of the span is older than the span.
        (hours(2) + SignedDuration::from_secs(1), hours(4), 100, vec![(2, true), (3, false), (4, true)]),
        (hours(50), hours(60), 100, vec![(5, false)]),
        (hours(-2), hours(0), 100, vec![(0, true)]),
        (hours(-2), hours(-1), 100, vec![]),
        (hours(3), hours(2), 100, vec![]),
        // The newest changes.
        (hours(1), hours(5), 2, vec![(4, true), (5, false)]),
        (hours(1), hours(4), 2, vec![(3, false), (4, true)]),
    ];
    for (since, until, limit, expected) in table {
        assert_eq!(node.changes("DEV-A1", Span { since, until }, limit).await, expected, "{since} {until} {limit}");
    }
}

async fn devices_of_a_killed_node_go_offline_at_the_next_start(db: Db) {
    let node = node(db).await;
    node.link.connected(&node.device("DEV-A1").await).await.unwrap();
    node.come_and_go("DEV-A2", 1).await;
    node.die().await;
    node.nodes.sweep().await.unwrap();
    node.nodes.sweep().await.unwrap();
    assert_eq!(node.all_changes("DEV-A1").await, [(0, true), (2, false)]);
    assert_eq!(node.all_changes("DEV-A2").await, [(0, true), (1, false)]);
}

async fn connection_changes_stay_ordered_when_the_clock_is_set_back(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let generation = node.link.connected(&device).await.unwrap();
    node.clock.advance(-HOUR);
    node.link.disconnected(&device, generation).await.unwrap();
    assert_eq!(node.all_changes("DEV-A1").await, [(0, true), (0, false)]);
}

async fn old_changes_are_deleted_but_the_last_status_before_stays(db: Db) {
    let node = node(db).await;
    node.come_and_go("DEV-A1", 3).await;
    let quiet = node.device("DEV-A2").await;
    node.link.connected(&quiet).await.unwrap();
    let clear = async |at: Timestamp| {
        node.clock.advance((at + KEPT).duration_since(node.clock.now()));
        background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    };
    clear(hours(3)).await;
    assert_eq!(node.all_changes("DEV-A1").await, [(2, true), (3, false), (4, true), (5, false)]);
    clear(hours(1000)).await;
    assert_eq!(node.all_changes("DEV-A1").await, [(5, false)]);
    assert_eq!(node.all_changes("DEV-A2").await, [(6, true)], "it is still connected");
}

async fn old_changes_are_deleted_in_small_transactions(db: Db) {
    let node = node(db).await;
    let device_id = node.property("DEV-A1", "fan").await.device_id;
    let change = |n: i64| ChangeRow { device_id, status: ["Online", "Offline"][usize::from(n % 2 == 1)].into(), at: n };
    let mut tx = node.db.begin().await.unwrap();
    append(&mut tx, &(0..1500).map(change).collect::<Vec<_>>()).await.unwrap();
    tx.commit().await.unwrap();
    let left = async || {
        let sql = "select count(*) from connection_change";
        node.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
    };
    assert!(crate::store::connection_history::clear(&node.db, begin()).await.unwrap());
    assert_eq!(left().await, 500);
    assert!(!crate::store::connection_history::clear(&node.db, begin()).await.unwrap());
    assert_eq!(left().await, 1);
}

async fn reset_device_has_no_connection_history(db: Db) {
    let node = node(db).await;
    let edits = node.edits();
    for dsn in ["DEV-A1", "DEV-A2", "DEV-B1"] {
        node.come_and_go(dsn, 1).await;
    }
    node.link.connected(&node.device("DEV-B1").await).await.unwrap();
    node.clock.advance(HOUR);
    for dsn in ["DEV-A1", "DEV-B1"] {
        edits.unregister(node.property(dsn, "fan").await.device_id).await.unwrap();
    }
    assert_eq!(node.all_changes("DEV-A1").await, [(7, false)]);
    assert_eq!(node.all_changes("DEV-B1").await, [(7, true)], "it is still connected");
    assert_eq!(node.all_changes("DEV-A2").await, [(2, true), (3, false)], "another device's history");
}

async fn imported_changes_are_added_once_and_before_existing_ones(db: Db) {
    let node = node(db).await;
    let (oem, operator) = (&node.world.oem, &node.operator);
    let point = |dsn: &str, at, online| ConnectionPoint { dsn: dsn.into(), online, at: hours(at) };
    let past = [
        // Out of order, and one that does not change the status.
        point("DEV-A1", -3, false),
        point("DEV-A1", -5, true),
        point("DEV-A2", -4, true),
        point("DEV-A1", -4, true),
    ];
    for _ in 0..2 {
        operator.add_connections(oem, &past).await.unwrap();
        assert_eq!(node.all_changes("DEV-A1").await, [(-5, true), (-3, false)]);
        assert_eq!(node.all_changes("DEV-A2").await, [(-4, true)]);
    }
    node.come_and_go("DEV-A1", 1).await;
    operator.add_connections(oem, &[point("DEV-A1", 1, true), point("DEV-A1", 2, true)]).await.unwrap();
    assert_eq!(node.all_changes("DEV-A1").await, [(-5, true), (-3, false), (0, true), (1, false), (2, true)]);
    for (bad, expected) in [
        (point("NO-SUCH", -1, true), "no device \"NO-SUCH\""),
        (point("DEV-A2", 3, false), "connection_status of device \"DEV-A2\""),
    ] {
        let error = operator.add_connections(oem, &[point("DEV-B1", -1, true), bad]).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(node.all_changes("DEV-B1").await, []);
    operator.add_connections(oem, &[]).await.unwrap();
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        connection_change_is_stored_once_and_takeover_is_not_a_change,
        span_starts_with_the_status_at_its_start,
        devices_of_a_killed_node_go_offline_at_the_next_start,
        connection_changes_stay_ordered_when_the_clock_is_set_back,
        old_changes_are_deleted_but_the_last_status_before_stays,
        old_changes_are_deleted_in_small_transactions,
        reset_device_has_no_connection_history,
        imported_changes_are_added_once_and_before_existing_ones,
    ]
);
