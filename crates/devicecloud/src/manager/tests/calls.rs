//! Calls on a device and their preconditions.

use super::*;
use crate::error::ErrorKind;
use crate::model::{DataSource, NotificationType, PropertyValue, Schedule};
use crate::{Error, Result};

fn assert_error<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind, message: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.message()), (kind, message));
}

fn precondition<T: std::fmt::Debug>(result: Result<T>, message: &str) {
    assert_error(result, ErrorKind::Precondition, message);
}

async fn of(cloud: &TestCloud) -> (DeviceManager, ManagedDevice) {
    let manager = cloud.ready().await;
    let device = manager.device("A").unwrap();
    (manager, device)
}

/// Every call of a device with invalid arguments, so that preconditions must be reported first.
async fn device_calls(device: &ManagedDevice) -> [Result<()>; 10] {
    [
        device.rename(" ").await,
        device.update_location(100.0, 0.0).await,
        device.factory_reset().await,
        device.fetch_role_labels().await.map(drop),
        device.fetch_notifications().await.map(drop),
        device.fetch_datums().await.map(drop),
        device.fetch_schedules().await.map(drop),
        device.update_schedule(None).await.map(drop),
        device.enable_schedule(None).await.map(drop),
        device.disable_schedule(None).await.map(drop),
    ]
}

#[tokio::test(start_paused = true)]
async fn calls_without_a_device_manager_are_rejected() {
    let cloud = TestCloud::with(&["A", "B"]);
    let (manager, device) = of(&cloud).await;
    cloud.client.sign_out().await.unwrap();
    cloud.state().devices.remove("A");
    let removed = manager.device("B").unwrap();
    manager.stop();
    drop(manager);
    for device in [device, removed] {
        let property = device.property("intensity").unwrap();
        for result in device_calls(&device).await {
            precondition(result, "No device manager is available");
        }
        precondition(device.fetch_properties(&[]).await, "No device manager is available");
        precondition(device.update_property("", f64::NAN).await, "No device manager is available");
        precondition(property.create_datapoint(f64::NAN).send().await, "No device manager");
        drop(device);
        precondition(property.create_datapoint(f64::NAN).send().await, "No owner for this property");
        assert_eq!(property.snapshot(), None);
    }
    settle().await;
    assert_eq!(cloud.count("datapoints"), 0);
}

#[tokio::test(start_paused = true)]
async fn device_removed_from_the_list_has_no_device_manager() {
    let cloud = TestCloud::with(&["A", "B"]);
    let (_manager, device) = of(&cloud).await;
    cloud.state().devices.remove("A");
    tokio::time::sleep(16 * SECOND).await;
    precondition(device.update_property("intensity", 1).await, "No device manager is available");
}

#[tokio::test(start_paused = true)]
async fn calls_without_a_session_are_rejected() {
    let cloud = TestCloud::with(&["A"]);
    cloud.state().devices.get_mut("A").unwrap().0["key"] = Value::Null;
    let (_manager, device) = of(&cloud).await;
    cloud.client.sign_out().await.unwrap();
    let requests = cloud.script.seen().len();
    for result in device_calls(&device).await {
        precondition(result, "No session is active");
    }
    precondition(device.fetch_properties(&[]).await, "Session is not active");
    precondition(device.update_property("", f64::NAN).await, "Session is not active");
    let property = device.property("intensity").unwrap();
    precondition(property.create_datapoint(f64::NAN).send().await, "Session is not active");
    assert_eq!(cloud.script.seen().len(), requests);
    assert_eq!(device.snapshot().lat, None, "the local device did not change either");
}

#[tokio::test(start_paused = true)]
async fn fetching_properties_of_a_device_without_key_is_rejected() {
    let cloud = TestCloud::with(&["A"]);
    cloud.state().devices.get_mut("A").unwrap().0["key"] = Value::Null;
    let (_manager, device) = of(&cloud).await;
    let invalid = |result: Result<()>, message| assert_error(result, ErrorKind::InvalidArgument, message);
    invalid(device.fetch_properties(&[]).await.map(drop), "Device A does not have a key");
    invalid(device.update_location(1.0, 2.0).await, "Display key not found");
    invalid(device.rename("").await, "Display name is requried");
    invalid(device.rename("Lobby").await, "Device key is required");
    invalid(device.factory_reset().await, "Device key is required");
    assert_eq!(device.snapshot().lat, None);
}

#[tokio::test(start_paused = true)]
async fn managed_device_reads_updates_and_switches_schedules() {
    let cloud = TestCloud::with(&["A"]);
    let (_manager, device) = of(&cloud).await;
    let schedule = json!({"schedule": {"key": 7, "start_time_each_day": "08:00:00", "direction": "input"}});
    cloud.reply_with("/schedules", Reply::Status(200, json!([schedule])));
    let schedule = device.fetch_schedules().await.unwrap().remove(0);
    assert!(cloud.paths().last().unwrap().ends_with("apiv1/devices/40/schedules.json"));
    let later = Schedule { start_time_each_day: "09:00:00".to_owned(), ..schedule };
    device.update_schedule(later.clone()).await.unwrap();
    device.enable_schedule(later.clone()).await.unwrap();
    device.disable_schedule(Schedule { active: true, ..later }).await.unwrap();
    let seen = cloud.script.seen().split_off(cloud.script.seen().len() - 3);
    for (seen, active) in seen.iter().zip([false, true, false]) {
        assert!(seen.method == "PUT" && seen.url.ends_with("apiv1/devices/40/schedules/7.json"), "{}", seen.url);
        let sent = &seen.body["schedule"];
        assert_eq!((&sent["start_time_each_day"], &sent["active"]), (&json!("09:00:00"), &json!(active)));
    }
}

#[tokio::test(start_paused = true)]
async fn fetched_properties_are_filtered_by_name_and_merged() {
    let cloud = TestCloud::with(&["A"]);
    let (_manager, device) = of(&cloud).await;
    let mut events = device.events();
    cloud.state().set("A", "intensity", 30);
    let fetched = device.fetch_properties(&["intensity", "fan"]).await.unwrap();
    assert_eq!(fetched[0].value, Some(30.into()));
    assert!(cloud.paths().last().unwrap().ends_with("?names%5B%5D=intensity&names%5B%5D=fan"));
    assert!(matches!(
        next_of(&mut events).await,
        DeviceEvent::Changed(Change::Property { value: Some(PropertyValue::Integer(30)), .. })
    ));
    device.fetch_properties(&[]).await.unwrap();
    assert!(cloud.paths().last().unwrap().ends_with("A/properties.json"));
    assert!(received(&mut events).await.is_empty(), "nothing changed");
}

#[tokio::test(start_paused = true)]
async fn property_update_is_visible_immediately_unless_acknowledged() {
    for acknowledges in [false, true] {
        let cloud = TestCloud::with(&["A"]);
        let intensity = json!({"name": "intensity", "key": 1, "value": 1, "ack_enabled": acknowledges});
        cloud.state().devices.get_mut("A").unwrap().1.insert("intensity".into(), intensity);
        cloud.reply_with(
            "datapoints",
            Reply::Status(201, json!({"datapoint": {"id": "d", "value": 30, "created_at": NOW}})),
        );
        let (_manager, device) = of(&cloud).await;
        let mut events = device.events();
        let written = device.update_property("intensity", 30).await.unwrap();
        assert_eq!(written.id.as_str(), "d");
        let seen = cloud.script.seen().pop().unwrap();
        assert_eq!(seen.url, "https://cloud.test/device/apiv1/dsns/A/properties/intensity/datapoints");
        assert_eq!(seen.body, json!({"datapoint": {"value": 30}}));
        let value = device.property("intensity").unwrap().snapshot().unwrap().value;
        assert_eq!(value, Some(if acknowledges { 1 } else { 30 }.into()));
        assert_eq!(received(&mut events).await.is_empty(), acknowledges);
    }
}

#[tokio::test(start_paused = true)]
async fn rename_updates_the_device_after_the_cloud_accepted_it() {
    let cloud = TestCloud::with(&["A"]);
    let (_manager, device) = of(&cloud).await;
    cloud.reply_with("devices/40.json", Reply::Status(422, json!({"errors": {"product_name": ["is too long"]}})));
    assert_eq!(device.rename("Lobby").await.unwrap_err().status(), Some(422));
    assert_eq!(device.snapshot().product_name.as_deref(), Some("A"));
    cloud.reply_with("devices/40.json", Reply::Status(200, json!({})));
    let mut events = device.events();
    device.rename("Lobby").await.unwrap();
    assert_eq!(device.snapshot().product_name.as_deref(), Some("Lobby"));
    let DeviceEvent::Changed(Change::Field(fields)) = next_of(&mut events).await else { panic!("a change") };
    assert_eq!(fields.into_iter().collect::<Vec<_>>(), ["productName"]);
}

#[tokio::test(start_paused = true)]
async fn location_is_updated_locally_before_the_response() {
    let cloud = TestCloud::with(&["A"]);
    let (_manager, device) = of(&cloud).await;
    device.0.change_device(|device| device.last_update_source = DataSource::Dss);
    let mut events = device.events();
    cloud.reply_with("locations.json", Reply::Slow(2 * SECOND, 500, json!({"error": "broken"})));
    let updating = tokio::spawn({
        let device = device.clone();
        async move { device.update_location(48.5, 2.25).await }
    });
    settle().await;
    assert!(!updating.is_finished());
    let DeviceEvent::Changed(Change::Field(fields)) = next_of(&mut events).await else { panic!("a change") };
    assert_eq!(fields.into_iter().collect::<Vec<_>>(), ["lat", "lng"]);
    let error: Error = updating.await.unwrap().unwrap_err();
    assert_eq!((error.status(), error.message()), (Some(500), "broken"));
    let known = device.snapshot();
    assert_eq!((known.lat, known.lng, known.last_update_source), (Some(48.5), Some(2.25), DataSource::Cloud));
    tokio::time::sleep(16 * SECOND).await;
    assert_eq!(device.snapshot().lat, None, "the next list restores the location");
}

#[tokio::test(start_paused = true)]
async fn invalid_location_is_rejected_before_any_change() {
    let cloud = TestCloud::with(&["A"]);
    let (_manager, device) = of(&cloud).await;
    for (lat, lng) in [(90.1, 0.0), (-90.1, 0.0), (0.0, 180.1), (0.0, -180.1), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        assert_error(device.update_location(lat, lng).await, ErrorKind::InvalidArgument, "Invalid location");
        assert_eq!(device.snapshot().lat, None);
    }
    assert_eq!(cloud.count("locations"), 0);
}

#[tokio::test(start_paused = true)]
async fn factory_reset_fetches_the_list_again() {
    let cloud = TestCloud::with(&["A", "N"]);
    let (manager, device) = of(&cloud).await;
    cloud.reply_with("factory_reset", Reply::Status(403, json!({})));
    device.factory_reset().await.unwrap_err();
    settle().await;
    assert_eq!(cloud.count(LIST), 1, "a rejected reset does not fetch the list");
    cloud.reply_with("factory_reset", Reply::Status(200, json!({})));
    cloud.state().devices.remove("N");
    cloud.state().set("A", "intensity", 0);
    device.factory_reset().await.unwrap();
    settle().await;
    assert_eq!(cloud.count(LIST), 2);
    assert!(manager.device("N").is_none(), "nodes behind the device are no longer registered");
    assert_eq!(device.property("intensity").unwrap().snapshot().unwrap().value, Some(0.into()));
}

#[tokio::test(start_paused = true)]
async fn role_labels_and_data_send_list_changes() {
    let cloud = TestCloud::with(&["A"]);
    let (_manager, device) = of(&cloud).await;
    let mut events = device.events();
    let label = |id: i64, value: &str| json!({"role_label": {"id": id, "role_name": "Dealer", "label": {"key": "k", "value": value}}});
    let datum = |key: &str, value: &str| json!({"datum": {"key": key, "value": value}});
    cloud.reply_with("role_labels", Reply::Status(200, json!([label(1, "a"), label(2, "b")])));
    let notification = |id: i64, threshold: i64| json!({"notification": {"id": id, "threshold": threshold}});
    cloud.reply_with("notifications/all", Reply::Status(200, json!([notification(7, 300), notification(8, 300)])));
    cloud.reply_with("data.json", Reply::Status(200, json!([datum("x", "1")])));
    device.fetch_role_labels().await.unwrap();
    device.fetch_notifications().await.unwrap();
    device.fetch_datums().await.unwrap();
    device.fetch_datums().await.unwrap();
    assert_eq!((device.role_labels().len(), device.notifications().len(), device.datums().len()), (2, 2, 1));
    cloud.reply_with("role_labels", Reply::Status(200, json!([label(2, "b")])));
    cloud.reply_with("notifications/all", Reply::Status(200, json!([notification(7, 300), notification(8, 60)])));
    cloud.reply_with("data.json", Reply::Status(200, json!([datum("x", "2"), datum("y", "1")])));
    device.fetch_role_labels().await.unwrap();
    device.fetch_notifications().await.unwrap();
    device.fetch_notifications().await.unwrap();
    device.fetch_datums().await.unwrap();
    let events = received(&mut events).await.into_iter().map(|event| match event {
        DeviceEvent::Changed(Change::List { name, added, removed }) => {
            let added = added.into_iter().map(|item| match item {
                ListItem::RoleLabel(label) => label.id.to_string(),
                ListItem::Notification(notification) => notification.id.to_string(),
                ListItem::Datum(datum) => format!("{}={}", datum.key, datum.value),
            });
            (name, added.collect::<Vec<_>>().join(" "), removed.join(" "))
        }
        other => panic!("{other:?}"),
    });
    let expected = [
        ("roleLabels", "1 2", ""),
        ("notifications", "7 8", ""),
        ("data", "x=1", ""),
        ("roleLabels", "", "1"),
        ("notifications", "8", "8"),
        ("data", "x=2 y=1", "x"),
    ];
    let events: Vec<_> = events.collect();
    let events: Vec<_> =
        events.iter().map(|(name, added, removed)| (*name, added.as_str(), removed.as_str())).collect();
    assert_eq!(events, expected);
    tokio::time::sleep(16 * SECOND).await;
    let held = (device.role_labels().len(), device.notifications().len(), device.datums().len());
    assert_eq!(held, (1, 2, 2), "a list without these members keeps them");
}

#[tokio::test(start_paused = true)]
async fn managed_device_has_the_specified_parts() {
    let cloud = TestCloud::with(&["A"]);
    let (_manager, device) = of(&cloud).await;
    let mut listener = device.events();
    let notification = json!({"notification": {"id": 7, "notification_type": "on_connection_lost", "threshold": 300}});
    cloud.reply_with("role_labels", Reply::Status(200, json!([{"role_label": {"id": 1, "role_name": "Dealer"}}])));
    cloud.reply_with("notifications/all", Reply::Status(200, json!([notification])));
    cloud.reply_with("data.json", Reply::Status(200, json!([{"datum": {"key": "floor", "value": "2"}}])));
    let fetched = device.fetch_notifications().await.unwrap();
    device.fetch_role_labels().await.unwrap();
    device.fetch_datums().await.unwrap();
    let names: Vec<_> = device.properties().iter().map(|property| property.name().to_owned()).collect();
    assert_eq!(
        (names, device.property("intensity").is_some(), device.property("x").is_some()),
        (vec!["intensity".to_owned()], true, false)
    );
    assert_eq!(device.role_labels()[0].role_name, "Dealer");
    assert_eq!((device.notifications(), fetched[0].threshold), (fetched.clone(), Some(300)));
    assert_eq!(fetched[0].notification_type, NotificationType::OnConnectionLost);
    assert_eq!((device.datums()[0].key.as_str(), device.datums()[0].value.as_str()), ("floor", "2"));
    assert_eq!(received(&mut listener).await.len(), 3, "one change per list");
}
