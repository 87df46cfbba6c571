//! Chains of datapoints: reads and imports.

use jiff::{SignedDuration, Timestamp};
use platform::db::Db;
use platform::store_suite;
use serde_json::{Value, json};

use super::{Node, node};
use crate::operator::{HistoryPoint, OperatorError};
use crate::store::datapoints::{self, Span};

fn point(dsn: &str, property: &str, value: impl Into<Value>, at: Timestamp) -> HistoryPoint {
    HistoryPoint { dsn: dsn.into(), property: property.into(), value: value.into(), at }
}

/// Points one hour apart, the last one an hour ago.
fn hours(node: &Node, count: i64) -> Vec<HistoryPoint> {
    let at = |n: i64| node.clock.now() - SignedDuration::from_hours(count - n);
    (0..count).map(|n| point("DEV-A1", "fan", n, at(n))).collect()
}

async fn newest_datapoints_of_a_span_are_read_oldest_first(db: Db) {
    let node = node(db).await;
    node.operator.add_history(&node.world.oem, &hours(&node, 48)).await.unwrap();
    node.report("DEV-A1", "fan", 100).await;
    let id = node.property("DEV-A1", "fan").await.id;
    let ago = |hours| node.clock.now() - SignedDuration::from_hours(hours);
    let table = [
        (Timestamp::MIN, Timestamp::MAX, 3, vec![46, 47, 100]),
        (ago(2), Timestamp::MAX, 100, vec![46, 47, 100]),
        (Timestamp::MIN, ago(46), 2, vec![1, 2]),
        (ago(30), ago(28), 100, vec![18, 19, 20]),
        (ago(30), ago(28), 2, vec![19, 20]),
        (ago(28), ago(30), 100, vec![]),
    ];
    for (since, until, limit, expected) in table {
        let rows = datapoints::newest(&node.db, id, Span { since, until }, None, limit).await.unwrap();
        let values: Vec<Value> = rows.iter().map(datapoints::DatapointRow::value).collect();
        assert_eq!(values, expected, "{since} {until} {limit}");
        for row in rows {
            assert!(row.echo);
            let found = datapoints::find(&node.db, id, &row.id).await.unwrap().unwrap();
            assert_eq!((found.created_at, found.value()), (row.created_at, row.value()));
        }
    }
    let other = node.property("DEV-A1", "intensity").await.id;
    let newest = datapoints::newest(&node.db, id, Span::ALL, None, 1).await.unwrap();
    assert!(datapoints::find(&node.db, other, &newest[0].id).await.unwrap().is_none(), "another property's");
}

async fn imported_history_becomes_the_value_unless_a_newer_one_exists(db: Db) {
    let node = node(db).await;
    let (now, old) = (node.clock.now(), "2020-01-01T00:00:00Z".parse().unwrap());
    let points = [
        // Out of order: their times count.
        point("DEV-A1", "fan", 2, now),
        point("DEV-A1", "fan", "1", now - SignedDuration::from_hours(1)),
        // `World` set this value when it created the device.
        point("DEV-A1", "intensity", 7, old),
    ];
    node.operator.add_history(&node.world.oem, &points).await.unwrap();
    let fan = node.property("DEV-A1", "fan").await;
    assert_eq!((fan.value(), fan.reported_value(), fan.value_at), (json!(2), json!(2), Some(now.as_microsecond())));
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(1), json!(2)]);
    assert_eq!(node.intensity().await.value(), json!(20));
    assert_eq!(node.history("DEV-A1", "intensity").await, [json!(7)]);
}

async fn imported_history_is_stored_whole_or_rejected(db: Db) {
    let node = node(db).await;
    let now = node.clock.now();
    node.report("DEV-A2", "fan", 1).await;
    let hour = SignedDuration::from_hours(1);
    let good = point("DEV-A1", "fan", 1, now - hour);
    let table = [
        (point("NO-SUCH", "fan", 1, now), "no device \"NO-SUCH\""),
        (point("DEV-A1", "no_such", 1, now), "no_such of device \"DEV-A1\" is no property of its template"),
        (point("DEV-A1", "intensity", 51, now), "intensity of device \"DEV-A1\""),
        (point("DEV-A1", "fan", 1, now + hour), "is in the future"),
        (point("DEV-A2", "fan", 1, now - hour), "has a newer datapoint"),
    ];
    for (bad, expected) in table {
        let error = node.operator.add_history(&node.world.oem, &[good.clone(), bad]).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!matches!(error, OperatorError::Database(_)), "{error}");
    }
    assert_eq!(node.history("DEV-A1", "fan").await, [] as [Value; 0]);
    node.operator.add_history(&node.world.oem, &[]).await.unwrap();
}

async fn pending_command_takes_precedence_over_imported_history(db: Db) {
    let node = node(db).await;
    let fan = node.property("DEV-A1", "fan").await;
    node.clock.advance(SignedDuration::from_hours(-3));
    node.command(&fan, &json!(5)).await;
    node.clock.advance(SignedDuration::from_hours(3));
    node.operator.add_history(&node.world.oem, &hours(&node, 2)).await.unwrap();
    let fan = node.property("DEV-A1", "fan").await;
    assert_eq!((fan.value(), fan.reported_value()), (json!(5), json!(1)));
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(5), json!(0), json!(1)]);
}

async fn history_is_paged_from_any_datapoint_in_both_directions(db: Db) {
    let node = node(db).await;
    for value in 1..=5 {
        node.report("DEV-A1", "fan", value).await;
        node.clock.advance(SignedDuration::from_secs(1));
    }
    node.report("DEV-A2", "fan", 9).await;
    let id = node.property("DEV-A1", "fan").await.id;
    let all = datapoints::newest(&node.db, id, Span::ALL, None, 10).await.unwrap();
    let values =
        |rows: Vec<datapoints::DatapointRow>| rows.iter().map(datapoints::DatapointRow::value).collect::<Vec<_>>();
    let back = async |from: usize, limit| {
        values(datapoints::newest(&node.db, id, Span::ALL, Some(&all[from].id), limit).await.unwrap())
    };
    let forth = async |than: usize, limit| {
        values(datapoints::newer(&node.db, id, Span::ALL, &all[than].id, limit).await.unwrap())
    };
    assert_eq!(back(2, 2).await, [json!(2), json!(3)]);
    assert_eq!(back(0, 2).await, [json!(1)]);
    assert_eq!(forth(0, 2).await, [json!(2), json!(3)]);
    assert_eq!(forth(2, 9).await, [json!(4), json!(5)]);
    assert_eq!(forth(4, 9).await, [json!(null); 0]);
    let other = node.property("DEV-A2", "fan").await.id;
    assert!(datapoints::newest(&node.db, other, Span::ALL, Some(&all[2].id), 9).await.unwrap().is_empty());
    assert!(datapoints::is_outdated(&node.db, id, &all[3].id).await.unwrap());
    assert!(!datapoints::is_outdated(&node.db, id, &all[4].id).await.unwrap());
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        history_is_paged_from_any_datapoint_in_both_directions,
        newest_datapoints_of_a_span_are_read_oldest_first,
        imported_history_becomes_the_value_unless_a_newer_one_exists,
        imported_history_is_stored_whole_or_rejected,
        pending_command_takes_precedence_over_imported_history,
    ]
);
