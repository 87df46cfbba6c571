//! Reports of devices, alone and in batches.

use std::collections::HashMap;
use std::ops::Range;

use futures::future::join_all;
use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;
use serde_json::{Value, json};

use super::{Node, node, report_of};
use crate::devices::link::ReportError;
use crate::operator::{Template, TemplateProperty};
use crate::stream::event;
use crate::{BaseType, Direction, Limits};

const DEVICES: [&str; 4] = ["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1"];

async fn report_of_a_strict_template_is_stored_whole_or_not_at_all(db: Db) {
    let node = node(db).await;
    node.operator.set_strict_reports(&node.world.oem, "thing", true).await.unwrap();
    let device = node.device("DEV-A1").await;
    let values = |name: &str, value| report_of(vec![("intensity".into(), json!(7)), (name.into(), value)]);
    let unknown = node.link.report(&device, values("no_such", json!(1))).await;
    let unknown = unknown.unwrap_err().to_string();
    assert_eq!(unknown, "value 2 of 2 is of a property that the device does not have");
    let bad = node.link.report(&device, values("hours", json!("many"))).await;
    let bad = bad.unwrap_err().to_string();
    assert_eq!(bad, "hours (value 2 of 2) is a text");
    assert_eq!(node.intensity().await.reported_value(), json!(20));
    node.link.report(&device, values("hours", json!(13))).await.unwrap();
    assert_eq!(node.intensity().await.reported_value(), json!(7));
}

/// Each device reports these values of `fan` concurrently.
async fn at_once(node: &Node, values: Range<usize>) -> Vec<Result<(), ReportError>> {
    let reports = DEVICES.map(async |dsn| {
        let device = node.device(dsn).await;
        join_all(values.clone().map(|n| node.link.report(&device, report_of(vec![("fan".into(), json!(n))])))).await
    });
    join_all(reports).await.into_iter().flatten().collect()
}

async fn concurrent_reports_are_stored_in_order_per_device(db: Db) {
    let node = node(db).await;
    for values in [0..25, 25..50, 50..75] {
        let reports = at_once(&node, values).await;
        assert!(reports.len() == 100 && reports.iter().all(Result::is_ok));
    }
    let expected: Vec<Value> = (0..75).map(|n| json!(n)).collect();
    for dsn in DEVICES {
        assert_eq!(node.history(dsn, "fan").await, expected, "{dsn}");
        assert_eq!(node.property(dsn, "fan").await.value(), json!(74), "{dsn}");
    }
}

async fn events_are_published_after_the_commit_in_order(db: Db) {
    let node = node(db).await;
    let mut events = node.bus.subscribe(event::SUBJECT);
    assert!(at_once(&node, 0..5).await.iter().all(Result::is_ok));
    let mut published: HashMap<String, Vec<Value>> = HashMap::new();
    for mut event in node.events(&mut events, 20).await {
        let dsn = event["metadata"]["dsn"].as_str().unwrap().to_owned();
        published.entry(dsn).or_default().push(event["datapoint"]["value"].take());
    }
    for dsn in DEVICES {
        assert_eq!(published[dsn], [0, 1, 2, 3, 4], "{dsn}");
    }
}

async fn failed_batch_is_rejected_whole_and_the_next_one_is_stored(db: Db) {
    let node = node(db).await;
    let mut events = node.bus.subscribe(event::SUBJECT);
    node.db.execute("alter table datapoint rename to away", params![]).await.unwrap();
    let refused = at_once(&node, 0..3).await;
    assert!(refused.iter().all(|report| matches!(report, Err(ReportError::Database(_)))), "{refused:?}");
    assert_eq!(node.property("DEV-A1", "fan").await.reported_value(), Value::Null);
    node.db.execute("alter table away rename to datapoint", params![]).await.unwrap();
    node.report("DEV-A1", "fan", 4).await;
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(4)]);
    let published = node.events(&mut events, 1).await;
    assert_eq!(published[0]["datapoint"]["value"], 4, "failed reports are not published");
}

async fn connected_device_can_report_a_property_added_to_its_template(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let gained = TemplateProperty {
        name: "gained".into(),
        display_name: "Gained".into(),
        base_type: BaseType::Integer,
        direction: Direction::Output,
        ack_enabled: false,
        retention_days: 1,
        limits: Limits::default(),
    };
    let template = Template { name: "thing".into(), properties: vec![gained], schedules: vec![] };
    node.operator.ensure_template(&node.world.oem, &template).await.unwrap();
    node.link.report(&device, report_of(vec![("gained".into(), json!(1))])).await.unwrap();
    assert_eq!(node.history("DEV-A1", "gained").await, [json!(1)]);
}

async fn clock_set_back_does_not_break_the_history(db: Db) {
    let node = node(db).await;
    node.report("DEV-A1", "fan", 1).await;
    let at = node.clock.now();
    node.clock.advance(SignedDuration::from_secs(-30));
    node.report("DEV-A1", "fan", 2).await;
    node.report("DEV-A2", "fan", 3).await;
    assert_eq!(node.history("DEV-A1", "fan").await, [json!(1), json!(2)]);
    let id = node.property("DEV-A1", "fan").await.id;
    let since = super::datapoints::newest(&node.db, id, super::datapoints::Span { since: at, until: at }, None, 10)
        .await
        .unwrap();
    assert_eq!(since.len(), 2, "both count as of the instant before the clock was set back");
    assert_eq!(node.property("DEV-A2", "fan").await.reported_at, Some(node.clock.now().as_microsecond()));
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        report_of_a_strict_template_is_stored_whole_or_not_at_all,
        concurrent_reports_are_stored_in_order_per_device,
        events_are_published_after_the_commit_in_order,
        failed_batch_is_rejected_whole_and_the_next_one_is_stored,
        connected_device_can_report_a_property_added_to_its_template,
        clock_set_back_does_not_break_the_history,
    ]
);
