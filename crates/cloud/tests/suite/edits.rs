//! Edits of a device: name, address, time zone and location; factory reset and unregistering.

use cloud::operator::NewDevice;
use cloud::testing::World;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::stream::{event, subscribe};

async fn device(fixture: &Fixture, token: &str, dsn: &str) -> Value {
    fixture.get(token, &format!("/apiv1/dsns/{dsn}")).await.body["device"].take()
}

/// A gateway of partner A with a node behind it.
pub(crate) async fn gateway_with_node(fixture: &Fixture) {
    let label = ("OEM::Partner::Admin".to_owned(), "partner_id".to_owned(), "A".to_owned());
    let device = |dsn: &str, gateway: Option<&str>| NewDevice {
        dsn: dsn.into(),
        template: "thing".into(),
        registered: true,
        labels: vec![label.clone()],
        gateway_dsn: gateway.map(Into::into),
        ..NewDevice::default()
    };
    let devices = [device("GATEWAY", None), device("NODE", Some("GATEWAY"))];
    fixture.cloud.operator().add_devices(&fixture.world.oem, &devices).await.unwrap();
}

#[tokio::test]
async fn device_is_renamed_by_key_and_by_dsn() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let key = fixture.device_key(&token, "DEV-A1").await;
    let by_key = format!("/apiv1/devices/{key}.json");
    for (path, sent, name) in [
        (&*by_key, "Lobby", "Lobby"),
        ("/apiv1/dsns/DEV-A1", "Bar 🌸", "Bar 🌸"),
        ("/apiv1/dsns/DEV-A1", "Cafe\u{301}", "Café"),
    ] {
        let answer = fixture.put(&token, path, json!({ "device": { "product_name": sent, "dsn": "X" } })).await;
        assert_eq!((answer.status, &answer.body["device"]["product_name"]), (200, &json!(name)));
        let read = device(&fixture, &token, "DEV-A1").await;
        assert_eq!((&read["product_name"], &read["dsn"]), (&json!(name), &json!("DEV-A1")));
    }
}

#[tokio::test]
async fn time_zone_has_both_names_and_the_canonical_spelling() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let by_key = format!("/apiv1/devices/{}/time_zones.json", fixture.device_key(&token, "DEV-A1").await);
    let set = fixture.put(&token, &by_key, json!({ "tz_id": "america/los_angeles" })).await;
    assert_eq!(set.status, 200);
    let zone = &set.body["time_zone"];
    assert_eq!((&zone["tz_id"], &zone["utc_offset"]), (&json!("America/Los_Angeles"), &json!("-08:00")));
    assert_eq!(zone, &set.body["timezone"]);
    for path in [by_key.as_str(), "/apiv1/dsns/DEV-A1/time_zones"] {
        assert_eq!(fixture.get(&token, path).await.body, set.body, "{path}");
    }
    let by_dsn = fixture.put(&token, "/apiv1/dsns/DEV-A1/time_zones", json!({ "tz_id": "Asia/Tokyo" })).await;
    assert_eq!(by_dsn.body["time_zone"]["tz_id"], "Asia/Tokyo");
}

#[tokio::test]
async fn location_moves_the_device_and_is_published() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let (_, mut socket) = subscribe(&fixture, World::PARTNER_OBSERVER_A, json!({})).await;
    let path = format!("/apiv1/devices/{}/locations.json", fixture.device_key(&token, "DEV-A1").await);
    for provider in ["ip-based", "wifi-based", "user-based", "setup-based"] {
        let location = json!({ "location": { "lat": -12.5, "long": "130.84", "provider": provider } });
        let answer = fixture.post(&token, &path, location).await;
        assert_eq!((answer.status, &answer.body["location"]["provider"]), (201, &json!(provider)));
        let published = event(&mut socket).await;
        assert_eq!(published["metadata"]["event_type"], "location");
        let published = &published["location_event"];
        assert_eq!((&published["dsn"], &published["provider"]), (&json!("DEV-A1"), &json!(provider)));
        assert_eq!((&published["lat"], &published["long"]), (&json!("-12.500000"), &json!("130.840000")));
    }
    let moved = device(&fixture, &token, "DEV-A1").await;
    assert_eq!((&moved["lat"], &moved["lng"]), (&json!("-12.500000"), &json!("130.840000")));
    let neighbour = device(&fixture, &token, "DEV-A2").await;
    assert_eq!(neighbour["lat"], "48.864716");
}

#[tokio::test]
async fn address_is_replaced_as_a_whole() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let path = format!("/apiv1/devices/{}/addr", fixture.device_key(&token, "DEV-A1").await);
    let before = json!({ "street": null, "city": "Paris", "state": null, "country": "France", "zip": null });
    assert_eq!(fixture.get(&token, &path).await.body["addr"], before);
    let whole = json!({ "street": "1 Main", "city": "Lyon", "state": "ARA", "country": "France", "zip": "69001" });
    let set = fixture.put(&token, &path, json!({ "addr": whole })).await;
    assert_eq!((set.status, &set.body["addr"]), (200, &whole));
    fixture.put(&token, &path, json!({ "addr": { "city": "Nice", "zip": "" } })).await;
    let after = json!({ "street": null, "city": "Nice", "state": null, "country": null, "zip": null });
    assert_eq!(fixture.get(&token, &path).await.body["addr"], after);
}

#[tokio::test]
async fn invalid_edit_names_its_field_and_changes_nothing() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let before = device(&fixture, &token, "DEV-A1").await;
    let long = "x".repeat(256);
    let table = [
        (Method::PUT, "", json!({}), "product_name"),
        (Method::PUT, "", json!({ "device": 7 }), "device"),
        (Method::PUT, "", json!({ "device": { "product_name": " " } }), "product_name"),
        (Method::PUT, "", json!({ "device": { "product_name": 7 } }), "product_name"),
        (Method::PUT, "", json!({ "device": { "product_name": "a\u{0}" } }), "product_name"),
        (Method::PUT, "", json!({ "device": { "product_name": long } }), "product_name"),
        (Method::PUT, "", json!({ "device": { "product_name": "Bar\u{200b}" } }), "product_name"),
        (Method::PUT, "", json!({ "device": { "product_name": "a\u{2028}b" } }), "product_name"),
        (Method::PUT, "", json!({ "device": { "product_name": "Lobby\u{202e}txt" } }), "product_name"),
        (Method::PUT, "/time_zones", json!({}), "tz_id"),
        (Method::PUT, "/time_zones", json!({ "tz_id": null }), "tz_id"),
        (Method::PUT, "/time_zones", json!({ "tz_id": 9 }), "tz_id"),
        (Method::PUT, "/time_zones", json!({ "tz_id": "Mars/Olympus" }), "tz_id"),
        (Method::PUT, "/time_zones", json!({ "tz_id": long }), "tz_id"),
        (Method::PUT, "/addr", json!({ "addr": [] }), "addr"),
        (Method::PUT, "/addr", json!({ "addr": { "city": 7 } }), "city"),
        (Method::PUT, "/addr", json!({ "addr": { "zip": long } }), "zip"),
        (Method::PUT, "/addr", json!({ "addr": { "city": "Ni\u{200e}ce" } }), "city"),
        (Method::POST, "/locations", json!({}), "lat"),
        (Method::POST, "/locations", json!({ "location": "here" }), "location"),
        (Method::POST, "/locations", json!({ "location": { "lat": 1 } }), "long"),
        (Method::POST, "/locations", json!({ "location": { "lat": 90.1, "long": 1 } }), "lat"),
        (Method::POST, "/locations", json!({ "location": { "lat": 1, "long": "-180.1" } }), "long"),
        (Method::POST, "/locations", json!({ "location": { "lat": "north", "long": 1 } }), "lat"),
        (Method::POST, "/locations", json!({ "location": { "lat": 1, "long": 1, "provider": "x" } }), "provider"),
        (Method::POST, "/locations", json!({ "location": { "lat": 1, "long": 1, "provider": 7 } }), "provider"),
    ];
    for (method, path, body, field) in table {
        let path = format!("/apiv1/devices/{}{path}.json", before["key"]);
        let answer = fixture.call(method, &path, Some(&token), Some(body.clone())).await;
        assert_eq!(answer.status, 422, "{path} {body}");
        assert!(answer.body["errors"][field][0].is_string(), "{path} {body} {}", answer.body);
    }
    assert_eq!(device(&fixture, &token, "DEV-A1").await, before);
}

#[tokio::test]
async fn factory_reset_keeps_the_registration_but_not_that_of_nodes() {
    let fixture = Fixture::start().await;
    gateway_with_node(&fixture).await;
    let admin = fixture.token(World::ADMIN).await;
    let partner = fixture.token(World::PARTNER_ADMIN_A).await;
    fixture.command(&admin, "GATEWAY", "intensity", json!(30)).await;
    let node = device(&fixture, &partner, "NODE").await;
    assert_eq!((&node["registration_type"], &node["device_type"]), (&json!("Node"), &json!("Node")));
    assert_eq!(node["gateway_dsn"], "GATEWAY");
    let (_, mut socket) = subscribe(&fixture, World::PARTNER_ADMIN_A, json!({})).await;

    let key = fixture.device_key(&admin, "GATEWAY").await;
    let reset = format!("/apiv1/devices/{key}/cmds/factory_reset.json");
    assert_eq!(fixture.call(Method::PUT, &reset, Some(&admin), None).await.status, 200);

    assert_eq!(device(&fixture, &partner, "GATEWAY").await["registered"], true);
    let intensity = fixture.property(&partner, "GATEWAY", "intensity").await;
    assert_eq!((&intensity["value"], intensity.get("command")), (&json!(null), None));
    let history = fixture.get(&partner, "/apiv1/dsns/GATEWAY/properties/intensity/datapoints").await;
    assert_eq!(history.body, json!([]));
    assert_eq!(fixture.get(&partner, "/apiv1/dsns/NODE").await.status, 404);
    assert_eq!(device(&fixture, &admin, "NODE").await["registered"], false);
    let published = event(&mut socket).await;
    assert_eq!(published["metadata"]["event_type"], "registration");
    let published = &published["registration_event"];
    assert_eq!((&published["dsn"], &published["registered"]), (&json!("NODE"), &json!(false)));
    assert_eq!(published["registration_type"], "Node");
}

#[tokio::test]
async fn unregistered_device_loses_owner_labels_data_and_values() {
    let fixture = Fixture::start().await;
    let (admin, owner) = (fixture.token(World::ADMIN).await, fixture.token(World::END_USER).await);
    let before = device(&fixture, &owner, "DEV-U1").await;
    fixture.command(&owner, "DEV-U1", "note", json!("mine")).await;
    let (_, mut socket) = subscribe(&fixture, World::END_USER, json!({})).await;

    let path = format!("/apiv1/devices/{}.json", before["key"]);
    assert_eq!(fixture.delete(&owner, &path).await.status, 200);
    assert_eq!(fixture.delete(&owner, &path).await.status, 404, "the device has no owner any more");

    let published = event(&mut socket).await["registration_event"].take();
    assert_eq!((&published["registered"], &published["user_uuid"]), (&json!(false), &before["user_uuid"]));
    let query = "/apiv1/dsns/DEV-U1?include=data,addr,role_labels,properties,time_zone";
    let stock = fixture.get(&admin, query).await.body["device"].take();
    assert_eq!((&stock["registered"], &stock["user_id"]), (&json!(false), &json!(null)));
    assert_eq!((&stock["data"], &stock["role_labels"]), (&json!([]), &json!([])));
    assert_eq!((&stock["addr"]["city"], &stock["time_zone"]["tz_id"]), (&json!(null), &json!(null)));
    assert_eq!((&stock["lat"], &stock["product_name"]), (&json!(null), &stock["oem_model"]));
    let valued = |property: &&Value| !property["property"]["value"].is_null();
    assert_eq!(stock["properties"].as_array().unwrap().iter().find(valued), None);
    assert!(fixture.cloud.device("DEV-U1").await.pending().await.is_empty(), "pending commands are deleted");
}

#[tokio::test]
async fn nodes_are_listed_with_their_gateway_and_missing_values_are_empty_or_omitted() {
    let fixture = Fixture::start().await;
    gateway_with_node(&fixture).await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let key = fixture.device_key(&token, "GATEWAY").await;
    for path in [format!("/apiv1/devices/{key}/nodes.json"), "/apiv1/dsns/GATEWAY/registered_nodes.json".into()] {
        let nodes = fixture.get(&token, &path).await.body;
        assert_eq!((nodes[0]["device"]["dsn"].as_str(), nodes.as_array().unwrap().len()), (Some("NODE"), 1));
    }
    let table = [
        ("/apiv1/dsns/DEV-A1/registered_nodes".to_owned(), 200),
        (format!("/apiv1/devices/{key}/commands.json"), 200),
        ("/apiv1/dsns/DEV-A1/cmds.json".to_owned(), 200),
        (format!("/apiv1/devices/{key}/lan.json"), 404),
        ("/apiv1/dsns/DEV-A1/lan.json".to_owned(), 404),
    ];
    for (path, status) in table {
        let answer = fixture.get(&token, &path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(if status == 200 { answer.body == json!([]) } else { answer.body["error"].is_string() }, "{path}");
    }
}
