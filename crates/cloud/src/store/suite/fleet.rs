//! Setup by the operator.

use platform::db::{Db, Dialect, params};
use platform::store_suite;
use serde_json::json;

use super::{node, report_of};
use crate::operator::OperatorError;
use crate::testing::{World, device_key};

async fn repeated_setup_keeps_existing_records(db: Db) {
    let node = node(db).await;
    node.link.report(&node.device("DEV-A1").await, report_of(vec![("fan".into(), json!(3))])).await.unwrap();
    let again = World::load(&node.operator).await;
    assert_eq!(again.oem, node.world.oem);
    assert_eq!(node.operator.device_count(&again.oem).await.unwrap(), 5);
    let reported = node.operator.reported_values(&again.oem).await.unwrap();
    assert_eq!(reported.len(), 5);
    let fan = ("fan".to_owned(), json!(3));
    assert!(reported.iter().any(|device| device.dsn == "DEV-A1" && device.values.contains(&fan)));
}

async fn hundreds_of_devices_are_added_in_batches(db: Db) {
    let node = node(db).await;
    let device = |n: usize| crate::operator::NewDevice {
        dsn: format!("MANY-{n:04}"),
        template: "thing".into(),
        link_key: device_key(&n.to_string()).into(),
        values: vec![("fan".into(), json!(n % 5))],
        labels: vec![("OEM::Partner::Admin".into(), "partner_id".into(), "A".into())],
        data: vec![("customer".into(), "C".into())],
        ..Default::default()
    };
    let devices: Vec<_> = (0..450).map(device).collect();
    assert_eq!(node.operator.add_devices(&node.world.oem, &devices).await.unwrap(), 450);
    if node.db.dialect() == Dialect::Postgres {
        let sql = "select reltuples::bigint from pg_class where oid = 'device'::regclass";
        let (estimate,): (i64,) = node.db.fetch_one(sql, params![]).await.unwrap();
        assert_eq!(estimate, 455, "the planner knows the number of devices");
    }
    assert_eq!(node.operator.add_devices(&node.world.oem, &devices[..3]).await.unwrap(), 0);
    assert_eq!(node.operator.device_count(&node.world.oem).await.unwrap(), 455);
    let wrong = crate::operator::NewDevice { template: "no such".into(), ..device(1000) };
    let error = node.operator.add_devices(&node.world.oem, &[wrong]).await.unwrap_err();
    assert!(matches!(error, OperatorError::UnknownTemplate(name) if name == "no such"));
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [repeated_setup_keeps_existing_records, hundreds_of_devices_are_added_in_batches,]
);
