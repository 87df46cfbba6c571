//! Permissions of a share's recipient, from the start of the share to its end.

use std::time::Duration;

use cloud::testing::World;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Fixture;
use crate::shares::{GUEST, SHARES, device, give, guest};
use crate::stream::{event, subscribe};

const FAN: &str = "/apiv1/dsns/DEV-U1/properties/fan/datapoints";

fn pass(fixture: &Fixture, seconds: u64) {
    fixture.cloud.clock().advance(Duration::from_secs(seconds).try_into().unwrap());
}

async fn dsns(fixture: &Fixture, token: &str, query: &str) -> Vec<Value> {
    let list = fixture.get(token, &format!("/apiv1/devices.json?{query}")).await.body;
    let list = list.get("devices").cloned().unwrap_or(list);
    list.as_array().unwrap().iter().map(|item| item["device"]["dsn"].clone()).collect()
}

/// The status of each call on a device.
async fn calls(fixture: &Fixture, token: &str, key: i64, property: &Value) -> [u16; 10] {
    let datapoint = json!({ "datapoint": { "value": 3 } });
    let batch = json!({ "batch_datapoints": [{ "dsn": "DEV-U1", "name": "fan", "datapoint": { "value": 3 } }] });
    let batch = fixture.post(token, "/apiv1/batch_datapoints", batch).await.body;
    let status = async |method: Method, path: &str, body: Option<Value>| {
        fixture.call(method, path, Some(token), body).await.status
    };
    let (dsn, device) = ("/apiv1/dsns/DEV-U1", format!("/apiv1/devices/{key}"));
    [
        status(Method::GET, dsn, None).await,
        status(Method::GET, &format!("{dsn}/properties"), None).await,
        status(Method::GET, &format!("/apiv1/properties/{property}/datapoints"), None).await,
        status(Method::GET, &format!("{dsn}/data"), None).await,
        status(Method::POST, "/api/v1/subscriptions", Some(json!({ "dsn": "DEV-U1" }))).await,
        status(Method::POST, FAN, Some(datapoint)).await,
        u16::try_from(batch[0]["status"].as_u64().unwrap()).unwrap(),
        status(Method::PUT, &device, Some(json!({ "device": { "product_name": "Mine" } }))).await,
        status(Method::POST, &format!("{dsn}/data"), Some(json!({ "datum": { "key": "k", "value": "v" } }))).await,
        status(Method::DELETE, &device, None).await,
    ]
}

#[tokio::test]
async fn recipient_of_a_share_reads_or_commands_between_start_and_end() {
    let nothing = [404; 10];
    let read = [200, 200, 200, 200, 201, 403, 403, 403, 403, 403];
    let write = [200, 200, 200, 200, 201, 201, 201, 403, 403, 403];
    let table = [
        (json!({ "operation": "read" }), read),
        (json!({ "operation": "write" }), write),
        (json!({ "role_name": "OEM::Observer" }), read),
        (json!({ "role_name": "OEM::Partner::Technician" }), write),
    ];
    for (right, expected) in table {
        let fixture = Fixture::start().await;
        let (owner, guest) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
        let key = fixture.device_key(&owner, "DEV-U1").await;
        let property = fixture.property(&owner, "DEV-U1", "fan").await["key"].take();
        let mut share = right.clone();
        share["start_date_at"] = json!("2026-11-20T11:00:00Z");
        share["end_date_at"] = json!("2026-11-20T12:00:00Z");
        assert_eq!(give(&fixture, &owner, device("DEV-U1", GUEST, share)).await.status, 201);
        for (seconds, expected) in [(3599, nothing), (1, expected), (3599, expected), (1, nothing)] {
            pass(&fixture, seconds);
            let now = fixture.cloud.clock().now();
            assert_eq!(calls(&fixture, &guest, key, &property).await, expected, "{right} at {now}");
            let seen = if expected == nothing { vec![] } else { vec![json!("DEV-U1")] };
            assert_eq!(dsns(&fixture, &guest, "").await, seen, "{right} at {now}");
            assert_eq!(dsns(&fixture, &guest, "paginated=true&include=data").await, seen, "{right} at {now}");
        }
        assert_eq!(dsns(&fixture, &owner, "").await, ["DEV-U1"]);
    }
}

#[tokio::test]
async fn share_without_dates_starts_immediately_and_never_ends() {
    let fixture = Fixture::start().await;
    for empty in [json!({}), json!({ "start_date_at": "", "end_date_at": "" }), json!({ "start_date_at": null })] {
        let (owner, guest) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
        let made = give(&fixture, &owner, device("DEV-U1", GUEST, empty)).await.body;
        assert_eq!(dsns(&fixture, &guest, "").await, ["DEV-U1"]);
        pass(&fixture, 400 * 24 * 3600);
        let (owner, guest) = (fixture.token(World::END_USER).await, fixture.token(GUEST).await);
        assert_eq!(dsns(&fixture, &guest, "").await, ["DEV-U1"]);
        let path = format!("{SHARES}/{}", made["share"]["id"]);
        assert_eq!(fixture.delete(&owner, &path).await.status, 204);
        assert!(dsns(&fixture, &guest, "").await.is_empty());
    }
}

#[tokio::test]
async fn shared_device_contains_its_grant_and_an_own_one_has_none() {
    let fixture = Fixture::start().await;
    let (owner, guest) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
    let admin = fixture.token(World::ADMIN).await;
    let end = json!({ "role_name": "OEM::Partner::Admin", "end_date_at": "2026-11-21T10:00:00Z" });
    let share = give(&fixture, &owner, device("DEV-U1", GUEST, end)).await.body["share"].take();
    give(&fixture, &admin, device("DEV-A1", GUEST, json!({}))).await;
    let expected = json!({
        "user_id": share["user_id"], "start_date_at": null, "end_date_at": "2026-11-21T10:00:00Z", "operation": "write",
        "role": "OEM::Partner::Admin", "share_id": share["id"],
    });
    let list = fixture.get(&guest, "/apiv1/devices?order_by=dsn&order=desc").await.body;
    assert_eq!(list[0]["device"]["grant"], expected);
    assert_eq!(
        (&list[1]["device"]["dsn"], &list[1]["device"]["grant"]["operation"]),
        (&json!("DEV-A1"), &json!("read"))
    );
    assert_eq!(fixture.get(&guest, "/apiv1/dsns/DEV-U1").await.body["device"]["grant"], expected);
    for token in [&owner, &admin] {
        let one = fixture.get(token, "/apiv1/dsns/DEV-U1").await.body["device"].take();
        assert_eq!((one["dsn"].as_str(), one.get("grant")), (Some("DEV-U1"), None));
    }
    // The caller's own devices and shared ones form one list, also when paged.
    give(&fixture, &admin, device("DEV-A1", World::END_USER, json!({}))).await;
    for query in ["", "paginated=true&order_by=key", "filter[key_after]=0"] {
        assert_eq!(dsns(&fixture, &owner, query).await, ["DEV-A1", "DEV-U1"], "{query}");
    }
    assert_eq!(dsns(&fixture, &owner, "paginated=true&per_page=1&page=2").await, ["DEV-U1"]);
    assert_eq!(fixture.get(&owner, "/apiv1/devices?paginated=true").await.body["total"], 2);
}

#[tokio::test]
async fn open_stream_contains_a_shared_device_during_the_share_only() {
    let fixture = Fixture::start().await;
    let (owner, _) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
    let admin = fixture.token(World::ADMIN).await;
    let (_, mut socket) = subscribe(&fixture, GUEST, json!({})).await;
    // A share without an end gives the test an event to wait for.
    give(&fixture, &admin, device("DEV-A1", GUEST, json!({}))).await;
    let (shared, marker) = (fixture.cloud.device("DEV-U1").await, fixture.cloud.device("DEV-A1").await);
    let mut is_received = async || {
        shared.report(&[("fan", json!(1))]).await;
        marker.report(&[("fan", json!(1))]).await;
        let mut received = false;
        while event(&mut socket).await["metadata"]["dsn"] == "DEV-U1" {
            received = true;
        }
        received
    };
    assert!(!is_received().await, "before it is shared");
    let period = json!({ "start_date_at": "2026-11-20T11:00:00Z", "end_date_at": "2026-11-20T12:00:00Z" });
    give(&fixture, &owner, device("DEV-U1", GUEST, period)).await;
    for (seconds, expected) in [(3599, false), (1, true), (3599, true), (1, false)] {
        pass(&fixture, seconds);
        assert_eq!(is_received().await, expected, "at {}", fixture.cloud.clock().now());
    }
    let share = give(&fixture, &owner, device("DEV-U1", GUEST, json!({}))).await.body["share"].take();
    assert!(is_received().await, "shared again");
    assert_eq!(fixture.delete(&owner, &format!("{SHARES}/{}", share["id"])).await.status, 204);
    assert!(!is_received().await, "ended");
}

#[tokio::test]
async fn shares_are_deleted_with_the_device() {
    let fixture = Fixture::start().await;
    let (owner, guest) = (fixture.token(World::END_USER).await, guest(&fixture, GUEST).await);
    assert_eq!(give(&fixture, &owner, device("DEV-U1", GUEST, json!({}))).await.status, 201);
    let key = fixture.device_key(&owner, "DEV-U1").await;
    assert_eq!(fixture.delete(&owner, &format!("/apiv1/devices/{key}")).await.status, 200);
    assert!(dsns(&fixture, &guest, "").await.is_empty());
    assert_eq!(fixture.get(&guest, &format!("{SHARES}/received")).await.body, json!([]));
    assert_eq!(fixture.get(&owner, SHARES).await.body, json!([]));
}
