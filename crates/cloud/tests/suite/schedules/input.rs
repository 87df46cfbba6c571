//! Input of schedules and their actions.

use cloud::testing::World;
use serde_json::{Value, json};

use super::{action, path, schedule};
use crate::client::Fixture;

/// The object with this member changed; null removes the member.
fn with(mut object: Value, member: &str, value: Value) -> Value {
    object[member] = value;
    object
}

#[tokio::test]
async fn invalid_field_of_a_schedule_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let all = path(&fixture, "DEV-A1").await;
    let long = json!("x".repeat(256));
    for (member, value) in [
        ("name", json!(null)),
        ("name", json!(" ")),
        ("name", long.clone()),
        ("name", json!(7)),
        ("name", json!("a\u{0}b")),
        ("name", json!("opening_hours")),
        ("display_name", long),
        ("direction", json!("sideways")),
        ("active", json!("yes")),
        ("utc", json!(1)),
        ("fixed_actions", json!("no")),
        ("start_date", json!("2026-02-30")),
        ("start_date", json!("20260228")),
        ("start_date", json!(20_260_228)),
        ("end_date", json!("tomorrow")),
        ("start_time_each_day", json!("")),
        ("start_time_each_day", json!("24:00:01")),
        ("start_time_each_day", json!("8 o'clock")),
        ("start_time_each_day", json!("08:00:00.5")),
        ("end_time_each_day", json!("T18:00")),
        ("time_before_end", json!(-1)),
        ("duration", json!(0)),
        ("duration", json!(86_401)),
        ("duration", json!(1.5)),
        ("duration", json!("long")),
        ("interval", json!(59)),
        ("interval", json!([60])),
        ("days_of_week", json!([0])),
        ("days_of_week", json!([8])),
        ("days_of_week", json!(["1"])),
        ("days_of_week", json!("1,2")),
        ("days_of_week", json!(vec![1; 1000])),
        ("days_of_month", json!([33])),
        ("months_of_year", json!([13])),
        ("day_occur_of_month", json!([7])),
        ("day_occur_of_month", json!([-1])),
    ] {
        let answer =
            fixture.post(&token, &all, json!({ "schedule": with(schedule("new"), member, value.clone()) })).await;
        assert_eq!(answer.status, 422, "{member}: {value}: {}", answer.body);
        assert!(answer.body["errors"][member].is_array(), "{member}: {value}: {}", answer.body);
    }
    for (first, second, field) in [
        (("start_date", json!("2026-12-02")), ("end_date", json!("2026-12-01")), "end_date"),
        (("duration", json!(120)), ("interval", json!(60)), "duration"),
    ] {
        let both = with(with(schedule("new"), first.0, first.1), second.0, second.1);
        let answer = fixture.post(&token, &all, json!({ "schedule": both })).await;
        assert!(answer.body["errors"][field].is_array(), "{}", answer.body);
    }
    let answer = fixture.post(&token, &all, json!({ "schedule": [] })).await;
    assert_eq!(answer.status, 422);
    assert_eq!(fixture.get(&token, &all).await.body.as_array().unwrap().len(), 1, "nothing was made");
}

#[tokio::test]
async fn invalid_field_of_an_action_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let all = path(&fixture, "DEV-A1").await;
    let key = fixture.get(&token, &all).await.body[0]["schedule"]["key"].take();
    let actions = format!("/apiv1/schedules/{key}/schedule_actions");
    let both = with(action(), "at_end", json!(true));
    for (given, field) in [
        (with(action(), "name", json!(null)), "name"),
        (with(action(), "name", json!("no_such_property")), "name"),
        (with(action(), "name", json!("hours")), "name"),
        (with(action(), "name", json!("x".repeat(256))), "name"),
        (with(with(action(), "name", json!("intensity")), "value", json!(51)), "value"),
        (with(with(action(), "name", json!("log")), "value", json!("x")), "value"),
        (with(action(), "value", json!(null)), "value"),
        (with(action(), "value", json!("much")), "value"),
        (with(action(), "base_type", json!("")), "base_type"),
        (with(action(), "active", json!(1)), "active"),
        (with(action(), "at_start", json!("yes")), "at_start"),
        (both, "base"),
    ] {
        let answer = fixture.post(&token, &actions, json!({ "schedule_action": given.clone() })).await;
        assert_eq!(answer.status, 422, "{given}: {}", answer.body);
        assert!(answer.body["errors"][field].is_array(), "{given}: {}", answer.body);
    }
    assert_eq!(fixture.get(&token, &actions).await.body.as_array().unwrap().len(), 2, "nothing was made");
}

#[tokio::test]
async fn schedule_of_a_device_in_factory_stock_is_rejected() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let all = path(&fixture, "DEV-S1").await;
    let answer = fixture.post(&token, &all, json!({ "schedule": schedule("nights") })).await;
    assert_eq!((answer.status, answer.body), (422, json!({ "errors": { "base": ["is not registered"] } })));
    assert_eq!(fixture.get(&token, &all).await.body, json!([]));
}

#[tokio::test]
async fn numbers_of_schedules_and_actions_are_limited() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let all = path(&fixture, "DEV-A1").await;
    let mut status = Vec::new();
    for n in 0..50 {
        status.push(fixture.post(&token, &all, json!({ "schedule": schedule(&n.to_string()) })).await.status);
    }
    assert_eq!((status.pop(), status.iter().all(|status| *status == 201)), (Some(422), true));
    let key = fixture.get(&token, &all).await.body[1]["schedule"]["key"].take();
    let actions = format!("/apiv1/schedules/{key}/schedule_actions");
    let mut status = Vec::new();
    for _ in 0..51 {
        status.push(fixture.post(&token, &actions, json!({ "schedule_action": action() })).await.status);
    }
    assert_eq!((status.pop(), status.iter().all(|status| *status == 201)), (Some(422), true));
}

#[tokio::test]
async fn fixed_actions_cannot_be_changed() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let all = path(&fixture, "DEV-A1").await;
    let made = fixture.get(&token, &all).await.body[0]["schedule"].take();
    let fixed = json!({ "schedule": { "fixed_actions": true } });
    assert_eq!(fixture.put(&token, &format!("{all}/{}", made["key"]), fixed).await.status, 200);
    let (one, of_it) = (format!("/apiv1/schedules/{}", made["key"]), json!({ "schedule_action": action() }));
    let done = format!("/apiv1/schedule_actions/{}", made["schedule_actions"][0]["key"]);
    for status in [
        fixture.post(&token, &format!("{one}/schedule_actions"), of_it.clone()).await.status,
        fixture.put(&token, &done, of_it).await.status,
        fixture.delete(&token, &done).await.status,
        fixture.put(&token, &format!("{one}/clear"), json!({})).await.status,
    ] {
        assert_eq!(status, 422);
    }
}

#[tokio::test]
async fn schedule_of_another_device_is_not_found() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let (own, second, foreign) =
        (path(&fixture, "DEV-A1").await, path(&fixture, "DEV-A2").await, path(&fixture, "DEV-B1").await);
    let administrator = fixture.token(World::ADMIN).await;
    let others = fixture.get(&administrator, &foreign).await.body[0]["schedule"]["key"].take();
    let theirs = fixture.get(&administrator, &second).await.body[0]["schedule"]["key"].take();
    let body = json!({ "schedule": { "active": true } });
    for (path, key) in [(&own, &others), (&own, &theirs), (&foreign, &others), (&own, &json!("x"))] {
        let answer = fixture.put(&token, &format!("{path}/{key}"), body.clone()).await;
        assert_eq!(answer.status, 404, "{path}/{key}");
    }
    // Unknown schedules and those of others get the same answer.
    let hidden = fixture.get(&token, &format!("/apiv1/schedules/{others}")).await;
    let missing = fixture.get(&token, "/apiv1/schedules/999999999").await;
    assert_eq!((hidden.status, hidden.body), (missing.status, missing.body));
}
