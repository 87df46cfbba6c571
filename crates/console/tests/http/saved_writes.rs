//! A saved write succeeds even if the cloud refuses every request after it.

use std::time::Duration;

use cloud::testing::Fault;
use serde_json::{Value, json};

use crate::authorisation::invitation;
use crate::browser::{Answer, Browser};
use crate::schedule;
use crate::world::*;

const PASS: Fault = Fault::Delay(Duration::ZERO);
/// More requests than any write makes.
const MAX_REQUESTS: usize = 60;

/// Repeats a write of different values. Each time the cloud answers one more request and refuses the rest, until the whole
/// write succeeds. `write` gets a new number each time.
async fn refused_after_each_request(world: &World, mut write: impl AsyncFnMut(i64) -> Answer) {
    let mut saved_but_stale = 0;
    for answered in 0..MAX_REQUESTS {
        let faults = world.cloud.faults();
        for number in 0..MAX_REQUESTS {
            faults.push(if number < answered { PASS } else { Fault::UnprocessableEntity });
        }
        let answer = write(i64::try_from(answered).unwrap()).await;
        faults.clear();
        if answer.status >= 400 {
            assert_eq!(saved_but_stale, 0, "after {answered} requests a saved write fails: {}", answer.body);
            continue;
        }
        if answer.body["stale"] == false {
            assert!(saved_but_stale > 0, "no write was stale");
            return;
        }
        assert_eq!(answer.body["stale"], true, "{}", answer.body);
        saved_but_stale += 1;
    }
    panic!("the write never succeeded");
}

fn device() -> String {
    format!("/api/devices/dsns/{NORTH}")
}

#[tokio::test]
async fn saved_settings_that_cannot_be_read_back_are_stale() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("{}/settings", device());
    let write = async |number| browser.put(&path, &json!({ "intensity": 21 + number })).await;
    refused_after_each_request(&world, write).await;
}

#[tokio::test]
async fn saved_schedule_that_cannot_be_read_back_is_stale() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("{}/schedule", device());
    let write = async |number: i64| {
        let mut form = schedule::running_at_noon();
        form["frames"][0]["startMinute"] = json!(number % 60);
        browser.put(&path, &form).await
    };
    refused_after_each_request(&world, write).await;
}

#[tokio::test]
async fn saved_device_form_that_cannot_be_read_back_is_stale() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let write = async |number| browser.put(&device(), &json!({ "customer": format!("Hotel {number}") })).await;
    refused_after_each_request(&world, write).await;
    assert_eq!(browser.get(&device()).await.body["stale"], false);
}

#[tokio::test]
async fn level_reset_that_cannot_be_read_back_is_stale_and_cannot_be_undone() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("{}/fragrance-level/reset", device());
    let write = async |_| {
        let answer = browser.post(&path, &Value::Null).await;
        if answer.body["stale"] == true {
            assert_eq!(answer.body["reset"]["undo"], Value::Null);
        }
        answer
    };
    refused_after_each_request(&world, write).await;
}

#[tokio::test]
async fn saved_notifications_that_cannot_be_read_back_are_stale() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("{}/notifications", device());
    let write = async |number| {
        let recipient = format!("jo{number}@example.com");
        browser
            .post(&path, &json!({ "method": "email", "recipient": recipient, "events": { "connected": true } }))
            .await
    };
    refused_after_each_request(&world, write).await;
}

#[tokio::test]
async fn saved_person_who_cannot_be_read_back_is_stale() {
    let world = World::start().await;
    let mut browser: Browser = world.signed_in(NORTH_ADMIN).await;
    let invited = browser.post("/api/users", &invitation("bob@example.com", json!({}))).await;
    let page = format!("/api/users/{}", invited.body["id"].as_str().unwrap());
    let write = async |number: i64| browser.put(&page, &json!({ "phone": number.to_string() })).await;
    refused_after_each_request(&world, write).await;
}
