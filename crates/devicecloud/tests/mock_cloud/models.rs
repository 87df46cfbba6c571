//! Builders of models.

use devicecloud::model as models;
use devicecloud::testing::{Model, events, model};
use devicecloud::{Command, CommandState, ConnectionStatus, Device, DevicePage, StreamEvent, UserPage};
use serde_json::json;

fn default<T: Model>() -> T {
    model(json!({}))
}

#[test]
fn every_model_is_built_from_any_members() {
    let _: (models::Address, models::BlobDatapoint, models::ConnectionChange, models::Contact) =
        (default(), default(), default(), default());
    let _: (models::Datapoint, models::Datum, models::Location, models::Notification) =
        (default(), default(), default(), default());
    let _: (models::NotificationApp, models::Property, models::RoleLabel, models::RoleTag) =
        (default(), default(), default(), default());
    let _: (models::RoleUser, models::Rule, models::RuleAction, models::Schedule) =
        (default(), default(), default(), default());
    let _: (models::ScheduleAction, models::Share, models::ShareUserProfile, models::Subscription) =
        (default(), default(), default(), default());
    let _: (models::TimeZone, models::Trigger, models::TriggerApp, models::User) =
        (default(), default(), default(), default());
    let device: Device = model(json!({"dsn": "AC1", "connection_status": "Online", "data": [{"key": "floor"}]}));
    assert_eq!((device.dsn.as_str(), device.data[0].key.as_str()), ("AC1", "floor"));
    assert_eq!((device.connection_status, device.product_name), (ConnectionStatus::Online, None));
    let command: Command = model(json!({"state": "pending"}));
    assert_eq!(command.state, CommandState::Pending);
    let page: DevicePage = model(json!({"devices": [{"dsn": "AC1"}], "total": 40, "next_page": 2}));
    assert_eq!((page.devices.len(), page.total, page.next_page), (1, 40, Some(2)));
    let page: UserPage = model(json!([{"email": "jo@example.com"}]));
    assert_eq!(page.users[0].email, "jo@example.com");
    let at = "2026-11-20T10:00:00Z".parse().unwrap();
    let ack: StreamEvent = model(events::datapoint_ack("AC1", "fan", 2, 200, at));
    assert!(matches!(ack, StreamEvent::DatapointAck(event) if event.datapoint.ack_status == 200));
}

#[test]
#[should_panic(expected = "cannot be built from 7")]
fn model_of_another_shape_is_rejected() {
    let _: Device = model(json!(7));
}
