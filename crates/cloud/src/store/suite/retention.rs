//! Retention of datapoints.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;
use serde_json::{Value, json};

use super::{Node, node};
use crate::background;
use crate::devices::link::AckOutcome;
use crate::operator::HistoryPoint;
use crate::store::retention;

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The retention of the template in [`World`].
const KEPT_DAYS: i32 = 400;

async fn days_pass(node: &Node, days: i32) {
    node.clock.advance(DAY * days);
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
}

async fn rows(node: &Node, table: &'static str) -> i64 {
    let sql = if table == "datapoint" { "select count(*) from datapoint" } else { "select count(*) from command" };
    node.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
}

async fn old_datapoints_are_deleted_but_the_last_value_stays(db: Db) {
    let node = node(db).await;
    for value in [1, 2, 3] {
        node.report("DEV-A1", "fan", value).await;
        node.clock.advance(DAY);
    }
    node.report("DEV-A2", "fan", 9).await;
    days_pass(&node, KEPT_DAYS - 2).await;
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(2), json!(3)]);
    days_pass(&node, 100).await;
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(3)], "the property's last value");
    node.report("DEV-A1", "fan", 4).await;
    node.report("DEV-A1", "fan", 5).await;
    days_pass(&node, 1).await;
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(3), json!(4), json!(5)]);
    // It is deleted when its successor is visited, and no row is left.
    days_pass(&node, KEPT_DAYS).await;
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(5)]);
    assert_eq!(node.property("DEV-A1", "fan").await.value(), json!(5));
    assert_eq!(rows(&node, "datapoint").await, 2);
}

async fn former_last_value_is_deleted_once_it_is_replaced(db: Db) {
    let node = node(db).await;
    node.report("DEV-A1", "fan", 1).await;
    days_pass(&node, KEPT_DAYS + 1).await;
    node.report("DEV-A1", "fan", 2).await;
    days_pass(&node, KEPT_DAYS + 1).await;
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(2)]);
    assert_eq!(rows(&node, "datapoint").await, 1, "though the second is the last value itself");
}

async fn retention_of_a_property_is_that_of_its_template(db: Db) {
    let node = node(db).await;
    node.db.execute("update template_property set retention_days = 2 where name = 'fan'", params![]).await.unwrap();
    for value in 0..10 {
        node.report("DEV-A1", "fan", value).await;
        node.report("DEV-A1", "intensity", value + 1).await;
        days_pass(&node, 1).await;
    }
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(8), json!(9)]);
    assert_eq!(node.history("DEV-A1", "intensity").await.len(), 10);
    node.db.execute("update template_property set retention_days = 3", params![]).await.unwrap();
    days_pass(&node, 0).await;
    assert_eq!(
        node.history("DEV-A1", "intensity").await.len(),
        3,
        "a shorter retention applies to existing datapoints"
    );
}

async fn settled_commands_are_deleted_and_pending_ones_stay(db: Db) {
    let node = node(db).await;
    let (device, intensity) = (node.device("DEV-A1").await, node.intensity().await);
    let acknowledged = node.command(&intensity, &json!(30)).await;
    assert_eq!(node.link.ack(&device, &acknowledged.id, 200, None).await.unwrap(), AckOutcome::Acknowledged);
    let fan = node.property("DEV-A1", "fan").await;
    let waiting = node.command(&fan, &json!(4)).await;
    node.report("DEV-A1", "fan", 1).await;
    node.report("DEV-A1", "intensity", 31).await;
    days_pass(&node, KEPT_DAYS + 1).await;
    assert_eq!((rows(&node, "command").await, rows(&node, "datapoint").await), (1, 3));
    // It is no longer delivered, but the device may still acknowledge it.
    assert_eq!(node.link.ack(&device, &waiting.id, 200, None).await.unwrap(), AckOutcome::Acknowledged);
    assert_eq!(node.property("DEV-A1", "fan").await.value(), json!(4));
}

async fn retention_visits_every_property_once_in_steps(db: Db) {
    let node = node(db).await;
    let count = i64::try_from(retention::BATCH).unwrap() * 2 + 500;
    let at = |n: i64| node.clock.now() - SignedDuration::from_mins(count - n);
    let points: Vec<HistoryPoint> = (0..count)
        .map(|n| HistoryPoint { dsn: "DEV-A1".into(), property: "fan".into(), value: json!(n), at: at(n) })
        .collect();
    node.operator.add_history(&node.world.oem, &points).await.unwrap();
    let days = i64::from(KEPT_DAYS);
    node.clock.advance(DAY * KEPT_DAYS);
    let until = node.clock.now() - DAY * KEPT_DAYS;
    let mut steps = vec![];
    loop {
        let more = retention::clear(&node.db, days, until).await.unwrap();
        steps.push(rows(&node, "datapoint").await);
        if !more {
            break;
        }
    }
    assert_eq!(steps, [1500, 500, 1]);
    assert!(!retention::clear(&node.db, days, until).await.unwrap());
    let (cleared_to,): (String,) =
        node.db.fetch_one("select cleared_to from retention where days = $1", params![days]).await.unwrap();
    let (newest,): (String,) = node.db.fetch_one("select max(id) from datapoint", params![]).await.unwrap();
    assert_eq!(cleared_to, newest, "it continues from there");
}

async fn history_imported_before_the_cleared_span_is_cleared_too(db: Db) {
    let node = node(db).await;
    node.report("DEV-A1", "fan", 1).await;
    node.report("DEV-A1", "fan", 2).await;
    days_pass(&node, KEPT_DAYS + 1).await;
    let at = node.clock.now() - DAY * (KEPT_DAYS + 5);
    let point =
        |n: i32| HistoryPoint { dsn: "DEV-B1".into(), property: "fan".into(), value: Value::from(n), at: at + DAY * n };
    node.operator.add_history(&node.world.oem, &[point(0), point(1), point(2)]).await.unwrap();
    days_pass(&node, 0).await;
    assert_eq!(node.history("DEV-B1", "fan").await, [json!(2)]);
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(2)]);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        old_datapoints_are_deleted_but_the_last_value_stays,
        former_last_value_is_deleted_once_it_is_replaced,
        retention_of_a_property_is_that_of_its_template,
        settled_commands_are_deleted_and_pending_ones_stay,
        retention_visits_every_property_once_in_steps,
        history_imported_before_the_cleared_span_is_cleared_too,
    ]
);
