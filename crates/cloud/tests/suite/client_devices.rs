//! Calls about devices through the client library.

use std::sync::Arc;

use cloud::operator::SetupCode;
use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, World};
use devicecloud::{
    Address, Client, Config, ConnectionStatus, ErrorKind, Include, LocationProvider, MemoryTokenStore, RegistrationType,
};
use jiff::SignedDuration;
use platform::run::random::Random;
use serde_json::json;

use crate::client::Fixture;
use crate::edits::gateway_with_node;

pub(crate) async fn signed_in(fixture: &Fixture, email: &str) -> Client {
    let config = Config::local(&fixture.cloud.url(), APP_ID, APP_SECRET).unwrap();
    let client = Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap();
    client.sign_in(email, &PASSWORD.into()).await.unwrap();
    client
}

#[tokio::test]
async fn device_is_read_by_key_and_renamed() {
    let fixture = Fixture::start().await;
    let devices = signed_in(&fixture, World::PARTNER_ADMIN_A).await.devices();
    let device = devices.get("DEV-A1").send().await.unwrap();
    devices.rename(&device.key, "Lobby").await.unwrap();
    let renamed = devices.get_by_key(&device.key).include([Include::Addr]).send().await.unwrap();
    assert_eq!((renamed.product_name.as_deref(), renamed.dsn), (Some("Lobby"), device.dsn));
    assert_eq!(renamed.addr.unwrap().city.as_deref(), Some("Paris"));
    let error = devices.rename(&device.key, "x".repeat(256)).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(422)));
    assert_eq!(error.fields()[0].0, "product_name");
}

#[tokio::test]
async fn device_location_is_set() {
    let fixture = Fixture::start().await;
    let devices = signed_in(&fixture, World::PARTNER_ADMIN_A).await.devices();
    let key = devices.get("DEV-A1").send().await.unwrap().key;

    let zone = devices.set_time_zone(&key, "Asia/Tokyo").await.unwrap();
    assert_eq!((zone.tz_id.as_deref(), zone.utc_offset.as_deref()), (Some("Asia/Tokyo"), Some("+09:00")));
    assert_eq!(devices.time_zone(&key).await.unwrap(), zone);
    assert_eq!(devices.set_time_zone(&key, "Mars/Olympus").await.unwrap_err().status(), Some(422));

    let location = devices.set_location(&key, -33.868_8, 151.209_3).send().await.unwrap();
    assert_eq!((location.lat, location.provider), (Some(-33.868_8), Some(LocationProvider::UserBased)));
    let device = devices.get_by_key(&key).send().await.unwrap();
    assert_eq!((device.lat, device.lng), (Some(-33.868_8), Some(151.209_3)));

    let mut address = Address::default();
    address.city = Some("Sydney".into());
    devices.set_address(&key, &address).await.unwrap();
    assert_eq!(devices.address(&key).await.unwrap(), address);
}

#[tokio::test]
async fn unregistered_device_publishes_no_events() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::PARTNER_OBSERVER_A).await;
    let key = client.devices().get("DEV-A1").send().await.unwrap().key;
    assert_eq!(client.notifications().list(&key).await.unwrap(), []);
    let of_another = signed_in(&fixture, World::ADMIN).await.devices().get("DEV-B1").send().await.unwrap().key;
    assert_eq!(client.notifications().list(&of_another).await.unwrap_err().status(), Some(404));
    assert_eq!(client.notifications().list("no-key").await.unwrap_err().status(), Some(404));
}

#[tokio::test]
async fn library_reads_the_connection_history() {
    let fixture = Fixture::start().await;
    let devices = signed_in(&fixture, World::PARTNER_OBSERVER_A).await.devices();
    assert_eq!(devices.connection_history("DEV-A1").send().await.unwrap(), []);
    let device = fixture.cloud.device("DEV-A1").await;
    let generation = device.connect().await;
    fixture.cloud.clock().advance(SignedDuration::from_hours(1));
    device.disconnect(generation).await;
    let changes = devices.connection_history("DEV-A1").send().await.unwrap();
    let listed: Vec<_> =
        changes.iter().map(|change| (change.event_time.unwrap().to_string(), &change.status)).collect();
    let expected =
        [("2026-11-20T10:00:00Z", &ConnectionStatus::Online), ("2026-11-20T11:00:00Z", &ConnectionStatus::Offline)];
    assert_eq!(listed, expected.map(|(at, status)| (at.to_owned(), status)));
    let key = devices.get("DEV-A1").send().await.unwrap().key;
    let by_key = devices.connection_history_by_key(&key);
    assert_eq!(by_key.send().await.unwrap(), changes);
    let noon = "2026-11-20T12:00:00Z".parse().unwrap();
    assert_eq!(by_key.clone().since(noon).send().await.unwrap(), changes[1..], "the status at noon");
    assert_eq!(by_key.clone().until("2026-11-20T10:30:00Z".parse().unwrap()).send().await.unwrap(), changes[..1]);
    assert_eq!(by_key.limit(1).send().await.unwrap(), changes[1..]);
    assert_eq!(devices.connection_history("DEV-B1").send().await.unwrap_err().status(), Some(404));
}

#[tokio::test]
async fn device_is_reset_and_unregistered() {
    let fixture = Fixture::start().await;
    let owner = signed_in(&fixture, World::END_USER).await;
    let device = owner.devices().get("DEV-U1").send().await.unwrap();
    assert_eq!(device.registration_type, RegistrationType::None);
    owner.datapoints().create("DEV-U1", "fan", 3).send().await.unwrap();

    owner.devices().factory_reset(&device.key).await.unwrap();
    let property = owner.properties().list("DEV-U1").names(["fan"]).send().await.unwrap().remove(0);
    assert_eq!((property.value, property.command), (None, None));

    owner.devices().unregister(&device.key).await.unwrap();
    assert!(owner.devices().all().await.unwrap().is_empty());
    assert_eq!(owner.devices().get("DEV-U1").send().await.unwrap_err().status(), Some(404));
    let token = fixture.token(World::ADMIN).await;
    assert_eq!(fixture.get(&token, "/apiv1/dsns/DEV-U1").await.body["device"]["registered"], json!(false));
}

#[tokio::test]
async fn factory_reset_unregisters_the_nodes_behind_a_gateway() {
    let fixture = Fixture::start().await;
    gateway_with_node(&fixture).await;
    let admin = signed_in(&fixture, World::ADMIN).await;
    let find = async |dsn: &str| admin.devices().get(dsn).send().await.unwrap();
    let node = find("NODE").await;
    assert_eq!((node.registration_type, node.registered), (RegistrationType::Node, Some(true)));
    admin.devices().factory_reset(&find("GATEWAY").await.key).await.unwrap();
    assert_eq!((find("NODE").await.registered, find("GATEWAY").await.registered), (Some(false), Some(true)));
}

#[tokio::test]
async fn partner_registers_a_device_by_its_setup_code() {
    const ROLE: &str = "OEM::Partner::Technician";
    let fixture = Fixture::start().await;
    let (operator, oem) = (fixture.cloud.operator(), &fixture.world.oem);
    let code = SetupCode::random(&Random::seeded(1));
    operator.set_setup_code(oem, "DEV-S1", &code).await.unwrap();
    for template in operator.templates(oem).await.unwrap() {
        operator.require_setup_code(oem, &template.name, true).await.unwrap();
    }
    let admin = signed_in(&fixture, World::ADMIN).await;
    let key = admin.devices().get("DEV-S1").send().await.unwrap().key;
    let labels = signed_in(&fixture, World::TECHNICIAN_A).await.role_labels();
    let associate = labels.associate(&key, ROLE).label("partner_id", "A");
    let missing = associate.clone().setup_code(" ").send().await.unwrap_err();
    assert_eq!(missing.status(), Some(422), "{missing}");
    let label = associate.clone().setup_code(code.expose()).send().await.unwrap();
    assert_eq!(associate.send().await.unwrap(), label);
    assert!(!format!("{:?}", labels.associate(&key, ROLE).setup_code(code.expose())).contains(code.expose()));
}

#[tokio::test]
async fn role_labels_are_managed_through_the_library() {
    const ROLE: &str = "OEM::Partner::Technician";
    let fixture = Fixture::start().await;
    let admin = signed_in(&fixture, World::ADMIN).await;
    let key = admin.devices().get("DEV-S1").send().await.unwrap().key;
    let labels = admin.role_labels();

    let label = labels.associate(&key, ROLE).label("partner_id", "A").send().await.unwrap();
    assert_eq!(labels.associate(&key, ROLE).label("partner_id", "A").send().await.unwrap(), label);
    assert_eq!(labels.list(&key).await.unwrap(), std::slice::from_ref(&label));
    assert_eq!(admin.devices().role_labels(&key).await.unwrap(), std::slice::from_ref(&label));
    let technician = signed_in(&fixture, World::TECHNICIAN_A).await;
    assert_eq!(technician.devices().get("DEV-S1").send().await.unwrap().registered, Some(true));
    let found = technician.role_labels().find_devices(ROLE).label("partner_id", "A").send().await.unwrap();
    assert_eq!(found.last().unwrap().key, key);
    assert_eq!(found.len(), 3);

    let enabled = labels.enable_role_label_on_device(&key, ROLE).label("zone", "north").send().await.unwrap();
    let update = labels.update_role_label(&enabled.id, ROLE).description("North wing");
    let updated = update.label("zone", "south").send().await.unwrap();
    assert_eq!((updated.id, updated.description.as_deref()), (enabled.id.clone(), Some("North wing")));
    let read = labels.get(&enabled.id).await.unwrap();
    assert_eq!((read.label.unwrap().value.as_str(), read.tags.len()), ("south", 2));
    assert_eq!(technician.role_labels().disable_role_label(&enabled.id).await.unwrap_err().status(), Some(403));
    labels.disable_role_label(&enabled.id).await.unwrap();

    let removed = labels.disassociate(&key, ROLE).label("partner_id", "A").send().await.unwrap();
    assert_eq!(removed.id, label.id);
    assert!(labels.list(&key).await.unwrap().is_empty());
    assert_eq!(labels.get(&label.id).await.unwrap_err().status(), Some(404));
}

#[tokio::test]
async fn second_partner_gets_a_conflict() {
    let fixture = Fixture::start().await;
    let admin = signed_in(&fixture, World::ADMIN).await;
    let key = admin.devices().get("DEV-S1").send().await.unwrap().key;
    let (a, b) = (signed_in(&fixture, World::PARTNER_ADMIN_A).await, signed_in(&fixture, World::PARTNER_ADMIN_B).await);
    let role = "OEM::Partner::Admin";
    a.role_labels().associate(&key, role).label("partner_id", "A").send().await.unwrap();
    let error = b.role_labels().associate(&key, role).label("partner_id", "B").send().await.unwrap_err();
    assert_eq!((error.status(), error.message()), (Some(409), "The device is already registered"));
}

#[tokio::test]
async fn data_of_a_device_is_managed_through_the_library() {
    let fixture = Fixture::start().await;
    let data = signed_in(&fixture, World::PARTNER_ADMIN_A).await.devices().data("DEV-A1");
    let made = data.create("cart name/1", "Bar").await.unwrap();
    assert_eq!((made.key.as_str(), made.created_at.is_some()), ("cart name/1", true));
    assert_eq!(data.get("cart name/1").await.unwrap(), made);
    let taken = data.create("customer", "Bar").await.unwrap_err();
    assert_eq!((taken.status(), taken.fields()[0].0.as_str()), (Some(422), "key"));
    let keys = async |keys: &[&str]| -> Vec<String> {
        let data = data.list().keys(keys.iter().copied()).send().await.unwrap();
        data.into_iter().map(|datum| datum.key).collect()
    };
    assert_eq!(keys(&[]).await, ["cart name/1", "customer"]);
    assert_eq!(keys(&["customer", "floor"]).await, ["customer"]);
    assert_eq!(keys(&["cart%"]).await, ["cart name/1"]);
    assert_eq!(data.update("cart name/1", "").await.unwrap().value, "");
    data.delete("cart name/1").await.unwrap();
    assert_eq!(data.get("cart name/1").await.unwrap_err().status(), Some(404));
}
