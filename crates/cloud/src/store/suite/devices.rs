//! Scopes and order of device lists.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;
use platform::testing::TestDb;
use sea_query::PostgresQueryBuilder;
use sqlx::AssertSqlSafe;

use super::{Node, node};
use crate::domain::policy::DeviceScope;
use crate::operator::NewDevice;
use crate::store::devices::{DeviceList, Listing};
use crate::store::key_pages::KeyedList;
use crate::store::{audience, device_columns, devices};
use crate::testing::World;

async fn scope_admits_the_same_devices_in_sql_and_in_memory(db: Db) {
    let node = node(db).await;
    node.share("DEV-A1", World::END_USER, [Some(1), Some(2)]).await.unwrap();
    node.share("DEV-B1", World::END_USER, [None, Some(3)]).await.unwrap();
    node.share("DEV-S1", World::END_USER, [None, None]).await.unwrap();
    node.share("DEV-U1", World::UNCONFIRMED, [Some(2), None]).await.unwrap();
    // An owner who is also a recipient sees the device once.
    node.share("DEV-U1", World::END_USER, [None, None]).await.unwrap();
    node.share("DEV-A2", World::PARTNER_ADMIN_B, [None, None]).await.unwrap();
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(compare(&node).await);
        node.clock.advance(SignedDuration::from_hours(1));
    }
    assert_eq!(seen[0], [vec!["DEV-B1", "DEV-U1"], vec![]]);
    assert_eq!(seen[1], [vec!["DEV-A1", "DEV-B1", "DEV-U1"], vec![]]);
    assert_eq!(seen[2], [vec!["DEV-B1", "DEV-U1"], vec!["DEV-U1"]]);
    assert_eq!(seen[3], [vec!["DEV-U1"], vec!["DEV-U1"]]);
}

/// Compares SQL and memory for every kind of caller. Returns the devices that the two callers without a role see.
async fn compare(node: &Node) -> [Vec<&'static str>; 2] {
    let listing = Listing { filters: vec![], key_after: None, order_by: device_columns::key(), descending: false };
    let mut seen = Vec::new();
    for email in [
        World::ADMIN,
        World::OBSERVER,
        World::PARTNER_ADMIN_A,
        World::PARTNER_ADMIN_B,
        World::END_USER,
        World::UNCONFIRMED,
    ] {
        let scope = node.scope(email).await;
        let rows = devices::list(&node.db, &scope, &listing, (100, 0)).await.unwrap();
        let in_sql: Vec<String> = rows.into_iter().map(|row| row.dsn).collect();
        let mut in_memory = Vec::new();
        for dsn in ["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1", "DEV-S1"] {
            let (id,): (i64,) = node.db.fetch_one("select id from device where dsn = $1", params![dsn]).await.unwrap();
            let mut tx = node.db.begin().await.unwrap();
            let origin = audience::origins(&mut tx, &[id]).await.unwrap().remove(&id).unwrap();
            if scope.admits(&origin.audience) {
                in_memory.push(dsn);
            }
        }
        assert_eq!(in_sql, in_memory, "{email}");
        assert_eq!(
            devices::count(&node.db, &scope, &listing, 101).await.unwrap(),
            i64::try_from(in_sql.len()).unwrap()
        );
        seen.push(in_memory);
    }
    assert!(devices::list(&node.db, &DeviceScope::Nothing, &listing, (100, 0)).await.unwrap().is_empty());
    [seen.remove(4), seen.remove(4)]
}

async fn lists_have_the_same_order_on_both_databases_with_nulls_last(db: Db) {
    let node = node(db).await;
    node.link.connected(&node.device("DEV-B1").await).await.unwrap();
    let scope = node.scope(World::ADMIN).await;
    let order_by = device_columns::find("connected_at").unwrap();
    for (descending, expected) in [(false, "DEV-B1"), (true, "DEV-S1")] {
        let listing = Listing { filters: vec![], key_after: None, order_by, descending };
        let rows = devices::list(&node.db, &scope, &listing, (10, 0)).await.unwrap();
        assert_eq!((rows.len(), &*rows[0].dsn), (5, expected));
    }
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        scope_admits_the_same_devices_in_sql_and_in_memory,
        lists_have_the_same_order_on_both_databases_with_nulls_last,
    ]
);

/// The number of rows that a step of an analyzed plan returns.
fn rows_read(step: &str) -> f64 {
    let Some((_, numbers)) = step.split_once("(actual rows=") else { return 0.0 };
    let (rows, loops) = numbers.trim_end_matches(')').split_once(" loops=").unwrap();
    rows.parse::<f64>().unwrap() * loops.parse::<f64>().unwrap()
}

#[tokio::test]
async fn page_after_a_key_reads_no_devices_before_it() {
    let test = TestDb::postgres().await;
    crate::store::tests::migrated(&test).await;
    let node = node(test.db.clone()).await;
    let device = |n| NewDevice { dsn: format!("DEV-{n:05}"), template: "thing".into(), ..NewDevice::default() };
    node.operator.add_devices(&node.world.oem, &(0..5_000).map(device).collect::<Vec<_>>()).await.unwrap();
    node.db.execute("analyze", params![]).await.unwrap();
    let scope = node.scope(World::ADMIN).await;
    let (key,) = node.db.fetch_one("select id from device where dsn = 'DEV-04800'", params![]).await.unwrap();
    let listing = Listing { filters: vec![], key_after: Some(key), order_by: device_columns::key(), descending: false };
    let page = devices::statement(&scope, &listing, (100, 0));
    let part = DeviceList { scope, listing: Listing { key_after: None, ..listing } }.after(Some(key)).limit(100).take();
    for statement in [page, part] {
        let sql = statement.to_string(PostgresQueryBuilder);
        let explain = AssertSqlSafe(format!("explain (analyze, timing off) {sql}"));
        let plan: Vec<(String,)> = node.db.fetch_all(explain, params![]).await.unwrap();
        let read: f64 = plan.iter().map(|(step,)| rows_read(step)).sum();
        assert!((100.0..2_000.0).contains(&read), "{read} rows: {plan:#?}");
    }
}
