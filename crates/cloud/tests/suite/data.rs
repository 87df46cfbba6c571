//! The data (keys with texts) of devices.

use std::time::Duration;

use cloud::testing::World;
use serde_json::{Value, json};

use crate::client::Fixture;

const DATA: &str = "/apiv1/dsns/DEV-A1/data";

pub(crate) fn datum(key: &str, value: impl Into<Value>) -> Value {
    json!({ "datum": { "key": key, "value": value.into() } })
}

/// The keys of the data at this path.
pub(crate) async fn keys(fixture: &Fixture, token: &str, path: &str, query: &str) -> Vec<String> {
    let list = fixture.get(token, &format!("{path}.json?{query}")).await.body;
    list.as_array().unwrap().iter().map(|item| item["datum"]["key"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn datum_is_created_read_changed_and_deleted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let made = fixture.post(&token, DATA, datum("cart name/1", "Café 🌸")).await;
    assert_eq!(made.status, 201);
    let expected = json!({
        "key": "cart name/1", "value": "Café 🌸", "dsn": "DEV-A1", "from_template": false,
        "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:00Z",
    });
    assert_eq!(made.body["datum"], expected);
    let one = format!("{DATA}/cart%20name%2F1.json");
    assert_eq!(fixture.get(&token, &one).await.body, made.body);

    fixture.cloud.clock().advance(Duration::from_secs(60).try_into().unwrap());
    let changed = fixture.put(&token, &one, json!({ "datum": { "value": "", "key": "other" } })).await;
    assert_eq!((changed.status, &changed.body["datum"]["value"]), (200, &json!("")));
    assert_eq!(changed.body["datum"]["key"], "cart name/1", "the key is that of the path");
    assert_eq!(changed.body["datum"]["updated_at"], "2026-11-20T10:01:00Z");
    assert_eq!(changed.body["datum"]["created_at"], "2026-11-20T10:00:00Z");

    assert_eq!(fixture.delete(&token, &one).await.status, 200);
    let change = json!({ "datum": { "value": "x" } });
    for answer in
        [fixture.get(&token, &one).await, fixture.delete(&token, &one).await, fixture.put(&token, &one, change).await]
    {
        assert_eq!((answer.status, &answer.body["error"]), (404, &json!("Datum not found")));
    }
}

#[tokio::test]
async fn data_are_found_by_keys_in_every_spelling() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    for key in ["cart_name", "cart_id", "floor"] {
        assert_eq!(fixture.post(&token, DATA, datum(key, "1")).await.status, 201);
    }
    let table: [(&str, &[&str]); 10] = [
        ("", &["cart_id", "cart_name", "customer", "floor"]),
        ("keys=floor", &["floor"]),
        ("keys=floor&keys=customer", &["customer", "floor"]),
        ("keys[]=floor&keys[]=customer", &["customer", "floor"]),
        ("keys=floor,customer", &["customer", "floor"]),
        ("keys=cart%25", &["cart_id", "cart_name"]),
        ("keys=%25_name", &["cart_name"]),
        ("keys=%25o%25", &["customer", "floor"]),
        ("keys=no_such", &[]),
        ("keys=floor&keys=floor", &["floor"]),
    ];
    for (query, expected) in table {
        assert_eq!(keys(&fixture, &token, DATA, query).await, expected, "{query}");
    }
    let other = fixture.get(&token, "/apiv1/dsns/DEV-A2/data").await.body;
    assert_eq!(other.as_array().unwrap().len(), 1, "a device has its own data");
}

#[tokio::test]
async fn invalid_field_of_a_datum_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    check_input(&fixture, &token, DATA, "customer").await;
}

/// Checks that invalid data are refused with their field and change nothing. `taken` is the only key at this path.
pub(crate) async fn check_input(fixture: &Fixture, token: &str, path: &str, taken: &str) {
    let before = fixture.get(token, path).await.body;
    let table = [
        (json!({}), "key"),
        (json!({ "datum": "text" }), "datum"),
        (json!({ "datum": { "value": "1" } }), "key"),
        (datum(" ", "1"), "key"),
        (datum(&"k".repeat(256), "1"), "key"),
        (datum("a\u{0}", "1"), "key"),
        (json!({ "datum": { "key": 7, "value": "1" } }), "key"),
        (json!({ "datum": { "key": "floor" } }), "value"),
        (datum("floor", Value::Null), "value"),
        (datum("floor", 7), "value"),
        (datum("floor", "v".repeat(16 * 1024 + 1)), "value"),
        (datum("floor", "a\u{0}"), "value"),
        (datum(taken, "1"), "key"),
    ];
    for (body, field) in table {
        let answer = fixture.post(token, path, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}");
        assert!(answer.body["errors"][field][0].is_string(), "{body} {}", answer.body);
    }
    for body in [json!({}), json!({ "datum": [] }), json!({ "datum": { "value": 7 } })] {
        assert_eq!(fixture.put(token, &format!("{path}/{taken}"), body.clone()).await.status, 422, "{body}");
    }
    assert_eq!((fixture.get(token, path).await.body, before.as_array().unwrap().len()), (before.clone(), 1));
    for body in [datum(&"k".repeat(255), "v".repeat(16 * 1024)), datum("blank", "")] {
        assert_eq!(fixture.post(token, path, body).await.status, 201);
    }
}

#[tokio::test]
async fn data_beyond_the_limits_of_a_device_are_rejected() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    for number in 1..256 {
        assert_eq!(fixture.post(&token, DATA, datum(&format!("key {number}"), "")).await.status, 201);
    }
    let one_more = fixture.post(&token, DATA, datum("one more", "")).await;
    let too_many = json!({ "errors": { "base": ["has too many data (max: 256)"] } });
    assert_eq!((one_more.status, one_more.body), (422, too_many));

    let put = async |number: u32, value: String| {
        fixture.put(&token, &format!("{DATA}/key%20{number}"), json!({ "datum": { "value": value } })).await
    };
    for number in 1..4 {
        assert_eq!(put(number, "v".repeat(16 * 1024)).await.status, 200);
    }
    let longer = put(4, "v".repeat(16 * 1024)).await;
    let too_large = json!({ "errors": { "base": ["has too much data (max: 65536 bytes)"] } });
    assert_eq!((longer.status, longer.body), (422, too_large));
    assert_eq!(fixture.get(&token, &format!("{DATA}/key%204")).await.body["datum"]["value"], "");
}

#[tokio::test]
async fn data_is_deleted_with_the_device() {
    let fixture = Fixture::start().await;
    let (owner, admin) = (fixture.token(World::END_USER).await, fixture.token(World::ADMIN).await);
    let key = fixture.device_key(&owner, "DEV-U1").await;
    let path = "/apiv1/dsns/DEV-U1/data";
    assert_eq!(fixture.get(&owner, path).await.body.as_array().unwrap().len(), 1);
    assert_eq!(fixture.delete(&owner, &format!("/apiv1/devices/{key}")).await.status, 200);
    assert_eq!(fixture.get(&admin, path).await.body, json!([]));
    assert_eq!(fixture.get(&admin, &format!("{path}/customer")).await.status, 404);
}
