//! Lists of devices, single devices, properties.

use cloud::operator::NewDevice;
use cloud::testing::World;
use serde_json::{Value, json};

use crate::client::Fixture;

fn dsns(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["device"]["dsn"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn each_caller_lists_the_devices_in_scope() {
    let fixture = Fixture::start().await;
    let table: [(&str, &[&str]); 7] = [
        (World::ADMIN, &["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1", "DEV-S1"]),
        (World::OBSERVER, &["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1"]),
        (World::PARTNER_ADMIN_A, &["DEV-A1", "DEV-A2"]),
        (World::PARTNER_OBSERVER_A, &["DEV-A1", "DEV-A2"]),
        (World::TECHNICIAN_A, &["DEV-A1", "DEV-A2"]),
        (World::PARTNER_ADMIN_B, &["DEV-B1"]),
        (World::END_USER, &["DEV-U1"]),
    ];
    for (email, expected) in table {
        let token = fixture.token(email).await;
        let list = fixture.get(&token, "/apiv1/devices.json").await;
        assert_eq!(dsns(&list.body), expected, "{email}");
        let page = fixture.get(&token, "/apiv1/devices?paginated=true").await;
        assert_eq!(page.body["total"], expected.len(), "{email}");
    }
}

/// Strict clients decode these fields as strings, and reject the whole list because of one null (B-13).
#[tokio::test]
async fn strings_of_a_device_are_never_null() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let bare = NewDevice { dsn: "DEV-N1".into(), template: "thing".into(), ..NewDevice::default() };
    let with_mac = NewDevice { dsn: "DEV-N2".into(), mac: Some("02005e000001".into()), ..bare.clone() };
    fixture.cloud.operator().add_devices(&fixture.world.oem, &[bare, with_mac]).await.unwrap();
    let list = fixture.get(&token, "/apiv1/devices.json").await.body;
    let page = fixture.get(&token, "/apiv1/devices?paginated=true").await.body["devices"].take();
    let key = fixture.device_key(&token, "DEV-N1").await;
    let mut devices = [list.as_array().unwrap().clone(), page.as_array().unwrap().clone()].concat();
    for path in ["/apiv1/dsns/DEV-N1.json".to_owned(), format!("/apiv1/devices/{key}.json")] {
        devices.push(fixture.get(&token, &path).await.body);
    }
    assert_eq!(devices.len(), 7 + 7 + 2);
    for device in devices {
        let device = &device["device"];
        let texts = ["product_name", "dsn", "model", "oem_model", "sw_version", "mac", "connection_status"];
        for member in texts.into_iter().chain(["lan_ip", "hwsig", "product_class", "device_type"]) {
            assert!(device[member].is_string(), "{member}: {device}");
        }
        assert_eq!((&device["product_class"], &device["hwsig"]), (&json!("thing"), &device["mac"]));
        assert_eq!(device["unique_hardware_id"], Value::Null, "null on the vendor's cloud, too");
    }
    let device = fixture.get(&token, "/apiv1/dsns/DEV-N2.json").await.body["device"].take();
    assert_eq!((&device["mac"], &device["sw_version"]), (&json!("02005e000001"), &json!("")));
}

#[tokio::test]
async fn pages_follow_order_filters_and_keys() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let key = fixture.device_key(&token, "DEV-A2").await;
    let after = format!("filter[key_after]={key}&filter[order_by]=key&filter[order]=asc");
    let table: [(&str, &[&str], i64); 13] = [
        ("per_page=2", &["DEV-A1", "DEV-A2"], 5),
        ("per_page=2&page=3", &["DEV-S1"], 5),
        ("per_page=2&page=4", &[], 5),
        ("per_page=2&filter[order_by]=dsn&filter[order]=desc", &["DEV-U1", "DEV-S1"], 5),
        ("per_page=2&order_by=dsn&order=DESC&page=2", &["DEV-B1", "DEV-A2"], 5),
        ("filter[registered]=true&filter[order_by]=dsn", &["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1"], 4),
        ("filter[registered]=0", &["DEV-S1"], 1),
        ("filter[dsn]=DEV-B1&filter[unknown]=x", &["DEV-B1"], 1),
        ("filter[connection_status]=Offline&per_page=1", &["DEV-A1"], 5),
        ("filter[connection_status]=Online", &[], 0),
        (&after, &["DEV-B1", "DEV-U1", "DEV-S1"], 3),
        (&format!("{after}&per_page=1"), &["DEV-B1"], 2),
        (&format!("{after}&per_page=1&page=3"), &["DEV-S1"], 3),
    ];
    for (query, expected, total) in table {
        let page = fixture.get(&token, &format!("/apiv1/devices.json?paginated=true&{query}")).await.body;
        assert_eq!((dsns(&page["devices"]), page["total"].as_i64()), (expected.to_vec(), Some(total)), "{query}");
    }
}

#[tokio::test]
async fn page_after_a_key_is_the_same_after_devices_were_added_behind_the_next_one() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let page = async || {
        let path = "/apiv1/devices.json?paginated=true&order_by=key&per_page=2&filter[key_after]=0";
        fixture.get(&token, path).await.body
    };
    let before = page().await;
    assert_eq!((dsns(&before["devices"]), &before["total"]), (vec!["DEV-A1", "DEV-A2"], &json!(3)));
    assert_eq!(before["next_page"], 2);
    let device = NewDevice { dsn: "DEV-NEW".into(), template: "thing".into(), ..NewDevice::default() };
    fixture.cloud.operator().add_devices(&fixture.world.oem, &[device]).await.unwrap();
    assert_eq!(page().await, before);
}

#[tokio::test]
async fn list_is_ordered_by_every_field_with_nulls_last() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    fixture.cloud.device("DEV-B1").await.connect().await;
    let fields = [
        "key",
        "id",
        "dsn",
        "product_name",
        "model",
        "oem_model",
        "mac",
        "ssid",
        "lan_ip",
        "lan_enabled",
        "sw_version",
        "template_id",
        "registered",
        "user_id",
        "connection_status",
        "connected_at",
        "lat",
        "lng",
        "registered_at",
        "activated_at",
        "created_at",
        "updated_at",
    ];
    for field in fields {
        for order in ["asc", "desc"] {
            let query = format!("/apiv1/devices?paginated=true&order_by={field}&order={order}");
            let page = fixture.get(&token, &query).await;
            assert_eq!((page.status, page.body["total"].as_i64()), (200, Some(5)), "{field} {order}");
        }
    }
    let page = fixture.get(&token, "/apiv1/devices?order_by=connected_at").await.body;
    assert_eq!(dsns(&page)[0], "DEV-B1");
}

#[tokio::test]
async fn invalid_query_parameter_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let table = [
        ("paginated=true&page=0", "page"),
        ("paginated=true&page=-1", "page"),
        ("paginated=true&page=99999999999999999999", "page"),
        ("paginated=true&per_page=0", "per_page"),
        ("paginated=true&per_page=x", "per_page"),
        ("order_by=password_hash", "order_by"),
        ("order=sideways", "order"),
        ("filter[key_after]=x", "key_after"),
        ("filter[registered]=maybe", "filter"),
        ("filter[created_at]=2026-11-20T10:00:00Z", "filter"),
    ];
    for (query, field) in table {
        let answer = fixture.get(&token, &format!("/apiv1/devices?{query}")).await;
        assert_eq!(answer.status, 422, "{query}");
        assert!(answer.body["errors"][field][0].is_string(), "{query} {}", answer.body);
    }
    for query in ["filter[dsn]=%00", "order_by=%00"] {
        assert_eq!(fixture.get(&token, &format!("/apiv1/devices?{query}")).await.status, 400, "{query}");
    }
}

#[tokio::test]
async fn include_adds_the_data_labels_and_properties_of_each_device() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let path = "/apiv1/devices?paginated=true&include=data,addr,role_labels,properties,time_zone,unknown";
    let page = fixture.get(&token, path).await.body;
    for item in page["devices"].as_array().unwrap() {
        let device = &item["device"];
        let labels = device["role_labels"].as_array().unwrap();
        let partner = match device["dsn"].as_str().unwrap() {
            "DEV-A1" | "DEV-A2" => "A",
            "DEV-B1" => "B",
            _ => "",
        };
        assert_eq!(labels.len(), if partner.is_empty() { 0 } else { 3 });
        assert!(labels.iter().all(|label| label["role_label"]["label"]["value"] == partner));
        assert_eq!(device["data"][0]["datum"]["dsn"], device["dsn"]);
        assert_eq!(device["data"][0]["datum"]["value"], "Café");
        assert_eq!(device["addr"]["city"], "Paris");
        assert_eq!(device["time_zone"]["utc_offset"], "+01:00");
        let properties = device["properties"].as_array().unwrap();
        assert_eq!(properties.len(), 6);
        assert!(properties.iter().all(|property| property["property"]["device_key"] == device["key"]));
    }
    let plain = fixture.get(&token, "/apiv1/dsns/DEV-A1").await.body;
    for member in ["data", "addr", "role_labels", "properties", "time_zone"] {
        assert_eq!(plain["device"].get(member), None, "{member}");
    }
}

#[tokio::test]
async fn device_has_degrees_as_strings_and_both_names() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let device = fixture.get(&token, "/device/apiv1/dsns/DEV-U1.json").await.body["device"].take();
    assert_eq!((&device["lat"], &device["lng"]), (&json!("48.864716"), &json!("2.349014")));
    assert_eq!((&device["key"], &device["oem"]), (&device["id"], &json!(fixture.world.oem.key)));
    assert_eq!((&device["registered"], &device["connection_status"]), (&json!(true), &json!("Offline")));
    let by_key = fixture.get(&token, &format!("/apiv1/devices/{}.json", device["key"])).await.body["device"].take();
    assert_eq!(by_key, device);
}

#[tokio::test]
async fn unknown_and_invisible_devices_get_the_same_answer() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let admin = fixture.token(World::ADMIN).await;
    let foreign = fixture.device_key(&admin, "DEV-B1").await;
    let unknown = fixture.get(&token, "/apiv1/dsns/NO-SUCH").await;
    for path in [
        "/apiv1/dsns/DEV-B1".to_owned(),
        "/apiv1/dsns/DEV-S1".to_owned(),
        "/apiv1/dsns/DEV-B1/properties".to_owned(),
        "/apiv1/dsns/DEV-B1/properties/intensity/datapoints".to_owned(),
        format!("/apiv1/devices/{foreign}"),
        "/apiv1/devices/999999".to_owned(),
        "/apiv1/devices/not-a-key".to_owned(),
        "/apiv1/devices/99999999999999999999".to_owned(),
    ] {
        let answer = fixture.get(&token, &path).await;
        assert_eq!((answer.status, &answer.body), (404, &unknown.body), "{path}");
    }
}

#[tokio::test]
async fn properties_are_found_by_names_patterns_and_keys() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let path = "/apiv1/dsns/DEV-A1/properties.json";
    let table: [(&str, &[&str]); 6] = [
        ("", &["intensity", "fan", "note", "hours", "lamp", "log"]),
        ("names[]=fan&names[]=no_such", &["fan"]),
        ("names=fan&names=note", &["fan", "note"]),
        ("names=lamp,fan", &["fan", "lamp"]),
        ("names=%25n%25", &["intensity", "fan", "note"]),
        ("names=no_such", &[]),
    ];
    for (query, expected) in table {
        let list = fixture.get(&token, &format!("{path}?{query}")).await.body;
        let names: Vec<_> = list.as_array().unwrap().iter().map(|item| item["property"]["name"].clone()).collect();
        assert_eq!(names, expected, "{query}");
    }
    let hours = fixture.property(&token, "DEV-A1", "hours").await;
    assert_eq!(
        (&hours["value"], &hours["direction"], &hours["read_only"]),
        (&json!(12.5), &json!("output"), &json!(true))
    );
    let by_key = fixture.get(&token, &format!("/apiv1/properties/{}.json", hours["key"])).await.body;
    assert_eq!(by_key["property"], hours);
    let by_device = format!("/apiv1/devices/{}/properties/hours", hours["device_key"]);
    assert_eq!(fixture.get(&token, &by_device).await.body["property"], hours);
    let foreign = fixture.token(World::PARTNER_ADMIN_B).await;
    assert_eq!(fixture.get(&foreign, &format!("/apiv1/properties/{}", hours["key"])).await.status, 404);
}
