//! Managed sessions: devices, live data, and their failures.

use std::time::Duration;

use devicecloud::manager::{DeviceEvent, ManagedProperty, SessionManager};
use devicecloud::testing::{Fault, MockCloud, events};
use devicecloud::{Endpoints, ServiceLocation, SystemSettings, Time};

use super::log::Log;
use super::*;

fn device() -> Value {
    json!([{"device": {"dsn": DSN, "key": 41, "product_name": MARK, "ssid": MARK, "lan_ip": MARK, "mac": MARK, "ip": MARK,
        "lat": "48.858", "lng": 48.858}}])
}

fn property(value: &str) -> Value {
    json!([{"property": {"name": "ssid", "base_type": "string", "key": 7, "value": value, "reported_value": MARK,
        "metadata": {"by": MARK}, "ack_message": MARK, "command": {"id": "1", "state": "pending", "value": MARK}}}])
}

fn now() -> Time {
    NOW.parse().unwrap()
}

/// A session with live data.
async fn session(cloud: &MockCloud) -> SessionManager {
    let mut settings = SystemSettings::new("app", "app secret");
    settings.service_location = ServiceLocation::Local;
    let config = Config::new(settings, Endpoints::local("https://cloud.test").unwrap()).unwrap();
    let client = cloud.connect(Client::builder(config, Arc::new(MemoryTokenStore::new()))).build().unwrap();
    SessionManager::sign_in(&client, "jo@example.com", &"correct horse".into()).await.unwrap()
}

/// Everything that happens to a device until the clock has advanced this far.
async fn events_within(events: &mut devicecloud::manager::FleetEvents, time: Duration) -> Vec<DeviceEvent> {
    let mut seen = Vec::new();
    let end = tokio::time::Instant::now() + time;
    while let Ok(Some((_, event))) = tokio::time::timeout_at(end, events.next()).await {
        seen.push(event);
    }
    seen
}

#[tokio::test(start_paused = true)]
async fn managed_session_logs_and_shows_no_personal_data() {
    let log = Log::start();
    let cloud = MockCloud::new();
    cloud.answer(
        "POST users/sign_in.json",
        200,
        json!({"access_token": MARK, "refresh_token": MARK, "expires_in": 86_400}),
    );
    cloud.answer("GET apiv1/devices.json", 200, device());
    cloud.answer("GET apiv1/dsns/{dsn}/properties.json", 200, property(MARK));
    cloud.answer("POST api/v1/subscriptions", 201, json!({"subscription": {"id": 1, "stream_key": MARK, "dsn": DSN}}));
    let session = session(&cloud).await;
    let (manager, stream) = (session.device_manager(), session.live_stream().unwrap());
    let (mut changes, mut stream_events) = (manager.changes(), stream.events());
    manager.ready().await.unwrap();
    let mut seen = events_within(&mut changes, Duration::from_secs(1)).await;

    // Live data, of known and of unknown devices and properties.
    let other = format!("{MARK} again");
    for (dsn, name) in [(DSN, "ssid"), (DSN, "unknown"), ("AC000W000009999", "ssid")] {
        cloud.publish(&events::datapoint(dsn, name, other.as_str(), true, now()));
        cloud.publish(&events::datapoint_ack(dsn, name, other.as_str(), 400, now()));
    }
    seen.extend(events_within(&mut changes, Duration::from_secs(1)).await);
    assert!(seen.iter().any(|event| matches!(event, DeviceEvent::Changed(_))), "{seen:?}");

    // Failures whose bodies hold the mark, with the stream and without it.
    cloud.answer("GET apiv1/dsns/{dsn}/properties.json", 422, json!({"error": MARK}));
    cloud.answer("POST api/v1/subscriptions", 422, json!({"errors": {"base": [MARK]}}));
    cloud.fault("GET stream", Fault::Status(401));
    cloud.cut_streams();
    seen.extend(events_within(&mut changes, Duration::from_secs(60)).await);
    assert!(seen.iter().any(|event| matches!(event, DeviceEvent::PollFailed(_))), "{seen:?}");
    assert!(stream.gave_up().is_some());

    let device = manager.device(DSN).unwrap();
    let write = device.property("ssid").unwrap().create_datapoint(MARK);
    let snapshots: Vec<_> = device.properties().iter().filter_map(ManagedProperty::snapshot).collect();
    let shown = format!(
        "{seen:?} {session:?} {manager:?} {stream:?} {device:?} {:?} {snapshots:?} {:?} {write:?} {:?} {:?}",
        device.snapshot(),
        device.properties(),
        device.freshness(),
        stream_events.next().await,
    );
    cloud.answer("POST users/refresh_token.json", 422, json!({"error": MARK}));
    let refused = session.refresh().await.unwrap_err();
    assert_private(&format!("{shown} {refused:?} {:?}", session.shut_down().await), "Debug output");
    let text = log.text();
    for expected in ["reading a device failed", "the stream key was rejected", "creating a subscription failed"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert_private(&text, "log");
}

#[tokio::test(start_paused = true)]
async fn failed_start_logs_no_response() {
    let log = Log::start();
    let cloud = MockCloud::new();
    cloud.answer("GET apiv1/devices.json", 422, json!({"error": MARK}));
    let session = session(&cloud).await;
    let error = session.device_manager().ready().await.unwrap_err();
    let text = log.text();
    assert!(text.contains("the device list could not be fetched"), "{text}");
    assert_private(&format!("{text} {error:?} {:?}", session.device_manager()), "failed start");
}
