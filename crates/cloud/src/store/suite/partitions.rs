//! The partitions of the history, on PostgreSQL only.

use jiff::SignedDuration;
use platform::db::params;
use platform::testing::TestDb;
use serde_json::{Value, json};

use super::{Node, node};
use crate::jobs;
use crate::operator::HistoryPoint;
use crate::store::partitions;

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The retention of the template in [`World`](crate::testing::World).
const KEPT_DAYS: i32 = 400;
/// Datapoints that one step of a move copies.
const STEP: i64 = 50;

async fn partitioned() -> TestDb {
    TestDb::postgres_with(crate::store::tests::migrated).await
}

impl Node {
    /// The partitions of the history that have rows, with their number.
    async fn filled(&self) -> Vec<(String, i64)> {
        let sql = "select tableoid::regclass::text, count(*) from datapoint group by 1 order by 1";
        self.db.fetch_all(sql, params![]).await.unwrap()
    }

    async fn has_table(&self, name: &str) -> bool {
        let sql = "select to_regclass($1) is not null";
        self.db.fetch_one::<(bool,)>(sql, params![name]).await.unwrap().0
    }

    /// Imports a [`value`] for each of the last days.
    async fn import_days(&self, dsn: &str, property: &str, days: i32) {
        let point = |n: i32| HistoryPoint {
            dsn: dsn.into(),
            property: property.into(),
            value: value(n),
            at: self.clock.now() - DAY * (days - n),
        };
        self.operator.add_history(&self.world.oem, &(0..days).map(point).collect::<Vec<_>>()).await.unwrap();
    }

    async fn maintain(&self) -> usize {
        jobs::partitions::maintain(&self.db, self.clock.now(), STEP).await.unwrap()
    }
}

/// The value of a day, within the limits of all properties.
fn value(day: i32) -> Value {
    json!(1 + day % 40)
}

fn table(name: &str, rows: i64) -> (String, i64) {
    (format!("datapoint_{name}"), rows)
}

#[tokio::test]
async fn partitions_exist_before_their_months_begin() {
    let test = partitioned().await;
    let node = node(test.db.clone()).await;
    node.maintain().await;
    for month in 0..15 {
        let now = node.clock.now();
        node.report("DEV-A1", "fan", month).await;
        let ahead = now + DAY * 30 * i32::try_from(partitions::MONTHS_AHEAD).unwrap();
        assert!(node.has_table(&ahead.strftime("datapoint_%Y_%m").to_string()).await, "{ahead}");
        // The job was down for most of the time ahead.
        node.clock.advance(DAY * 75);
        node.report("DEV-A2", "fan", month).await;
        node.maintain().await;
    }
    let filled = node.filled().await;
    assert_eq!(filled.iter().map(|(_, rows)| rows).sum::<i64>(), 30);
    assert!(filled.iter().all(|(name, _)| name.starts_with("datapoint_20")), "{filled:?}");
}

#[tokio::test]
async fn datapoint_of_a_month_without_partition_is_stored_and_moved_later() {
    let test = partitioned().await;
    let node = node(test.db.clone()).await;
    node.maintain().await;
    node.clock.advance(DAY * 365);
    node.report("DEV-A1", "fan", 1).await;
    node.clock.advance(DAY * 40);
    node.report("DEV-A1", "fan", 2).await;
    assert_eq!(node.filled().await, [table("default", 2)]);
    node.maintain().await;
    assert_eq!(node.filled().await, [table("2027_11", 1), table("2027_12", 1)]);
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(1), json!(2)]);
}

#[tokio::test]
async fn long_transaction_delays_partitions_and_fails_no_write() {
    let test = partitioned().await;
    let node = node(test.db.clone()).await;
    let mut dump = node.db.begin().await.unwrap();
    dump.execute("lock table datapoint in access share mode", params![]).await.unwrap();
    let (maintained, ()) = tokio::join!(node.maintain(), node.report("DEV-A1", "fan", 1));
    assert_eq!((maintained, node.filled().await), (0, vec![table("default", 1)]));
    node.import_days("DEV-A2", "fan", 1).await;
    dump.commit().await.unwrap();
    node.maintain().await;
    assert_eq!(node.filled().await, [table("2026_11", 2)]);
}

#[tokio::test]
async fn expired_months_are_dropped_and_needed_datapoints_stay() {
    let test = partitioned().await;
    let node = node(test.db.clone()).await;
    node.import_days("DEV-A1", "fan", 100).await;
    node.clock.advance(-DAY * 90);
    let intensity = node.intensity().await;
    node.report("DEV-A2", "fan", 7).await;
    node.command(&intensity, &json!(9)).await;
    node.clock.advance(DAY * 90);
    node.report("DEV-A1", "intensity", 8).await;

    // The limit is on 31 October, ten hours after midnight.
    node.clock.advance(DAY * (KEPT_DAYS - 20));
    let limit = node.clock.now() - DAY * KEPT_DAYS;
    assert_eq!(partitions::drop_expired(&node.db, limit).await.unwrap(), 2);
    assert_eq!(node.filled().await, [table("2026_10", 31), table("2026_11", 20), table("kept", 2)]);
    assert!(!node.has_table("datapoint_2026_08").await && !node.has_table("datapoint_2026_09").await);
    assert_eq!(partitions::drop_expired(&node.db, limit).await.unwrap(), 0);

    // The rest of the month is deleted row by row: retention is exact.
    jobs::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    let values: Vec<Value> = (80..100).map(value).collect();
    assert_eq!(node.history("DEV-A1", "fan").await, values);
    assert_eq!(node.history("DEV-A2", "fan").await, [json!(7)]);
    assert_eq!(node.history("DEV-A1", "intensity").await, [json!(9), json!(8)], "the command is pending");

    // A value that was kept is dropped with a later month when it is no longer the newest one.
    node.report("DEV-A2", "fan", 8).await;
    node.clock.advance(DAY * (KEPT_DAYS + 31));
    jobs::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    assert_eq!(node.filled().await, [table("kept", 4)]);
    assert_eq!(node.history("DEV-A2", "fan").await, [json!(8)]);
}
