//! The partitions of the history, on PostgreSQL only.

use jiff::SignedDuration;
use jiff::civil::Date;
use platform::db::{Db, params};
use platform::run::random::first_uuid_at;
use platform::testing::TestDb;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{Node, node};
use crate::background;
use crate::operator::HistoryPoint;
use crate::store::datapoints::{self, Span};
use crate::store::partitions;

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The retention of the template in [`World`](crate::testing::World).
const KEPT_DAYS: i32 = 400;

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
    pub(super) async fn import_days(&self, dsn: &str, property: &str, days: i32) {
        let point = |n: i32| HistoryPoint {
            dsn: dsn.into(),
            property: property.into(),
            value: value(n),
            at: self.clock.now() - DAY * (days - n),
        };
        self.operator.add_history(&self.world.oem, &(0..days).map(point).collect::<Vec<_>>()).await.unwrap();
    }

    async fn maintain(&self) {
        background::partitions::maintain(&self.db, self.clock.now()).await.unwrap();
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
    tokio::join!(node.maintain(), node.report("DEV-A1", "fan", 1));
    assert_eq!(node.filled().await, [table("default", 1)]);
    node.import_days("DEV-A2", "fan", 1).await;
    dump.commit().await.unwrap();
    node.maintain().await;
    assert_eq!(node.filled().await, [table("2026_11", 2)]);
}

#[tokio::test]
async fn lookup_by_id_reads_one_partition() {
    let test = partitioned().await;
    let node = node(test.db.clone()).await;
    node.import_days("DEV-A1", "fan", 100).await;
    // In small tables PostgreSQL uses no index.
    let more = "insert into datapoint
                select overlay(id placing lpad(to_hex(n), 12, '0') from 25), -1, null, '0', true, null, null, 0, null
                from datapoint, generate_series(1, 300) n";
    node.db.execute(more, params![]).await.unwrap();
    node.db.execute("analyze", params![]).await.unwrap();
    let id = node.property("DEV-A1", "fan").await.id;
    let rows = datapoints::newest(&node.db, id, Span::ALL, None, 3).await.unwrap();
    let chain = datapoints::newest_sql();
    let [first, second, third] = [0, 1, 2].map(|n| format!("'{}'", rows[n].id));
    for (sql, types, values) in [
        ("select value from datapoint where id = $1", "text", first),
        ("select b.value from datapoint d join datapoint b on b.id = d.previous where d.id = $1", "text", second),
        (
            &*chain,
            "bigint, bigint, bigint, bigint, text, text",
            format!("{id}, 0, {}, 3, {third}, '{}'", i64::MAX, uuid::Uuid::max()),
        ),
    ] {
        // PostgreSQL chooses between a plan for all values and one for those of an execution.
        for setting in ["force_generic_plan", "force_custom_plan"] {
            let mut tx = node.db.begin().await.unwrap();
            for statement in
                [format!("set local plan_cache_mode = {setting}"), format!("prepare lookup ({types}) as {sql}")]
            {
                tx.execute(AssertSqlSafe(statement), params![]).await.unwrap();
            }
            let explain = format!("explain (analyze, timing off, summary off) execute lookup({values})");
            let plan: Vec<(String,)> = tx.fetch_all(AssertSqlSafe(explain), params![]).await.unwrap();
            let read =
                plan.iter().filter(|(step,)| step.contains(" on datapoint_") && !step.contains("never executed"));
            let mut read = read.filter(|(step,)| !step.contains("datapoint_default")).peekable();
            assert!(read.peek().is_some() && read.all(|(step,)| step.contains("datapoint_2026_11")), "{plan:#?}");
            let begins_once = plan.iter().any(|(step,)| step.contains("CTE Scan on start"));
            assert!(begins_once || sql != chain, "{plan:#?}");
            tx.execute("deallocate lookup", params![]).await.unwrap();
        }
    }
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
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    let values: Vec<Value> = (80..100).map(value).collect();
    assert_eq!(node.history("DEV-A1", "fan").await, values);
    assert_eq!(node.history("DEV-A2", "fan").await, [json!(7)]);
    assert_eq!(node.history("DEV-A1", "intensity").await, [json!(9), json!(8)], "the command is pending");

    // A value that was kept is dropped with a later month when it is no longer the newest one.
    node.report("DEV-A2", "fan", 8).await;
    node.clock.advance(DAY * (KEPT_DAYS + 31));
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    assert_eq!(node.filled().await, [table("kept", 4)]);
    assert_eq!(node.history("DEV-A2", "fan").await, [json!(8)]);
}

#[tokio::test]
async fn months_begin_with_the_same_id_in_sql_and_in_rust() {
    let test = partitioned().await;
    for day in ["1970-01-31", "2026-11-01", "2026-12-31", "2028-02-29", "2999-07-15"] {
        let month = day.parse::<Date>().unwrap().first_of_month().in_tz("UTC").unwrap().timestamp();
        let sql = "select first_id_of_month(cast($1 as date))";
        let (id,): (String,) = test.db.fetch_one(sql, params![day]).await.unwrap();
        assert_eq!(id, first_uuid_at(month).to_string(), "{day}");
    }
}

/// Rights on rows.
const ROWS: &str = "grant select, insert, update, delete on all tables in schema public";
/// Rights to change partitions.
const PARTITIONS: &str = "grant execute on all functions in schema public";

/// Connects as a new role that cannot change the schema and has these rights.
async fn with_role(test: &TestDb, rights: &[&str]) -> Db {
    let role = format!("node_{}", test.url.rsplit('/').next().unwrap());
    let grants = rights.iter().map(|right| format!("{right} to {role}"));
    let revoke = "revoke create on schema public from public".to_owned();
    for statement in [format!("create role {role} login"), revoke].into_iter().chain(grants) {
        test.db.execute(AssertSqlSafe(statement), params![]).await.unwrap();
    }
    let (before, after) = test.url.split_once('@').unwrap();
    let (scheme, _) = before.rsplit_once('/').unwrap();
    Db::connect(&format!("{scheme}/{role}@{after}")).await.unwrap()
}

fn assert_denied<T: std::fmt::Debug>(result: platform::db::Result<T>) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains("permission denied"), "{error}");
}

#[tokio::test]
async fn role_that_cannot_change_the_schema_creates_and_drops_partitions() {
    let test = partitioned().await;
    let node = node(test.db.clone()).await;
    node.import_days("DEV-A1", "fan", 300).await;
    let restricted = with_role(&test, &[ROWS, PARTITIONS]).await;
    assert_denied(restricted.execute("create table another (id bigint)", params![]).await);
    let dropped = restricted.execute("drop table datapoint_default", params![]).await.unwrap_err();
    assert!(dropped.to_string().contains("must be owner"), "{dropped}");
    background::partitions::maintain(&restricted, node.clock.now()).await.unwrap();
    let ahead = node.clock.now() + DAY * 30 * i32::try_from(partitions::MONTHS_AHEAD).unwrap();
    assert!(node.has_table(&ahead.strftime("datapoint_%Y_%m").to_string()).await, "{ahead}");

    // The history begins on 24 January.
    let limit = node.clock.now() - DAY * 100;
    assert_eq!(partitions::drop_expired(&restricted, limit).await.unwrap(), 7);
    assert!(!node.has_table("datapoint_2026_07").await && node.has_table("datapoint_2026_08").await);
    restricted.close().await;
}

#[tokio::test]
async fn role_without_the_functions_stores_datapoints_and_changes_no_partition() {
    let test = partitioned().await;
    let restricted = with_role(&test, &[ROWS]).await;
    let node = node(test.db.clone()).await;
    assert_denied(background::partitions::maintain(&restricted, node.clock.now()).await);
    assert_denied(partitions::drop_expired(&restricted, node.clock.now()).await);
    let sql = "insert into datapoint (id, property_id, value, echo, created_at) values ('0', 1, '1', false, 0)";
    restricted.execute(sql, params![]).await.unwrap();
    assert_eq!(node.filled().await, [table("default", 1)]);
    restricted.close().await;
}

#[tokio::test]
async fn temporary_tables_of_a_role_do_not_take_the_place_of_the_history() {
    let test = partitioned().await;
    let node = node(test.db.clone()).await;
    node.maintain().await;
    let restricted = with_role(&test, &[ROWS, PARTITIONS]).await;
    let mut tx = restricted.begin().await.unwrap();
    for sql in [
        "create temporary table datapoint (id text) partition by range (id)",
        "create temporary table datapoint_default (id text)",
        "select create_history_month('2027-06-15')",
        "select drop_history_months('2026-12-15')",
    ] {
        tx.execute(sql, params![]).await.unwrap();
    }
    tx.commit().await.unwrap();
    restricted.close().await;
    let sql =
        "select inhrelid::regclass::text from pg_inherits where inhparent = 'public.datapoint'::regclass order by 1";
    let names: Vec<(String,)> = node.db.fetch_all(sql, params![]).await.unwrap();
    let names: Vec<&str> = names.iter().map(|(name,)| &**name).collect();
    let expected = ["2026_12", "2027_01", "2027_02", "2027_06", "default", "kept"];
    assert_eq!(names, expected.map(|name| format!("datapoint_{name}")));
}
