//! The data (keys with texts) that users keep for themselves.

use std::time::Duration;

use cloud::testing::World;
use serde_json::json;

use crate::client::Fixture;
use crate::client_devices::signed_in;
use crate::data::{check_input, datum, keys};

const DATA: &str = "/api/v1/users/data";

#[tokio::test]
async fn datum_is_created_read_changed_and_deleted() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let made = fixture.post(&token, DATA, datum("theme a/1", "Café 🌸")).await;
    assert_eq!(made.status, 201);
    let expected = json!({
        "key": "theme a/1", "value": "Café 🌸",
        "created_at": "2026-11-20T10:00:00Z", "updated_at": "2026-11-20T10:00:00Z",
    });
    assert_eq!(made.body["datum"], expected);
    let one = format!("{DATA}/theme%20a%2F1.json");
    assert_eq!(fixture.get(&token, &one).await.body, made.body);

    fixture.cloud.clock().advance(Duration::from_secs(60).try_into().unwrap());
    let changed = fixture.put(&token, &one, json!({ "datum": { "value": "", "key": "other" } })).await;
    assert_eq!((changed.status, &changed.body["datum"]["value"]), (200, &json!("")));
    assert_eq!(changed.body["datum"]["key"], "theme a/1", "the key is that of the path");
    assert_eq!(changed.body["datum"]["updated_at"], "2026-11-20T10:01:00Z");
    assert_eq!(changed.body["datum"]["created_at"], "2026-11-20T10:00:00Z");

    assert_eq!(fixture.delete(&token, &one).await.status, 204);
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
    let token = fixture.token(World::OBSERVER).await;
    for key in ["zone", "cart_name", "cart_id"] {
        assert_eq!(fixture.post(&token, DATA, datum(key, "1")).await.status, 201);
    }
    let table: [(&str, &[&str]); 9] = [
        ("", &["cart_id", "cart_name", "zone"]),
        ("keys=zone", &["zone"]),
        ("keys=zone&keys=cart_id", &["cart_id", "zone"]),
        ("keys[]=zone&keys[]=cart_id", &["cart_id", "zone"]),
        ("keys=zone,cart_id", &["cart_id", "zone"]),
        ("keys=cart%25", &["cart_id", "cart_name"]),
        ("keys=%25_name", &["cart_name"]),
        ("keys=%25n%25", &["cart_name", "zone"]),
        ("keys=no_such", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(keys(&fixture, &token, DATA, query).await, expected, "{query}");
    }
    for other in [World::ADMIN, World::END_USER] {
        let token = fixture.token(other).await;
        assert!(keys(&fixture, &token, DATA, "").await.is_empty(), "{other} has data of their own");
        assert_eq!(fixture.get(&token, &format!("{DATA}/zone")).await.status, 404);
        assert_eq!(
            fixture.put(&token, &format!("{DATA}/zone"), json!({ "datum": { "value": "2" } })).await.status,
            404
        );
        assert_eq!(fixture.delete(&token, &format!("{DATA}/zone")).await.status, 404);
        assert_eq!(fixture.post(&token, DATA, datum("zone", "2")).await.status, 201, "the same key");
    }
    assert_eq!(fixture.get(&token, &format!("{DATA}/zone")).await.body["datum"]["value"], "1");
}

#[tokio::test]
async fn invalid_field_of_a_datum_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    fixture.post(&token, DATA, datum("theme", "dark")).await;
    check_input(&fixture, &token, DATA, "theme").await;
}

#[tokio::test]
async fn user_has_at_most_256_data_entries_despite_concurrent_writes() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::END_USER).await;
    let calls = (0..300).map(async |n| fixture.post(&token, DATA, datum(&format!("key {n}"), "1")).await);
    let answers = futures::future::join_all(calls.collect::<Vec<_>>()).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), keys(&fixture, &token, DATA, "").await.len()), (256, 256));
    for answer in refused {
        assert_eq!((answer.status, answer.body["errors"]["base"][0].is_string()), (422, true), "{}", answer.body);
    }
    let key = made[0].body["datum"]["key"].as_str().unwrap().replace(' ', "%20");
    assert_eq!(fixture.delete(&token, &format!("{DATA}/{key}")).await.status, 204);
    assert_eq!(fixture.post(&token, DATA, datum("one more", "1")).await.status, 201);
}

#[tokio::test]
async fn data_of_a_user_is_managed_through_the_library() {
    let fixture = Fixture::start().await;
    let data = signed_in(&fixture, World::END_USER).await.user_data();
    let made = data.create("theme a/1", "dark").await.unwrap();
    assert_eq!((made.key.as_str(), made.created_at.is_some()), ("theme a/1", true));
    assert_eq!(data.get("theme a/1").await.unwrap(), made);
    let taken = data.create("theme a/1", "light").await.unwrap_err();
    assert_eq!((taken.status(), taken.fields()[0].0.as_str()), (Some(422), "key"));
    data.create("units", "metric").await.unwrap();
    let keys = async |keys: &[&str]| -> Vec<String> {
        let data = data.list().keys(keys.iter().copied()).send().await.unwrap();
        data.into_iter().map(|datum| datum.key).collect()
    };
    assert_eq!(keys(&[]).await, ["theme a/1", "units"]);
    assert_eq!(keys(&["units", "floor"]).await, ["units"]);
    assert_eq!(keys(&["theme%"]).await, ["theme a/1"]);
    for other in [World::ADMIN, World::TECHNICIAN_A] {
        let other = signed_in(&fixture, other).await.user_data();
        assert!(other.list().send().await.unwrap().is_empty());
        assert_eq!(other.update("units", "imperial").await.unwrap_err().status(), Some(404));
    }
    assert_eq!(data.update("units", "").await.unwrap().value, "");
    data.without_retry().delete("units").await.unwrap();
    assert_eq!(signed_in(&fixture, World::END_USER).await.user_data().list().send().await.unwrap(), [made]);
}
