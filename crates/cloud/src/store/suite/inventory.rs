//! Devices that an operator blocks and removes.

use platform::db::Db;
use platform::db::params;
use platform::store_suite;
use serde_json::json;

use super::{node, report_of};
use crate::devices::link::{Authentication, ConnectError, RevokedRow};
use crate::operator::{ExistingDevice, NewDevice, OperatorError};
use crate::store::retention;
use crate::testing::device_key;

async fn revoked_sign_in_is_not_set_online_but_a_later_one_is(db: Db) {
    let node = node(db).await;
    let oem = &node.world.oem;
    let device = node.device("DEV-A1").await;
    assert_eq!(node.link.revoked().await.unwrap(), []);
    assert!(node.operator.block_device(oem, "DEV-A1").await.unwrap());
    assert!(!node.operator.block_device(oem, "DEV-A1").await.unwrap(), "it was blocked already");
    assert!(matches!(node.link.connected(&device).await, Err(ConnectError::Revoked)));
    assert!(!node.operator.device(oem, "DEV-A1").await.unwrap().0.online);
    let authentication = node.link.authenticate("DEV-A1", &device_key("DEV-A1")).await.unwrap();
    assert!(matches!(authentication, Authentication::Blocked(_)), "{authentication:?}");
    assert_eq!(node.link.revoked().await.unwrap(), [RevokedRow { dsn: "DEV-A1".into(), revocation: 1 }]);

    assert!(node.operator.unblock_device(oem, "DEV-A1").await.unwrap());
    assert!(!node.operator.unblock_device(oem, "DEV-A1").await.unwrap());
    assert!(
        matches!(node.link.connected(&device).await, Err(ConnectError::Revoked)),
        "the connection was signed in before the block"
    );
    let device = node.device("DEV-A1").await;
    assert_eq!(device.revocation(), 1);
    node.link.connected(&device).await.unwrap();

    let key = "0".repeat(64);
    node.operator.set_device_key(oem, "DEV-A1", &key.clone().into()).await.unwrap();
    assert!(matches!(node.link.connected(&device).await, Err(ConnectError::Revoked)));
    let authentication = node.link.authenticate("DEV-A1", &device_key("DEV-A1")).await.unwrap();
    assert!(matches!(authentication, Authentication::WrongKey(_)), "{authentication:?}");
    let authentication = node.link.authenticate("DEV-A1", &key).await.unwrap();
    assert!(matches!(&authentication, Authentication::Accepted(device) if device.revocation() == 2));
    node.clock.advance(jiff::SignedDuration::from_hours(1));
    assert_eq!(node.link.revoked().await.unwrap(), [], "every node has seen it");
}

async fn removed_device_is_deleted_with_all_its_data(db: Db) {
    let node = node(db).await;
    let (oem, dsn) = (&node.world.oem, "DEV-A1");
    let device = node.device(dsn).await;
    node.link.report(&device, report_of(vec![("fan".into(), json!(3))])).await.unwrap();
    let generation = node.link.connected(&device).await.unwrap();
    let refused = async |even_registered| node.operator.remove_device(oem, dsn, even_registered).await.unwrap_err();
    assert!(matches!(refused(false).await, OperatorError::RegisteredDevice(named) if named == dsn));
    assert!(matches!(refused(true).await, OperatorError::ConnectedDevice(named) if named == dsn));
    let (kept, partners) = node.operator.device(oem, dsn).await.unwrap();
    assert!(kept.registered_at.is_some() && !partners.is_empty(), "a refusal changes nothing");
    assert_eq!(node.history(dsn, "fan").await, [json!(3)]);

    node.link.disconnected(&device, generation).await.unwrap();
    node.operator.remove_device(oem, dsn, true).await.unwrap();
    assert!(matches!(node.operator.device(oem, dsn).await, Err(OperatorError::UnknownDevice(_))));
    // Datapoints have no foreign key to their property; retention deletes unreachable ones.
    let until = node.clock.now() + jiff::SignedDuration::from_hours(1);
    for days in retention::all(&node.db).await.unwrap() {
        while retention::clear(&node.db, days, until).await.unwrap() {}
    }
    let orphans = "select count(*) from datapoint where property_id not in (select id from property)";
    assert_eq!(node.db.fetch_one::<(i64,)>(orphans, params![]).await.unwrap(), (0,));
    assert!(matches!(node.link.connected(&device).await, Err(ConnectError::Revoked)));
    let dsns: Vec<String> = node.operator.devices(oem).await.unwrap().into_iter().map(|device| device.dsn).collect();
    assert!(dsns.len() == 4 && dsns.is_sorted() && !dsns.contains(&dsn.to_owned()), "{dsns:?}");
}

async fn existing_device_is_same_only_with_equal_key_template_and_oem(db: Db) {
    let node = node(db).await;
    let device = |dsn: &str, template: &str, key: &str| NewDevice {
        dsn: dsn.into(),
        template: template.into(),
        link_key: device_key(key).into(),
        ..NewDevice::default()
    };
    let devices = [
        device("NEW-1", "thing", "NEW-1"),
        device("DEV-A1", "thing", "DEV-A1"),
        device("DEV-A2", "thing", "DEV-A1"),
        device("DEV-B1", "other", "DEV-B1"),
    ];
    let existing = |dsn: &str, is_same| ExistingDevice { dsn: dsn.into(), is_same };
    let of = async |oem| node.operator.existing_devices(oem, &devices).await.unwrap();
    let expected = [existing("DEV-A1", true), existing("DEV-A2", false), existing("DEV-B1", false)];
    assert_eq!(of(&node.world.oem).await, expected);
    let other = node.operator.ensure_oem("Other").await.unwrap();
    assert!(of(&other).await.iter().all(|device| !device.is_same));
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        revoked_sign_in_is_not_set_online_but_a_later_one_is,
        removed_device_is_deleted_with_all_its_data,
        existing_device_is_same_only_with_equal_key_template_and_oem,
    ]
);
