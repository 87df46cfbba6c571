//! The library's managers against a whole cloud.

use std::sync::Arc;
use std::time::Duration;

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, TestCloud, World};
use devicecloud::live::LiveStreamState;
use devicecloud::manager::{
    Change, DeviceEvent, DeviceManager, DeviceManagerEvent, DeviceManagerState, ManagedDevice, SessionManager,
};
use devicecloud::{Client, Config, ConnectionStatus, MemoryTokenStore, PropertyValue, TokenStore};
use jiff::SignedDuration;
use platform::testing::{PATIENCE, pause};
use serde_json::json;

use crate::client::Fixture;

fn client(cloud: &TestCloud) -> (Client, MemoryTokenStore) {
    let store = MemoryTokenStore::new();
    let config = Config::local(&cloud.url(), APP_ID, APP_SECRET).unwrap();
    (Client::new(config, Arc::new(store.clone())).unwrap(), store)
}

async fn session(client: &Client, email: &str) -> SessionManager {
    let session = SessionManager::sign_in(client, email, &PASSWORD.into()).await.unwrap();
    session.device_manager().ready().await.unwrap();
    session
}

fn value(device: &ManagedDevice, name: &str) -> Option<PropertyValue> {
    device.property(name).unwrap().snapshot().unwrap().value
}

#[tokio::test]
async fn session_has_the_devices_of_its_user_and_shut_down_ends_it_at_the_cloud() {
    let fixture = Fixture::start().await;
    let (client, store) = client(&fixture.cloud);
    let session = session(&client, World::PARTNER_ADMIN_A).await;
    let dsns: Vec<_> = session.device_manager().devices().iter().map(|device| device.dsn().to_string()).collect();
    assert_eq!(dsns, ["DEV-A1", "DEV-A2"]);
    let device = session.device_manager().device("DEV-A1").unwrap();
    assert_eq!(device.snapshot().product_name.as_deref(), Some("Thing DEV-A1"));
    assert_eq!((device.properties().len(), value(&device, "intensity")), (6, Some(20.into())));
    device.fetch_datums().await.unwrap();
    device.fetch_role_labels().await.unwrap();
    assert_eq!((device.datums()[0].key.as_str(), device.role_labels().is_empty()), ("customer", false));

    let token = store.load().await.unwrap().unwrap().access_token;
    assert_eq!(fixture.get(token.expose(), "/apiv1/devices.json").await.status, 200);
    session.shut_down().await.unwrap();
    assert_eq!(fixture.get(token.expose(), "/apiv1/devices.json").await.status, 401);
    assert!(store.load().await.unwrap().is_none());
    assert_eq!(session.device_manager().state(), DeviceManagerState::Uninitialized);
    assert_eq!(device.rename("Lobby").await.unwrap_err().message(), "No device manager is available");
}

#[tokio::test]
async fn write_waits_for_the_acknowledgement() {
    let fixture = Fixture::start().await;
    let (client, _) = client(&fixture.cloud);
    client.sign_in(World::PARTNER_ADMIN_A, &PASSWORD.into()).await.unwrap();
    let manager = DeviceManager::new(&client);
    manager.start(true);
    manager.ready().await.unwrap();
    let device = manager.device("DEV-A1").unwrap();
    let mut events = device.events();
    let property = device.property("intensity").unwrap();
    property.set_ack_polling(3000, 10);
    let acknowledging = async {
        let link = fixture.cloud.device("DEV-A1").await;
        let command = loop {
            if let Some((command, ..)) = link.pending().await.pop() {
                break command;
            }
            pause().await;
        };
        // The cloud's clock is paused. A later time shows that the value comes from the acknowledgement.
        fixture.cloud.clock().advance(SignedDuration::from_secs(3));
        link.ack(&command, 200, 7).await;
    };
    let write = property.create_datapoint(30).metadata("by", "jo");
    let (written, ()) = tokio::join!(write.send(), acknowledging);
    let written = written.unwrap();
    assert_eq!((written.value, written.ack_status), (Some(30.into()), 200));
    let known = property.snapshot().unwrap();
    assert_eq!((known.value, known.acked_at, known.metadata["by"].as_str()), (Some(30.into()), written.acked_at, "jo"));
    assert_eq!(known.acked_at.unwrap().to_string(), "2026-11-20T10:00:03Z");
    let DeviceEvent::Changed(Change::Property { name, value, .. }) = events.next().await.unwrap() else {
        panic!("a change")
    };
    assert_eq!((name.as_str(), value), ("intensity", Some(30.into())));
}

#[tokio::test]
async fn session_receives_reports_of_its_devices() {
    let fixture = Fixture::start().await;
    let (client, _) = client(&fixture.cloud);
    let session = session(&client, World::PARTNER_ADMIN_A).await;
    let mut states = session.live_stream().unwrap().states();
    let connected = async { while states.next().await.unwrap() != LiveStreamState::Connected {} };
    tokio::time::timeout(PATIENCE, connected).await.unwrap();
    let device = session.device_manager().device("DEV-A1").unwrap();
    let mut events = device.events();
    fixture.cloud.device("DEV-A1").await.report(&[("hours", json!(13.5))]).await;
    let reported = async {
        loop {
            match events.next().await.unwrap() {
                DeviceEvent::Changed(Change::Property { name, value, .. }) if name == "hours" => return value,
                _ => {}
            }
        }
    };
    assert_eq!(tokio::time::timeout(PATIENCE, reported).await.unwrap(), Some(13.5.into()));
    assert_eq!(value(&device, "hours"), Some(13.5.into()));
    assert!(!device.is_polling(), "the stream delivers the values");
    assert_eq!(device.snapshot().connection_status, ConnectionStatus::Offline);
    session.shut_down().await.unwrap();
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    assert_eq!(fixture.get(&token, "/api/v1/subscriptions").await.body, json!([]), "no subscription is left behind");
}

#[tokio::test]
async fn list_is_fetched_again_after_a_factory_reset() {
    let fixture = Fixture::start().await;
    let (client, _) = client(&fixture.cloud);
    client.sign_in(World::END_USER, &PASSWORD.into()).await.unwrap();
    let manager = DeviceManager::new(&client);
    manager.start(true);
    manager.ready().await.unwrap();
    let device = manager.device("DEV-U1").unwrap();
    // The reset causes this early read of the list; without it, the next one comes after 15 seconds.
    client.devices().rename(&device.snapshot().key, "Renamed elsewhere").await.unwrap();
    let mut events = device.events();
    device.factory_reset().await.unwrap();
    let renamed = async {
        while device.snapshot().product_name.as_deref() != Some("Renamed elsewhere") {
            events.next().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(10), renamed).await.unwrap();
}

#[tokio::test]
async fn device_is_renamed_and_placed() {
    let fixture = Fixture::start().await;
    let (client, _) = client(&fixture.cloud);
    let session = session(&client, World::PARTNER_ADMIN_A).await;
    let device = session.device_manager().device("DEV-A1").unwrap();
    device.rename("Lobby").await.unwrap();
    device.update_location(-33.8688, 151.2093).await.unwrap();
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let seen = fixture.get(&token, "/apiv1/dsns/DEV-A1").await.body;
    assert_eq!((&seen["device"]["product_name"], &seen["device"]["lat"]), (&json!("Lobby"), &json!("-33.868800")));
    assert_eq!(device.snapshot().product_name.as_deref(), Some("Lobby"));
}

#[tokio::test]
async fn device_of_another_user_cannot_be_added() {
    let fixture = Fixture::start().await;
    let (client, _) = client(&fixture.cloud);
    let session = session(&client, World::PARTNER_ADMIN_A).await;
    let mut events = session.device_manager().events();
    session.device_manager().add("DEV-B1").unwrap();
    let failed = async {
        loop {
            if let DeviceManagerEvent::DeviceInitFailed { dsn, error } = events.next().await.unwrap() {
                return (dsn.to_string(), error.status());
            }
        }
    };
    assert_eq!(tokio::time::timeout(PATIENCE, failed).await.unwrap(), ("DEV-B1".to_owned(), Some(404)));
    session.device_manager().ready().await.unwrap();
    assert!(session.device_manager().device("DEV-B1").is_none());
}
