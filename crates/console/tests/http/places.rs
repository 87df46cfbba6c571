use console::RateLimits;
use serde_json::{Value, json};

use crate::world::*;

fn path(latitude: &str, longitude: &str) -> String {
    format!("/api/places?latitude={latitude}&longitude={longitude}")
}

fn place(time_zone: Option<&str>, country_code: Option<&str>, state_code: Option<&str>) -> Value {
    json!({ "timeZone": time_zone, "countryCode": country_code, "stateCode": state_code })
}

#[tokio::test]
async fn everybody_signed_in_gets_zone_country_and_state_of_a_position() {
    let world = World::start().await;
    let rows = [
        ("48.8566", "2.3522", place(Some("Europe/Paris"), Some("FR"), None)),
        ("43.0389", "-87.9065", place(Some("America/Chicago"), Some("US"), Some("WI"))),
        ("35.6812", "139.7671", place(Some("Asia/Tokyo"), Some("JP"), None)),
        ("0", "-140", place(None, None, None)),
        ("-90", "0", place(Some("Antarctica/McMurdo"), None, None)),
        ("90", "-180", place(None, None, None)),
    ];
    for email in [ADMIN, NORTH_TECH, NO_ROLE] {
        let mut browser = world.signed_in(email).await;
        let zones = browser.get("/api/time-zones").await.body;
        for (latitude, longitude, expected) in &rows {
            let answer = browser.get(&path(latitude, longitude)).await;
            assert_eq!((answer.status, &answer.body), (200, expected), "{latitude}, {longitude} by {email}");
            let zone = &answer.body["timeZone"];
            assert!(zone.is_null() || zones.as_array().unwrap().contains(zone), "{expected}");
        }
    }
    let answer = world.browser().get(&path("48.8566", "2.3522")).await;
    assert_eq!((answer.status, answer.code()), (401, "not_signed_in"));
}

#[tokio::test]
async fn degrees_that_are_missing_repeated_or_out_of_range_are_refused() {
    const REQUIRED: &str = "is required";
    const REPEATED: &str = "must be given once";
    const LATITUDE: &str = "must be between -90 and 90";
    const LONGITUDE: &str = "must be between -180 and 180";
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    for (query, errors) in [
        ("", json!({ "latitude": [REQUIRED], "longitude": [REQUIRED] })),
        ("latitude=1", json!({ "longitude": [REQUIRED] })),
        ("latitude=&longitude=2", json!({ "latitude": [REQUIRED] })),
        ("latitude=1&latitude=1&longitude=2", json!({ "latitude": [REPEATED] })),
        ("latitude=1&longitude=2&longitude=3", json!({ "longitude": [REPEATED] })),
        ("latitude=90.000001&longitude=-180.1", json!({ "latitude": [LATITUDE], "longitude": [LONGITUDE] })),
        ("latitude=NaN&longitude=inf", json!({ "latitude": [LATITUDE], "longitude": [LONGITUDE] })),
        ("latitude=-infinity&longitude=1e999", json!({ "latitude": [LATITUDE], "longitude": [LONGITUDE] })),
        ("latitude=48,8&longitude=Paris", json!({ "latitude": [LATITUDE], "longitude": [LONGITUDE] })),
        ("latitude=1%00&longitude=0x10", json!({ "latitude": [LATITUDE], "longitude": [LONGITUDE] })),
    ] {
        let answer = browser.get(&format!("/api/places?{query}")).await;
        assert_eq!((answer.status, answer.code()), (422, "invalid"), "{query}");
        assert_eq!(answer.body["errors"], errors, "{query}");
    }
}

#[tokio::test]
async fn look_ups_of_positions_are_limited_per_person() {
    let world = World::start_with(|config| config.rate_limits = RateLimits::default()).await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    for _ in 0..60 {
        assert_eq!(browser.get(&path("1", "2")).await.status, 200);
    }
    let answer = browser.get(&path("1", "2")).await;
    assert_eq!((answer.status, answer.code()), (429, "too_many_requests"));
    let wait: i64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert_eq!(world.signed_in(NORTH_ADMIN).await.get(&path("1", "2")).await.status, 200);
    world.pass_seconds(wait);
    assert_eq!(browser.get(&path("1", "2")).await.status, 200);
}

#[tokio::test]
async fn look_up_of_a_position_is_not_in_the_audit() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let before = browser.get("/api/audit").await.body;
    assert_eq!(browser.get(&path("48.8566", "2.3522")).await.status, 200);
    assert_eq!(browser.get("/api/audit").await.body, before);
}
