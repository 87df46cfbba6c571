//! Chains of datapoints: reads and imports.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, params};
use platform::run::random::first_uuid_at;
use platform::store_suite;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{Node, node};
use crate::operator::{HistoryPoint, OperatorError};
use crate::store::datapoints::{self, DatapointRow, Span};

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

/// Datapoints of a long history, a minute apart.
const LONG: i64 = 3_000;
/// Distance, in datapoints, to the next datapoint in the sparse index is smaller than this.
const NEAR: i64 = 8 * 64;

/// A long history of DEV-A1. Its values are the numbers of its minutes.
async fn long_history(node: &Node) -> (i64, Vec<DatapointRow>) {
    let points: Vec<_> = (0..LONG).map(|n| point("DEV-A1", "fan", n, minute(node, n))).collect();
    node.operator.add_history(&node.world.oem, &points).await.unwrap();
    let id = node.property("DEV-A1", "fan").await.id;
    (id, datapoints::newest(&node.db, id, Span::ALL, None, LONG).await.unwrap())
}

fn minute(node: &Node, n: i64) -> Timestamp {
    node.clock.now() - SignedDuration::from_mins(LONG - n)
}

fn values(rows: &[DatapointRow]) -> Vec<Value> {
    rows.iter().map(DatapointRow::value).collect()
}

async fn far_part_of_a_history_is_read_without_most_of_what_is_newer(db: Db) {
    let node = node(db).await;
    let (id, all) = long_history(&node).await;
    // A chain that is followed through these datapoints ends there.
    let delete = "delete from datapoint where property_id = $1 and created_at > $2 and created_at < $3";
    let (near, last) = (minute(&node, 500 + NEAR), minute(&node, LONG - 1));
    assert!(node.db.execute(delete, params![id, near, last]).await.unwrap() > 1_000);
    let to = |n| Span { since: Timestamp::MIN, until: minute(&node, n) };
    let until = datapoints::newest(&node.db, id, to(500), None, 100).await.unwrap();
    assert_eq!(values(&until), values(&all[401..=500]));
    let narrow = Span { since: minute(&node, 495), ..to(500) };
    assert_eq!(values(&datapoints::newest(&node.db, id, narrow, None, 100).await.unwrap()), values(&all[495..=500]));
    let from = datapoints::newest(&node.db, id, to(300), Some(&all[500].id), 10).await.unwrap();
    assert_eq!(values(&from), values(&all[291..=300]));
    let newer = async |span, than: usize, limit| {
        values(&datapoints::newer(&node.db, id, span, &all[than].id, limit).await.unwrap())
    };
    assert_eq!(newer(Span::ALL, 300, 100).await, values(&all[301..=400]));
    assert_eq!(newer(Span::ALL, 300, 1).await, values(&all[301..=301]));
    assert_eq!(newer(to(310), 300, 100).await, values(&all[301..=310]));
    assert_eq!(newer(Span { since: minute(&node, 400), until: Timestamp::MAX }, 10, 5).await, values(&all[400..405]));
}

async fn every_page_of_a_long_history_is_complete_in_both_directions(db: Db) {
    let node = node(db).await;
    let (id, all) = long_history(&node).await;
    let mut back = Vec::new();
    let mut from: Option<String> = None;
    loop {
        let mut rows = datapoints::newest(&node.db, id, Span::ALL, from.as_deref(), 71).await.unwrap();
        let next = (rows.len() == 71).then(|| rows.remove(0).id);
        back.splice(0..0, rows);
        match next {
            Some(id) => from = Some(id),
            None => break,
        }
    }
    assert_eq!(values(&back), values(&all));
    let mut forth = all[..1].to_vec();
    loop {
        let rows = datapoints::newer(&node.db, id, Span::ALL, &forth[forth.len() - 1].id, 70).await.unwrap();
        if rows.is_empty() {
            break;
        }
        forth.extend(rows);
    }
    assert_eq!(values(&forth), values(&all));
}

async fn history_from_before_a_reset_is_not_found_through_the_index(db: Db) {
    let node = node(db).await;
    let (id, old) = long_history(&node).await;
    let device = node.found("DEV-A1").await.id;
    node.edits().factory_reset(device).await.unwrap();
    node.edits().factory_reset(device).await.unwrap();
    node.report("DEV-A1", "fan", 7).await;
    for until in [1_000, 2_000, LONG - 1] {
        let span = Span { since: Timestamp::MIN, until: minute(&node, until) };
        assert!(datapoints::newest(&node.db, id, span, None, 100).await.unwrap().is_empty());
    }
    let newer = datapoints::newer(&node.db, id, Span::ALL, &old[0].id, 1).await.unwrap();
    assert_eq!(values(&newer), [json!(7)]);
}

async fn beginning_of_a_far_page_is_searched_in_the_sparse_index(db: Db) {
    let node = node(db).await;
    let (id, all) = long_history(&node).await;
    let (far, end) = (first_uuid_at(minute(&node, 500)), i64::MAX);
    for (sql, values) in [
        (datapoints::newest_sql(), params![id, 0_i64, end, 100_i64, None::<String>, far]),
        (datapoints::indexed_after_sql(), params![id, &all[500].id, far, 2_i64]),
    ] {
        let plan: Vec<String> = match &node.db {
            Db::Sqlite { .. } => {
                let explain = AssertSqlSafe(format!("explain query plan {sql}"));
                let steps: Vec<(i64, i64, i64, String)> = node.db.fetch_all(explain, values).await.unwrap();
                steps.into_iter().map(|(.., step)| step).collect()
            }
            Db::Postgres(_) => {
                node.db.execute("analyze datapoint", params![]).await.unwrap();
                let explain = AssertSqlSafe(format!("explain {sql}"));
                let steps: Vec<(String,)> = node.db.fetch_all(explain, values).await.unwrap();
                steps.into_iter().map(|(step,)| step).collect()
            }
        };
        // On PostgreSQL the name of a partition's index.
        let indexes = ["ix_datapoint_sparse", "datapoint_2026_11_property_id_id_idx"];
        let searched = plan.iter().any(|step| indexes.iter().any(|index| step.contains(index)));
        assert!(searched && !plan.iter().any(|step| step.contains("Seq Scan on datapoint_2026")), "{plan:#?}");
    }
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        beginning_of_a_far_page_is_searched_in_the_sparse_index,
        every_page_of_a_long_history_is_complete_in_both_directions,
        far_part_of_a_history_is_read_without_most_of_what_is_newer,
        history_from_before_a_reset_is_not_found_through_the_index,
        history_is_paged_from_any_datapoint_in_both_directions,
        newest_datapoints_of_a_span_are_read_oldest_first,
        imported_history_becomes_the_value_unless_a_newer_one_exists,
        imported_history_is_stored_whole_or_rejected,
        pending_command_takes_precedence_over_imported_history,
    ]
);
