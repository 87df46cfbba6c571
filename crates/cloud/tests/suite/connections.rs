//! The connection history of a device.

use cloud::testing::World;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Fixture;

const HISTORY: &str = "/apiv1/dsns/DEV-A1/connection_history";

/// The device connects at ten, disconnects at eleven, and so on.
async fn come_and_go(fixture: &Fixture, times: usize) {
    let device = fixture.cloud.device("DEV-A1").await;
    for _ in 0..times {
        let generation = device.connect().await;
        fixture.cloud.clock().advance(SignedDuration::from_hours(1));
        device.disconnect(generation).await;
        fixture.cloud.clock().advance(SignedDuration::from_hours(1));
    }
}

fn times(body: &Value) -> Vec<&str> {
    let changes = body.as_array().unwrap().iter();
    changes.map(|change| &change["connection"]["event_time"].as_str().unwrap()[11..13]).collect()
}

#[tokio::test]
async fn changes_are_listed_oldest_first() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::OBSERVER).await;
    assert_eq!(fixture.get(&token, HISTORY).await.body, json!([]));
    come_and_go(&fixture, 1).await;
    let change = |at, status| json!({ "connection": { "event_time": at, "status": status } });
    let expected = json!([change("2026-11-20T10:00:00Z", "Online"), change("2026-11-20T11:00:00Z", "Offline")]);
    let key = fixture.device_key(&token, "DEV-A1").await;
    for path in [HISTORY.to_owned(), format!("{HISTORY}.json"), format!("/apiv1/devices/{key}/connection_history.json")]
    {
        let answer = fixture.get(&token, &path).await;
        assert_eq!((answer.status, &answer.body), (200, &expected), "{path}");
    }
    let status = fixture.get(&token, "/apiv1/dsns/DEV-A1").await.body["device"]["connection_status"].take();
    assert_eq!(status, "Offline");
}

#[tokio::test]
async fn time_range_and_limit_select_changes() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::OBSERVER).await;
    come_and_go(&fixture, 3).await;
    let since = |hour: u8| format!("filter[created_at_since_date]=2026-11-20T{hour}:30:00Z");
    let until = |hour: u8| format!("filter[created_at_end_date]=2026-11-20T{hour}:30:00Z");
    let table = [
        (since(13), vec!["13", "14", "15"]),
        (since(16), vec!["15"]),
        (until(11), vec!["10", "11"]),
        (format!("{}&{}", since(11), until(12)), vec!["11", "12"]),
        (format!("{}&{}", since(12), until(11)), vec![]),
        ("created_at_since_date=2026-11-20T14:30:00Z".to_owned(), vec!["14", "15"]),
        ("limit=2".to_owned(), vec!["14", "15"]),
        (format!("limit=1&{}", until(12)), vec!["12"]),
        ("limit=0".to_owned(), vec!["10", "11", "12", "13", "14", "15"]),
        ("limit=1001&unknown=1".to_owned(), vec!["10", "11", "12", "13", "14", "15"]),
    ];
    for (query, expected) in table {
        let answer = fixture.get(&token, &format!("{HISTORY}?{query}")).await;
        assert_eq!((answer.status, times(&answer.body)), (200, expected), "{query}");
    }
}

#[tokio::test]
async fn invalid_limit_or_time_is_rejected_with_its_field() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::OBSERVER).await;
    for (query, field) in [
        ("limit=many", "limit"),
        ("filter[created_at_since_date]=yesterday", "created_at_since_date"),
        ("filter[created_at_end_date]=2026-11-20", "created_at_end_date"),
    ] {
        let answer = fixture.get(&token, &format!("{HISTORY}?{query}")).await;
        assert_eq!(answer.status, 422, "{query}");
        assert!(answer.body["errors"][field][0].is_string(), "{query} {}", answer.body);
    }
    for path in ["/apiv1/dsns/NO-SUCH/connection_history", "/apiv1/devices/x/connection_history"] {
        assert_eq!(fixture.get(&token, path).await.status, 404, "{path}");
    }
    assert_eq!(fixture.call(Method::POST, HISTORY, Some(&token), None).await.status, 405);
}
