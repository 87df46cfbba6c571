//! Edits of devices.

use jiff::tz::TimeZone;
use platform::db::Db;
use platform::store_suite;
use serde_json::json;

use super::{node, report_of};
use crate::devices::commands::CommandInput;
use crate::domain::location::{NewLocation, Provider};
use crate::domain::schedule::Plan;
use crate::operator::NewDevice;
use crate::store::devices::DeviceRef;
use crate::store::schedules::{self, Schedule};
use crate::store::{data, devices, labels};
use crate::stream::event;
use crate::testing::World;

async fn edit_changes_one_device_only(db: Db) {
    let node = node(db).await;
    let edits = node.edits();
    let scope = node.scope(World::ADMIN).await;
    let find = async |dsn| devices::find(&node.db, &scope, DeviceRef::Dsn(dsn)).await.unwrap().unwrap();
    let id = find("DEV-A1").await.id;
    edits.rename(id, "Lobby").await.unwrap();
    edits.set_time_zone(id, "DEV-A1", Some("Asia/Tokyo")).await.unwrap();
    edits.set_address(id, [Some("1 Main"), None, None, None, Some("69001")]).await.unwrap();
    edits.set_location(id, &NewLocation { lat: 1.5, lng: -2.5, provider: Provider::User }).await.unwrap();
    let changed = find("DEV-A1").await;
    assert_eq!((&*changed.product_name, changed.tz_id.as_deref()), ("Lobby", Some("Asia/Tokyo")));
    assert_eq!(
        (changed.street.as_deref(), changed.city, changed.zip.as_deref()),
        (Some("1 Main"), None, Some("69001"))
    );
    assert_eq!((changed.lat, changed.lng), (Some(1.5), Some(-2.5)));
    let neighbour = find("DEV-A2").await;
    assert_eq!((&*neighbour.product_name, neighbour.tz_id.as_deref()), ("Thing DEV-A2", Some("Europe/Paris")));
    assert_eq!((neighbour.city.as_deref(), neighbour.lat), (Some("Paris"), Some(48.864_716)));
}

async fn reset_gateway_keeps_its_labels_and_its_nodes_return_to_stock(db: Db) {
    let node = node(db).await;
    let edits = node.edits();
    let scope = node.scope(World::ADMIN).await;
    let node_of = |dsn: &str, registered| NewDevice {
        dsn: dsn.into(),
        template: "thing".into(),
        registered,
        gateway_dsn: Some("DEV-A1".into()),
        data: vec![("customer".into(), "Café".into())],
        values: vec![("fan".into(), json!(2))],
        ..NewDevice::default()
    };
    let nodes = [node_of("NODE-1", true), node_of("NODE-2", false)];
    node.operator.add_devices(&node.world.oem, &nodes).await.unwrap();
    node.command(&node.intensity().await, &json!(30)).await;
    let find = async |dsn| devices::find(&node.db, &scope, DeviceRef::Dsn(dsn)).await.unwrap().unwrap();
    let (gateway, first, second) = (find("DEV-A1").await.id, find("NODE-1").await.id, find("NODE-2").await.id);
    assert_eq!(devices::registered_nodes(&node.db, &scope, gateway).await.unwrap().len(), 1);

    let mut events = node.bus.subscribe(event::SUBJECT);
    edits.factory_reset(gateway).await.unwrap();
    assert_eq!(node.intensity().await.value(), json!(null));
    assert_eq!(node.intensity().await.command(), None);
    assert!(node.history("DEV-A1", "intensity").await.is_empty());
    assert!(node.link.pending_commands(&node.device("DEV-A1").await).await.unwrap().is_empty());
    assert_eq!(labels::of_devices(&node.db, &[gateway]).await.unwrap().len(), 3);
    assert!(find("DEV-A1").await.registered && !find("NODE-1").await.registered);
    assert!(data::of_devices(&node.db, &[first]).await.unwrap().is_empty());
    assert_eq!(data::of_devices(&node.db, &[second]).await.unwrap().len(), 1, "the second device was not registered");
    assert_eq!(node.property("NODE-1", "fan").await.value(), json!(null));
    let published = node.events(&mut events, 1).await;
    assert_eq!(published[0]["registration_event"]["dsn"], "NODE-1");
    // Later reports are stored as usual.
    node.report("DEV-A1", "intensity", 7).await;
    assert_eq!(node.history("DEV-A1", "intensity").await, [json!(7)]);
}

async fn resets_and_concurrent_reports_do_not_deadlock(db: Db) {
    let node = node(db).await;
    let edits = node.edits();
    let (device, other) = (node.device("DEV-A1").await, node.device("DEV-B1").await);
    let (one, two) = (node.intensity().await, node.property("DEV-B1", "intensity").await);
    for round in 0..10 {
        let command = node.command(&one, &json!(30)).await;
        let value = json!(round + 1);
        let report =
            |of| node.link.report(of, report_of(vec![("intensity".into(), value.clone()), ("fan".into(), json!(1))]));
        let give = async |property| {
            let input = CommandInput { property, value: value.clone(), metadata: None };
            node.commands.issue("user", &[input]).await
        };
        let (issued, also, acked, reported, and_other, reset, unregistered) = tokio::join!(
            give(&one),
            give(&two),
            node.link.ack(&device, &command.id, 200, None),
            report(&device),
            report(&other),
            edits.factory_reset(one.device_id),
            edits.unregister(two.device_id),
        );
        assert!(issued.is_ok() && also.is_ok() && acked.is_ok(), "{issued:?} {also:?} {acked:?}");
        assert!(reported.is_ok() && and_other.is_ok(), "{reported:?} {and_other:?}");
        assert!(reset.is_ok() && unregistered.is_ok(), "{reset:?} {unregistered:?}");
        // The shown value is the newest of the chain, or none.
        let (shown, history) = (node.intensity().await.value(), node.history("DEV-A1", "intensity").await);
        assert_eq!(shown.is_null(), history.is_empty(), "{shown} {history:?}");
    }
}

async fn time_zone_change_and_unregistration_do_not_deadlock(db: Db) {
    let node = node(db).await;
    let edits = node.edits();
    let device_id = node.intensity().await.device_id;
    let schedule = Schedule {
        name: "night".into(),
        display_name: "Night".into(),
        direction: schedules::INPUT.into(),
        active: true,
        fixed_actions: false,
        plan: Plan::default(),
    };
    for _ in 0..10 {
        let mut tx = node.db.begin().await.unwrap();
        schedules::insert(&mut tx, device_id, &schedule, &TimeZone::UTC, node.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        let (moved, unregistered) =
            tokio::join!(edits.set_time_zone(device_id, "DEV-A1", Some("Asia/Tokyo")), edits.unregister(device_id));
        assert!(moved.is_ok() && unregistered.is_ok(), "{moved:?} {unregistered:?}");
    }
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        time_zone_change_and_unregistration_do_not_deadlock,
        edit_changes_one_device_only,
        reset_gateway_keeps_its_labels_and_its_nodes_return_to_stock,
        resets_and_concurrent_reports_do_not_deadlock,
    ]
);
