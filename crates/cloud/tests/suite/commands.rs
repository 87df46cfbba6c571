//! Commands of users, and reports and acks of devices.

use cloud::testing::World;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::client::Fixture;

/// Value, reported value and state of the newest command.
async fn seen(fixture: &Fixture, token: &str) -> (Value, Value, Value) {
    let mut property = fixture.property(token, "DEV-A1", "intensity").await;
    (property["value"].take(), property["reported_value"].take(), property["command"]["state"].take())
}

async fn datapoint(fixture: &Fixture, token: &str, id: &str) -> Value {
    let path = format!("/apiv1/dsns/DEV-A1/properties/intensity/datapoints/{id}.json");
    fixture.get(token, &path).await.body["datapoint"].take()
}

#[tokio::test]
async fn command_takes_precedence_over_reports_until_it_is_acknowledged() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let device = fixture.cloud.device("DEV-A1").await;
    assert_eq!(seen(&fixture, &token).await, (json!(20), json!(20), json!(null)));
    let id = fixture.command(&token, "DEV-A1", "intensity", json!(30)).await;
    device.report(&[("intensity", json!(21)), ("hours", json!(13))]).await;
    assert_eq!(seen(&fixture, &token).await, (json!(30), json!(21), json!("pending")));
    assert_eq!(device.pending().await, [(id.clone(), "intensity".to_owned(), json!(30))]);

    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    device.ack(&id, 200, 0).await;
    assert_eq!(seen(&fixture, &token).await, (json!(30), json!(30), json!("acknowledged")));
    assert_eq!(device.pending().await, []);
    let key = fixture.device_key(&token, "DEV-A1").await;
    let path = format!("/apiv1/devices/{key}/properties/intensity/datapoints/{id}.json");
    let datapoint = fixture.get(&token, &path).await.body["datapoint"].take();
    assert_eq!(datapoint["acked_at"], "2026-11-20T10:00:01Z");
    assert_eq!((&datapoint["ack_status"], &datapoint["ack_message"]), (&json!(200), &json!(0)));
    device.report(&[("intensity", json!(25))]).await;
    assert_eq!(seen(&fixture, &token).await, (json!(25), json!(25), json!("acknowledged")));
}

#[tokio::test]
async fn list_contains_every_member_of_a_property() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let datapoint = json!({ "datapoint": { "value": 30, "metadata": { "by": "a test" } } });
    let path = "/apiv1/dsns/DEV-A1/properties/intensity/datapoints";
    let id = fixture.post(&token, path, datapoint).await.body["datapoint"]["id"].take();
    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    fixture.cloud.device("DEV-A1").await.ack(id.as_str().unwrap(), 200, 7).await;
    let key = fixture.property(&token, "DEV-A1", "intensity").await["key"].take();
    let lists = ["/apiv1/dsns/DEV-A1/properties.json?names[]=intensity", "/apiv1/dsns/DEV-A1.json?include=properties"];
    for list in lists {
        let mut body = fixture.get(&token, list).await.body;
        let properties = if body.is_array() { body.take() } else { body["device"]["properties"].take() };
        let listed = properties.as_array().unwrap().iter().find(|item| item["property"]["key"] == key).unwrap();
        let expected = json!({
            "read_only": false, "metadata": { "by": "a test" }, "key": key, "base_type": "integer", "value": 30,
            "data_updated_at": "2026-11-20T10:00:01Z", "name": "intensity", "display_name": "intensity",
            "direction": "input", "type": "Property", "ack_enabled": true, "ack_status": 200, "ack_message": 7,
            "acked_at": "2026-11-20T10:00:01Z",
        });
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(&listed["property"][member], value, "{list} {member}");
        }
    }
    let hours = fixture.property(&token, "DEV-A1", "hours").await;
    assert_eq!((&hours["read_only"], &hours["metadata"]), (&json!(true), &json!({})));
}

#[tokio::test]
async fn refused_command_falls_back_to_what_the_device_reported() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let id = fixture.command(&token, "DEV-A1", "intensity", json!(30)).await;
    let device = fixture.cloud.device("DEV-A1").await;
    device.ack(&id, 422, 7).await;
    assert_eq!(seen(&fixture, &token).await, (json!(20), json!(20), json!("failed")));
    // The first ack counts.
    device.ack(&id, 200, 0).await;
    assert_eq!(seen(&fixture, &token).await.2, json!("failed"));
}

#[tokio::test]
async fn unanswered_command_expires_after_a_week() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let id = fixture.command(&token, "DEV-A1", "intensity", json!(30)).await;
    let device = fixture.cloud.device("DEV-A1").await;
    fixture.cloud.clock().advance(SignedDuration::from_secs(7 * 86_400 - 1));
    fixture.cloud.expire_commands().await;
    let token = fixture.token(World::ADMIN).await;
    assert_eq!(seen(&fixture, &token).await.2, json!("pending"));
    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    assert_eq!(device.pending().await, [], "expired commands are not sent");
    fixture.cloud.expire_commands().await;
    assert_eq!(seen(&fixture, &token).await, (json!(20), json!(20), json!("expired")));
    assert_eq!(datapoint(&fixture, &token, &id).await["expired"], json!(true));
    // A late ack of the device still counts.
    device.ack(&id, 200, 0).await;
    assert_eq!(seen(&fixture, &token).await, (json!(30), json!(30), json!("acknowledged")));
    assert_eq!(datapoint(&fixture, &token, &id).await.get("expired"), None);
}

#[tokio::test]
async fn newest_command_of_a_property_is_pending() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let device = fixture.cloud.device("DEV-A1").await;
    let overtaken = fixture.command(&token, "DEV-A1", "intensity", json!(30)).await;
    let fan = fixture.command(&token, "DEV-A1", "fan", json!(2)).await;
    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    let newest = fixture.command(&token, "DEV-A1", "intensity", json!(40)).await;
    let ids: Vec<_> = device.pending().await.into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, [fan, newest.clone()], "oldest first");
    device.ack(&overtaken, 200, 0).await;
    assert_eq!(seen(&fixture, &token).await, (json!(40), json!(30), json!("pending")));
    device.ack(&newest, 200, 0).await;
    assert_eq!(seen(&fixture, &token).await, (json!(40), json!(40), json!("acknowledged")));
}

#[tokio::test]
async fn device_acknowledges_only_its_own_commands() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let id = fixture.command(&token, "DEV-A1", "intensity", json!(30)).await;
    fixture.cloud.device("DEV-B1").await.ack(&id, 200, 0).await;
    assert_eq!(seen(&fixture, &token).await.2, json!("pending"));
}

#[tokio::test]
async fn property_without_acks_shows_none() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let id = fixture.command(&token, "DEV-A1", "lamp", json!(true)).await;
    fixture.cloud.device("DEV-A1").await.ack(&id, 200, 0).await;
    let lamp = fixture.property(&token, "DEV-A1", "lamp").await;
    assert_eq!((&lamp["value"], lamp.get("acked_at")), (&json!(1), None));
}

#[tokio::test]
async fn datapoints_are_listed_oldest_first_within_their_bounds() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let device = fixture.cloud.device("DEV-A1").await;
    for value in 1..=3 {
        device.report(&[("fan", json!(value))]).await;
        fixture.cloud.clock().advance(SignedDuration::from_secs(10));
    }
    let path = "/apiv1/dsns/DEV-A1/properties/fan/datapoints.json";
    let table = [
        ("", vec![1, 2, 3]),
        ("limit=2", vec![2, 3]),
        ("limit=0", vec![1, 2, 3]),
        ("limit=500&paginated=false", vec![1, 2, 3]),
        ("filter[created_at_since_date]=2026-11-20T10:00:10Z", vec![2, 3]),
        ("filter[created_at_end_date]=2026-11-20T10:00:10Z", vec![1, 2]),
        ("filter[created_at_end_date]=2026-11-20T10:00:15%2B00:00&limit=1", vec![2]),
    ];
    for (query, expected) in table {
        let list = fixture.get(&token, &format!("{path}?{query}")).await.body;
        let values: Vec<_> = list.as_array().unwrap().iter().map(|item| item["datapoint"]["value"].clone()).collect();
        assert_eq!(values, expected, "{query}");
        assert!(list.as_array().unwrap().iter().all(|item| item["datapoint"]["echo"] == true));
    }
    for query in ["limit=x", "filter[created_at_since_date]=yesterday"] {
        assert_eq!(fixture.get(&token, &format!("{path}?{query}")).await.status, 422, "{query}");
    }
}

#[tokio::test]
async fn replaced_connection_does_not_set_the_device_offline() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let device = fixture.cloud.device("DEV-A1").await;
    let status = async || fixture.get(&token, "/apiv1/dsns/DEV-A1").await.body["device"]["connection_status"].take();
    let first = device.connect().await;
    let second = device.connect().await;
    device.disconnect(first).await;
    assert_eq!(status().await, "Online");
    device.disconnect(second).await;
    assert_eq!(status().await, "Offline");
}

#[test]
fn only_one_statement_sets_acked_at() {
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let text = std::fs::read_to_string(&entry).unwrap().to_lowercase();
            let sets = text.split('"').filter(|literal| {
                let literal = literal.split_whitespace().collect::<Vec<_>>().join(" ");
                let writes = literal.starts_with("update command set") || literal.starts_with("insert into command");
                let assigned = literal.split(" where ").next().unwrap_or_default();
                writes && assigned.contains("acked_at")
            });
            let calls = text.matches("record_ack(").count();
            found.extend(sets.map(|_| format!("sets: {}", entry.file_name().unwrap().display())));
            found.extend((0..calls).map(|_| format!("names: {}", entry.file_name().unwrap().display())));
        }
    }
    found.sort();
    // The function itself, its one statement, and the device link's call.
    assert_eq!(found, ["names: commands.rs", "names: persist.rs", "sets: commands.rs"]);
}
