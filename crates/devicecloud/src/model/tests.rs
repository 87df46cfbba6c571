use proptest::prelude::*;
use serde_json::{Value, json};

use super::item::{ItemReader, List};
use super::read::{self, Fields, FromWire};
use super::*;

/// All member names that the models read.
const MEMBERS: [&str; 80] = [
    "schedule",
    "schedule_action",
    "schedule_actions",
    "at_start",
    "users",
    "role",
    "share",
    "operation",
    "resource_type",
    "role_name",
    "user_profile",
    "start_date_at",
    "contact",
    "oem_models",
    "email_notification",
    "display_name",
    "location",
    "file",
    "closed",
    "datapoints",
    "meta",
    "device",
    "devices",
    "property",
    "properties",
    "datapoint",
    "user",
    "subscription",
    "datum",
    "data",
    "addr",
    "role_label",
    "role_labels",
    "label",
    "tags",
    "time_zone",
    "timezone",
    "role_tags",
    "custody",
    "key",
    "id",
    "dsn",
    "uuid",
    "value",
    "metadata",
    "command",
    "ack_status",
    "ack_message",
    "acked_at",
    "base_type",
    "connection_status",
    "connected_at",
    "lat",
    "lng",
    "long",
    "provider",
    "lan_enabled",
    "subscription_type",
    "total",
    "next_page",
    "stream_key",
    "connection",
    "event_time",
    "status",
    "notification_type",
    "threshold",
    "applications",
    "notification_app",
    "notification_app_parameters",
    "trigger",
    "trigger_apps",
    "compare_type",
    "triggered_at",
    "param1",
    "rule",
    "action_ids",
    "action",
    "type",
    "parameters",
    "email_to",
];

pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        prop::sample::select(vec![
            "boolean",
            "integer",
            "decimal",
            "string",
            "Online",
            "2026-11-20T10:00:00Z",
            "NaN",
            "1e999"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(prop::sample::select(MEMBERS.to_vec()), inner, 0..8).prop_map(|members| {
                Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

pub(crate) fn read_page(value: &Value) -> Option<DevicePage> {
    serde_json::from_str::<MaybePage>(&value.to_string()).unwrap().0
}

/// Streaming readers of large lists give the same result as readers of JSON trees.
fn same_from_text<M: ItemReader<Item: FromWire + PartialEq + std::fmt::Debug>>(value: &Value) {
    // Compared after a round trip through text, because the last digit of a number may differ.
    let text = json!([value, value]).to_string();
    let from_text = serde_json::from_str::<List<M>>(&text).unwrap().0;
    assert_eq!(from_text, read::many::<M::Item>(&serde_json::from_str(&text).unwrap()));
    assert!(serde_json::from_str::<List<M>>("7").unwrap().0.is_none());
}

fn read_as<T: FromWire + serde::Serialize + std::fmt::Debug>(value: &Value) {
    for item in read::one::<T>(value).into_iter().chain(read::many::<T>(value).unwrap_or_default()) {
        assert!(!format!("{item:?}").is_empty());
        serde_json::to_string(&item).expect("a model is written as JSON");
    }
}

proptest! {
    #[test]
    fn readers_never_panic(value in any_json()) {
        same_from_text::<DeviceReader>(&value);
        same_from_text::<PropertyReader>(&value);
        read_as::<Device>(&value);
        read_as::<Property>(&value);
        read_as::<Datapoint>(&value);
        read_as::<BlobDatapoint>(&value);
        read_as::<User>(&value);
        read_as::<Subscription>(&value);
        read_as::<Datum>(&value);
        read_as::<Contact>(&value);
        read_as::<Share>(&value);
        read_as::<ShareUserProfile>(&value);
        read_as::<Address>(&value);
        read_as::<RoleLabel>(&value);
        read_as::<RoleTag>(&value);
        read_as::<RoleUser>(&value);
        let _ = UserPage::read(&value);
        read_as::<TimeZone>(&value);
        read_as::<Location>(&value);
        read_as::<ConnectionChange>(&value);
        read_as::<Notification>(&value);
        read_as::<NotificationApp>(&value);
        read_as::<Trigger>(&value);
        read_as::<TriggerApp>(&value);
        read_as::<Rule>(&value);
        read_as::<RuleAction>(&value);
        read_as::<Schedule>(&value);
        read_as::<ScheduleAction>(&value);
        let _ = read_page(&value);
        let _ = DatapointPage::read(&value);
    }
}

#[test]
fn items_are_read_wrapped_and_bare() {
    let list = json!([{"device": {"key": 1, "dsn": "A"}}, {"key": "2", "dsn": "B"}, null, 7, "x"]);
    let devices = read::many::<Device>(&list).unwrap();
    let keys: Vec<_> = devices.iter().map(|device| device.key.as_str()).collect();
    assert_eq!(keys, ["1", "2"]);
}

#[test]
fn member_order_and_value_format_do_not_matter() {
    let text = r#"[{"property": {"value": 1, "name": "a\u0041", "base_type": "boolean", "name": "b\u0042", "x": [{}]}},
        {"command": {"value": "1"}, "value": "7", "ack_message": {"a": 1}, "key": "k", "base_type": "integer"},
        {"property": 7, "name": "bare"}, 7, null, ["x"], "text", true, 1.5, -1]"#;
    let properties = serde_json::from_str::<List<PropertyReader>>(text).unwrap().0.unwrap();
    let values: Vec<_> = properties.iter().map(|property| (property.name.as_str(), property.value.clone())).collect();
    let value = PropertyValue::Integer(7);
    assert_eq!(values, [("bB", Some(PropertyValue::Boolean(true))), ("", Some(value)), ("bare", None)]);
    assert_eq!(properties[1].command.as_ref().unwrap().value, Some(PropertyValue::Integer(1)));
    assert_eq!(properties[1].ack_message, AckMessage::Text(r#"{"a":1}"#.into()));
}

#[test]
fn missing_device_members_have_the_specified_defaults() {
    let device = read::one::<Device>(&json!({})).unwrap();
    assert_eq!(device.connection_status, ConnectionStatus::Offline);
    assert_eq!((device.user_id, device.template_id), (-1, -1));
    assert_eq!(device.registration_type, RegistrationType::None);
    assert!(device.key.is_blank() && device.dsn.is_blank());
}

#[test]
fn missing_connection_members_have_the_device_default() {
    let change = read::one::<ConnectionChange>(&json!({"connection": {}})).unwrap();
    assert_eq!((change.event_time, change.status), (None, ConnectionStatus::Offline));
    let change =
        read::one::<ConnectionChange>(&json!({"event_time": "2026-11-20T12:00:00Z", "status": "Initializing"}))
            .unwrap();
    assert_eq!((change.event_time, change.status.as_str()), ("2026-11-20T12:00:00Z".parse().ok(), "Initializing"));
}

#[test]
fn missing_datapoint_members_have_the_specified_defaults() {
    let datapoint = read::one::<Datapoint>(&json!({"datapoint": {}})).unwrap();
    assert_eq!((datapoint.ack(), datapoint.expired), (Ack::Pending, false));
    assert_eq!((datapoint.ack_status, datapoint.ack_message), (-1, AckMessage::Code(-1)));
    assert_eq!(datapoint.value, None);
}

#[test]
fn acknowledgement_is_read_by_time_status_and_expiry() {
    let at = "2026-11-20T10:00:03Z";
    let table = [
        (json!({}), Ack::Pending),
        (json!({"acked_at": null, "ack_status": null}), Ack::Pending),
        (json!({"ack_status": 200}), Ack::Pending),
        (json!({"expired": false}), Ack::Pending),
        (json!({"expired": true}), Ack::Expired),
        (json!({"acked_at": at}), Ack::Accepted),
        (json!({"acked_at": at, "ack_status": 0}), Ack::Accepted),
        (json!({"acked_at": at, "ack_status": 200, "ack_message": 3}), Ack::Accepted),
        (json!({"acked_at": at, "ack_status": "200"}), Ack::Accepted),
        (json!({"acked_at": at, "ack_status": 200, "expired": true}), Ack::Accepted),
        (json!({"acked_at": at, "ack_status": 1}), Ack::Refused(AckMessage::Code(-1))),
        (json!({"acked_at": at, "ack_status": 204}), Ack::Refused(AckMessage::Code(-1))),
        (json!({"acked_at": at, "ack_status": 422, "ack_message": 7}), Ack::Refused(AckMessage::Code(7))),
        (
            json!({"acked_at": at, "ack_status": 500, "ack_message": "hot"}),
            Ack::Refused(AckMessage::Text("hot".into())),
        ),
        (json!({"acked_at": at, "ack_status": 422, "expired": true}), Ack::Refused(AckMessage::Code(-1))),
    ];
    for (body, expected) in table {
        assert_eq!(read::one::<Datapoint>(&body).unwrap().ack(), expected, "{body}");
    }
}

#[test]
fn missing_blob_datapoint_members_have_the_specified_defaults() {
    let blob = read::one::<BlobDatapoint>(&json!({"datapoint": {"value": "http://x/apiv1/1"}})).unwrap();
    assert_eq!((blob.closed, blob.location.as_str(), blob.file.is_blank()), (false, "http://x/apiv1/1", true));
    let blob =
        read::one::<BlobDatapoint>(&json!({"location": "l", "value": "v", "file": "5ec2e7", "closed": 1})).unwrap();
    assert_eq!((blob.closed, blob.location.as_str(), blob.file.expose()), (true, "l", "5ec2e7"));
    assert!(
        !format!("{blob:?} {}", serde_json::to_string(&blob).unwrap()).contains("5ec2e7"),
        "the URL gives access to the file"
    );
}

#[test]
fn contact_has_the_specified_fields() {
    let contact = read::one::<Contact>(&json!({"contact": {
        "id": 71, "display_name": "Jo", "firstname": "Joanna", "lastname": "Doe", "email": "jo@example.com",
        "phone_country_code": "49", "phone_number": "5550100", "street_address": "1 Main Street", "zip_code": "75001",
        "country": "France", "email_notification": true, "sms_notification": false, "metadata": {"floor": [1, {"a": null}]},
        "notes": "Mornings", "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:01Z",
        "oem_models": ["thing-1", "thing-2"],
    }}));
    let contact = contact.unwrap();
    let expected = json!({
        "id": 71, "displayName": "Jo", "firstname": "Joanna", "lastname": "Doe", "email": "jo@example.com",
        "phoneCountryCode": "49", "phoneNumber": "5550100", "streetAddress": "1 Main Street", "zipCode": "75001",
        "country": "France", "emailNotification": true, "smsNotification": false, "metadata": {"floor": [1, {"a": null}]},
        "notes": "Mornings", "createdAt": "2026-11-20T10:00:00Z", "updatedAt": "2026-11-20T10:00:01Z",
        "oemModels": ["thing-1", "thing-2"],
    });
    assert_eq!(serde_json::to_value(&contact).unwrap(), expected);
    let debug = format!("{contact:?}");
    assert!(!["Jo", "jo@example.com", "5550100", "Main"].iter().any(|personal| debug.contains(personal)), "{debug}");
    let nothing = read::one::<Contact>(&json!({"oem_models": "thing-1", "metadata": null})).unwrap();
    assert!(nothing.id.is_blank() && nothing.oem_models.is_empty() && nothing.metadata.is_none());
}

#[test]
fn share_has_the_specified_fields() {
    let share = json!({"share": {
        "id": 81, "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:01Z", "status": "accepted",
        "owner_id": 1, "user_id": 2, "grant_id": 3, "user_email": "guest@example.com", "operation": "write",
        "resource_id": "AC000W000000001", "resource_name": "device", "resource_type": "device",
        "role": {"name": "OEM::Company::Dealer"}, "start_date_at": "2026-12-01T08:00:00Z", "end_date_at": "2026-12-24T18:30:00Z",
        "owner_profile": {"firstname": "Jo", "lastname": "Doe", "email": "jo@example.com"},
        "user_profile": {"first_name": "Zoë", "last_name": "Roe", "email": "guest@example.com"},
    }});
    let read_share = read::one::<Share>(&share).unwrap();
    let expected = json!({
        "id": 81, "createdAt": "2026-11-20T10:00:00Z", "updatedAt": "2026-11-20T10:00:01Z", "status": "accepted",
        "ownerId": 1, "userId": 2, "grantId": 3, "userEmail": "guest@example.com", "operation": "write",
        "resourceId": "AC000W000000001", "resourceName": "device", "resourceType": "device",
        "roleName": "OEM::Company::Dealer", "startDateAt": "2026-12-01T08:00:00Z", "endDateAt": "2026-12-24T18:30:00Z",
        "ownerProfile": {"firstName": "Jo", "lastName": "Doe", "email": "jo@example.com"},
        "userProfile": {"firstName": "Zoë", "lastName": "Roe", "email": "guest@example.com"},
    });
    assert_eq!(serde_json::to_value(&read_share).unwrap(), expected);
    let debug = format!("{read_share:?} {:?}", read_share.owner_profile);
    assert!(!["Jo", "Zoë", "@example.com"].iter().any(|personal| debug.contains(personal)), "{debug}");
}

#[test]
fn missing_share_members_mean_immediate_unlimited_and_no_role() {
    let share = |members| read::one::<Share>(&json!({ "share": members })).unwrap();
    let empty = share(json!({"resource_name": "device", "start_date_at": "", "end_date_at": "", "role": null}));
    assert_eq!((empty.start_date_at, empty.end_date_at, empty.role_name), (None, None, None));
    assert_eq!((empty.resource_type, empty.operation), (Some(ShareResourceType::Device), None));
    for status in ["accepted", "pending", "anything at all"] {
        assert_eq!(share(json!({ "status": status })).status.as_deref(), Some(status), "preserved");
    }
    assert_eq!(share(json!({"operation": "own"})).operation, Some(ShareOperation::Unknown("own".into())));
    assert_eq!(share(json!({"role_name": "Dealer"})).role_name.as_deref(), Some("Dealer"));
}

#[test]
fn address_is_read_from_addr() {
    let addr = json!({"street": "1 Main Street", "city": "Paris", "state": "IDF", "country": "France", "zip": "75001"});
    for address in [json!({"addr": addr}), addr.clone()] {
        let address = read::one::<Address>(&address).unwrap();
        assert_eq!(serde_json::to_value(&address).unwrap(), addr);
    }
    let nothing = read::one::<Address>(&json!({"addr": {"street": null, "more": [1]}})).unwrap();
    assert_eq!(nothing, Address::default());
}

#[test]
fn property_has_the_specified_fields() {
    let listed = json!([{"property": {
        "key": 7, "base_type": "integer", "value": 30, "metadata": {"by": "jo", "n": 2},
        "data_updated_at": "2026-11-20T10:00:00Z", "name": "intensity", "display_name": "Intensity", "direction": "input",
        "type": "Property", "read_only": false, "ack_enabled": true, "ack_status": 200, "ack_message": 1,
        "acked_at": "2026-11-20T10:00:01Z",
    }}]);
    let expected = json!({
        "key": 7, "baseType": "integer", "value": 30, "metadata": {"by": "jo", "n": "2"},
        "dataUpdatedAt": "2026-11-20T10:00:00Z", "name": "intensity", "displayName": "Intensity", "direction": "input",
        "type": "Property", "readOnly": false, "ackEnabled": true, "ackStatus": 200, "ackMessage": 1,
        "ackedAt": "2026-11-20T10:00:01Z", "lastUpdateSource": "CLOUD", "ackPollingMaxCount": 8, "ackPollingInterval": 1000,
        "reportedValue": null, "reportedAt": null, "command": null,
    });
    assert_eq!(serde_json::to_value(read::one::<Property>(&listed[0])).unwrap(), expected);
    assert_eq!(serde_json::to_value(read::many::<Property>(&listed)).unwrap(), json!([expected]));
}

#[test]
fn missing_property_members_have_the_specified_defaults() {
    let property = read::one::<Property>(&json!({})).unwrap();
    assert_eq!((property.ack_polling_max_count, property.ack_polling_interval_ms), (8, 1000));
    assert_eq!((property.ack_status, property.ack_message), (-1, AckMessage::Code(-1)));
}

#[test]
fn notification_has_the_specified_fields() {
    let app = json!({"id": 9, "app_type": "email", "nickname": "Jo", "notification_app_parameters": {
        "username": "Administrator", "email": "jo@example.com", "email_template_id": "t1", "email_subject": "Offline",
        "email_body_html": "<p>Offline</p>", "message": "It is offline", "country_code": "1", "phone_number": "5551234",
    }});
    let answer = json!([{"notification": {
        "id": 7, "url": "https://example.com/hook", "username": "hook", "password": "5ec2e7",
        "notification_type": "on_connection_lost", "message": "[[device_name]] is offline", "threshold": 300,
        "device_key": 41, "device_nickname": "Lobby", "user_id": 5, "user_uuid": "u-1", "asset": true,
        "applications": [{"notification_app": app}],
    }}]);
    let notification = read::many::<Notification>(&answer).unwrap().remove(0);
    assert_eq!(notification.password.expose(), "5ec2e7");
    let (threshold, asset): (Option<i64>, bool) = (notification.threshold, notification.asset);
    assert_eq!((threshold, asset), (Some(300), true));
    assert_eq!((notification.user_id.as_str(), notification.user_uuid.as_str()), ("5", "u-1"));
    let expected = json!({
        "id": 7, "url": "https://example.com/hook", "username": "hook", "notificationType": "on_connection_lost",
        "message": "[[device_name]] is offline", "threshold": 300, "deviceKey": 41, "deviceNickname": "Lobby", "userId": 5,
        "userUuid": "u-1", "asset": true, "applications": [{
            "id": 9, "appType": "email", "nickname": "Jo", "username": "Administrator", "email": "jo@example.com",
            "emailTemplateId": "t1", "emailSubject": "Offline", "emailBodyHtml": "<p>Offline</p>",
            "message": "It is offline", "countryCode": "1", "phone_number": "5551234",
        }],
    });
    assert_eq!(serde_json::to_value(&notification).unwrap(), expected);
}

#[test]
fn notification_app_is_read_flat_and_missing_members_are_empty() {
    let app = read::one::<NotificationApp>(&json!({"app_type": "sms", "phone_number": 5_551_234})).unwrap();
    assert_eq!((app.app_type, app.phone_number.as_deref()), (NotificationAppType::Sms, Some("5551234")));
    let bare = read::one::<Notification>(&json!({})).unwrap();
    assert!(
        bare.id.is_blank() && bare.device_key.is_blank() && bare.password.is_blank() && bare.applications.is_empty()
    );
    assert_eq!((bare.threshold, bare.asset, bare.notification_type.as_str()), (None, false, ""));
}

#[test]
fn unknown_notification_types_are_preserved() {
    for text in ["on_connect", "ip_change", "on_connection_lost", "on_connection_restore"] {
        let known = NotificationType::from(text);
        assert!(known.as_str() == text && !matches!(known, NotificationType::Unknown(_)), "{text}");
    }
    assert_eq!(NotificationType::from("on_fire"), NotificationType::Unknown("on_fire".into()));
    for text in ["on_connect", "ip_change", "on_connection_lost", "on_connection_restore", "on_fire"] {
        let read = read::one::<Notification>(&json!({"notification_type": text})).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap()["notificationType"], text);
    }
    for text in ["email", "sms", "push_ios", "push_android", "push_android_fcm", "push_baidu"] {
        let known = NotificationAppType::from(text);
        assert!(known.as_str() == text && !matches!(known, NotificationAppType::Unknown(_)), "{text}");
    }
}

#[test]
fn trigger_has_the_specified_fields() {
    let app = json!({
        "key": 12, "trigger_key": 11, "name": "sms", "repeat_freq": 60, "param1": "1", "param2": 4_145_550_100_i64,
        "param3": "Refill", "param4": "", "param5": null,
    });
    let answer = json!([{"trigger": {
        "key": 11, "trigger_type": "compare_absolute", "compare_type": "<", "value": 20, "base_type": "integer",
        "period": "always", "asset": true, "active": true, "triggered_at": "2026-11-20T10:00:00Z", "trigger_apps": [app],
    }}]);
    let trigger = read::many::<Trigger>(&answer).unwrap().remove(0);
    let expected = json!({
        "key": 11, "triggerType": "compare_absolute", "compareType": "<", "value": "20", "baseType": "integer",
        "period": "always", "asset": true, "active": true, "triggeredAt": "2026-11-20T10:00:00Z", "triggerApps": [{
            "key": 12, "triggerKey": 11, "name": "sms", "repeatFreq": 60, "param1": "1", "param2": "4145550100",
            "param3": "Refill", "param4": "", "param5": null,
        }],
    });
    assert_eq!(serde_json::to_value(&trigger).unwrap(), expected);
    assert!(!format!("{trigger:?}").contains("4145550100"));
    let bare = read::one::<Trigger>(&json!({})).unwrap();
    assert!(bare.key.is_blank() && !bare.asset && !bare.active && bare.trigger_apps.is_empty());
    assert_eq!((bare.compare_type, bare.value, bare.triggered_at), (None, None, None));
    for text in ["==", ">", "<", ">=", "<="] {
        assert!(!matches!(CompareType::from(text), CompareType::Unknown(_)), "{text}");
    }
}

#[test]
fn text_ack_message_is_preserved() {
    let read = |message: Value| read::one::<Datapoint>(&json!({"ack_message": message})).unwrap().ack_message;
    assert_eq!(read(json!("stuck")), AckMessage::Text("stuck".into()));
    assert_eq!(read(json!(7)), AckMessage::Code(7));
    assert_eq!(read(json!(null)), AckMessage::Code(-1));
}

#[test]
fn coordinates_are_read_from_text_and_number() {
    let device = read::one::<Device>(&json!({"lat": "44.769500", "lng": -93.5})).unwrap();
    assert_eq!((device.lat, device.lng), (Some(44.7695), Some(-93.5)));
    let device = read::one::<Device>(&json!({"lat": "north", "lng": "NaN"})).unwrap();
    assert_eq!((device.lat, device.lng), (None, None));
}

#[test]
fn role_label_is_read_flat_and_nested() {
    for json in [json!({"label": {"key": "partner_id", "value": 7}}), json!({"key": "partner_id", "value": "7"})] {
        let label = read::one::<RoleLabel>(&json).unwrap().label.unwrap();
        assert_eq!((label.key.as_str(), label.value.as_str()), ("partner_id", "7"));
    }
}

#[test]
fn time_zone_is_read_from_either_name() {
    for name in ["timezone", "time_zone"] {
        let zone = read::one::<TimeZone>(&json!({name: {"tz_id": "Asia/Tokyo", "utc_offset": "+09:00"}})).unwrap();
        assert_eq!((zone.tz_id.as_deref(), zone.utc_offset.as_deref()), (Some("Asia/Tokyo"), Some("+09:00")));
    }
}

#[test]
fn device_page_is_read_from_a_plain_array() {
    let page = read_page(&json!([{"device": {"key": 1}}])).unwrap();
    assert_eq!((page.total, page.current_page_number, page.next_page), (1, 1, None));
    assert!(read_page(&json!({"status": "ok"})).is_none());
}

#[test]
fn debug_output_contains_no_personal_data() {
    let user = User::from_wire(&Fields(json!({"email": "a@example.com", "phone": "5551234"}).as_object().unwrap()));
    let subscription = read::one::<Subscription>(&json!({"stream_key": "5ec2e7"})).unwrap();
    let notification = read::one::<Notification>(&json!({
        "password": "5ec2e7", "username": "a@example.com", "applications": [{"email": "a@example.com", "phone_number": "5551234"}],
    }))
    .unwrap();
    let debug = format!("{user:?} {subscription:?} {notification:?}");
    assert!(!debug.contains("example.com") && !debug.contains("5551234") && !debug.contains("5ec2e7"), "{debug}");
    assert!(!serde_json::to_string(&subscription).unwrap().contains("5ec2e7"));
    assert!(!serde_json::to_string(&notification).unwrap().contains("5ec2e7"));
}

#[test]
fn values_are_read_as_they_are_written() {
    fn assert_round_trip<T: PartialEq + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned>(
        values: &[T],
    ) {
        for value in values {
            let json = serde_json::to_string(value).unwrap();
            assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
        }
    }
    use RegistrationType as R;
    assert_round_trip(&[R::None, R::SameLan, R::ButtonPush, R::ApMode, R::Display, R::Dsn, R::Node, R::Local]);
    assert_round_trip(&[DataSource::Lan, DataSource::Cloud, DataSource::Dss, DataSource::Cached, DataSource::Local]);
    assert_round_trip(&[ConnectionStatus::Online, ConnectionStatus::Unknown("Asleep".to_owned())]);
    assert_round_trip(&[Label::new("partner_id", "A")]);
    assert_round_trip(&[PropertyValue::from(7), PropertyValue::from(0.5), PropertyValue::from("on")]);
    assert_round_trip(&[Dsn::from("AC000W000000001"), Dsn::from(7)]);
    assert_round_trip(&["2026-11-20T10:00:00.5Z".parse::<Time>().unwrap()]);
    assert_round_trip(&[AckMessage::Code(7), AckMessage::Text("busy".to_owned())]);
}
