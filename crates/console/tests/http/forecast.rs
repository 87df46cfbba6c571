//! The forecast of a device for its page, and for values that are not saved yet.

use cloud::operator::NewDevice;
use console::{Rate, RateLimit};
use diffuser::properties;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::runs_dry::{white_tea, with_days};
use crate::world::*;

/// It has 10 days of fragrance, of 500 hours in 500 mL.
const DEVICE: &str = "SC-E1";

fn path(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}/forecast")
}

async fn world_with(device: NewDevice) -> World {
    let world = World::start_with(reads_devices).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    world.cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
    world
}

async fn forecast(browser: &mut Browser, dsn: &str) -> Value {
    let answer = browser.get(&path(dsn)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

async fn what_if(browser: &mut Browser, input: &Value) -> Value {
    let answer = browser.post(&path(DEVICE), input).await;
    assert_eq!(answer.status, 200, "{input}: {}", answer.body);
    answer.body
}

/// The members that a preview has in common with the forecast.
fn expected_use(forecast: &Value) -> Value {
    let names = ["low", "empty", "mlPerWeek", "basis", "obstacle"];
    names.into_iter().map(|name| (name.to_owned(), forecast[name].clone())).collect()
}

/// Every day from 8 to 18.
fn daytime() -> Value {
    json!([{
        "number": 1, "active": true, "dayOfTheWeek": 0, "intensity": 20,
        "startHour": 8, "startMinute": 0, "stopHour": 17, "stopMinute": 59,
    }])
}

#[tokio::test]
async fn page_gets_levels_and_the_course_to_the_date() {
    let world = world_with(with_days(DEVICE, 10)).await;
    let mut admin = world.signed_in(ADMIN).await;
    let found = forecast(&mut admin, DEVICE).await;
    assert_eq!((found["level"].as_f64(), &found["from"]), (Some(48.0), &json!("2026-11-20T10:00:00Z")));
    assert_eq!(found["empty"]["median"], "2026-11-30T10:00:00Z");
    // 140 hours to 20 percent.
    assert_eq!(found["low"]["median"], "2026-11-26T06:00:00Z");
    assert_eq!((&found["basis"], &found["obstacle"]), (&json!("schedule"), &json!(null)));
    assert_eq!(found["mlPerWeek"], 168.0);
    let course = found["course"].as_array().unwrap();
    let percents: Vec<i64> = course.iter().map(|point| point["percent"].as_i64().unwrap()).collect();
    assert_eq!(percents, [45, 40, 35, 30, 25, 20, 15, 10, 5, 0]);
    for name in ["earliest", "median", "latest"] {
        assert_eq!((&course[5][name], &course[9][name]), (&found["low"][name], &found["empty"][name]), "{name}");
    }
    assert!(found["empty"]["earliest"].as_str() < found["empty"]["median"].as_str());
    assert!(found["empty"]["median"].as_str() < found["empty"]["latest"].as_str());
    let levels: Vec<&Value> = found["levels"].as_array().unwrap().iter().map(|point| &point["value"]).collect();
    assert_eq!(levels, [64]);
}

#[tokio::test]
async fn device_without_forecast_has_an_obstacle() {
    let world = world_with(with_days(DEVICE, 10)).await;
    let mut admin = world.signed_in(ADMIN).await;
    let device = world.cloud.device(DEVICE).await;
    for (values, obstacle) in [
        ([(properties::CARTRIDGE_LIFE, json!(500))], "empty"),
        ([(properties::CARTRIDGE_LIFE, json!(10))], ""),
        ([(properties::CURRENT_STATE, json!(1))], "off"),
        ([(properties::CURRENT_STATE, json!(4))], "unknown_use"),
    ] {
        device.report(&values).await;
        let found = forecast(&mut admin, DEVICE).await;
        assert_eq!(found["obstacle"].as_str().unwrap_or_default(), obstacle);
        assert_eq!(found["empty"].is_null(), !obstacle.is_empty(), "{obstacle}");
        assert_eq!(found["course"].as_array().unwrap().is_empty(), !obstacle.is_empty(), "{obstacle}");
    }
    assert_eq!(forecast(&mut admin, NORTH).await["obstacle"], "unknown_level", "it has reported no hours");
    assert_eq!(forecast(&mut admin, NORTH_AQ290).await["obstacle"], "no_flow");
}

#[tokio::test]
async fn forecast_of_typed_values_agrees_with_the_forecast_after_saving() {
    let world = world_with(with_days(DEVICE, 10)).await;
    let mut admin = world.signed_in(ADMIN).await;
    let before = expected_use(&forecast(&mut admin, DEVICE).await);

    let schedule = json!({ "frames": daytime() });
    let without_mode = what_if(&mut admin, &schedule).await;
    assert_eq!((&without_mode["before"], &without_mode["after"]), (&before, &before), "it runs all day");
    assert_eq!(without_mode["hasEffect"], false);
    let stronger = what_if(&mut admin, &json!({ "settings": { "intensity": 40, "fan": 5, "cycle": 1 } })).await;
    assert_eq!((&stronger["after"], &stronger["hasEffect"]), (&before, &json!(false)));

    let run = what_if(&mut admin, &json!({ "settings": { "mode": 4 }, "frames": daytime() })).await;
    assert_eq!((&run["before"], &run["hasEffect"]), (&before, &json!(true)));
    assert_eq!((&run["before"]["mlPerWeek"], &run["after"]["mlPerWeek"]), (&json!(168.0), &json!(70.0)));
    assert_eq!(world.cloud.device(DEVICE).await.pending().await.len(), 0, "nothing is saved");

    assert_eq!(admin.put(&format!("/api/devices/dsns/{DEVICE}/schedule"), &schedule).await.status, 200);
    let settings = json!({ "mode": 4 });
    let saved = admin.put(&format!("/api/devices/dsns/{DEVICE}/settings"), &settings).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(expected_use(&forecast(&mut admin, DEVICE).await), run["after"]);
    assert_eq!(saved.body["runsDryAt"], run["after"]["empty"]["median"]);

    let off = what_if(&mut admin, &json!({ "settings": { "mode": 1 } })).await;
    assert_eq!((&off["after"]["empty"], &off["after"]["obstacle"]), (&json!(null), &json!("off")));
}

#[tokio::test]
async fn preview_of_a_copy_has_its_effect_on_use() {
    let world = world_with(with_days(DEVICE, 10)).await;
    let mut off = with_days("SC-E2", 10);
    off.values.retain(|(name, _)| name != properties::CURRENT_STATE);
    off.values.push((properties::CURRENT_STATE.to_owned(), json!(1)));
    world.cloud.operator().add_devices(&world.oem, &[off]).await.unwrap();
    let mut admin = world.signed_in(ADMIN).await;
    let preview = format!("/api/devices/dsns/{DEVICE}/copy/preview");
    let answer = admin.post(&preview, &json!({ "targets": ["SC-E2"], "settings": true })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let changes = answer.body["targets"][0]["changes"].as_array().unwrap();
    let expected = [
        json!({ "field": "mode", "before": 1, "after": 3 }),
        json!({ "field": "runsDryOn", "before": null, "after": "2026-11-30" }),
        json!({ "field": "mlPerWeek", "before": null, "after": 168.0 }),
    ];
    assert_eq!(changes, &expected);
    // The targets have the same schedule.
    let answer = admin.post(&preview, &json!({ "targets": ["SC-E2"], "schedules": true })).await;
    assert_eq!(answer.body["targets"][0]["changes"], json!([]));
}

#[tokio::test]
async fn impossible_values_are_refused_like_those_to_save() {
    let world = world_with(with_days(DEVICE, 10)).await;
    let mut admin = world.signed_in(ADMIN).await;
    let frame = |change: &Value| {
        let mut frames = daytime();
        frames[0].as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        json!({ "frames": frames })
    };
    let twice = json!([daytime()[0], daytime()[0]]);
    let rows = [
        (json!({}), "settings"),
        (json!({ "frames": [] }), "settings"),
        (json!({ "settings": {} }), "mode"),
        (json!({ "settings": { "mode": 2 } }), "mode"),
        (json!({ "settings": { "mode": 99 } }), "mode"),
        (json!({ "settings": { "intensity": 51 } }), "intensity"),
        (frame(&json!({ "startHour": 24 })), "1.start"),
        (frame(&json!({ "intensity": 51 })), "1.intensity"),
        (frame(&json!({ "number": 22 })), "22.number"),
        (json!({ "frames": twice }), "1.number"),
    ];
    for (input, field) in rows {
        let answer = admin.post(&path(DEVICE), &input).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{input}: {}", answer.body);
    }
    for input in [json!([]), json!("mode"), json!({ "settings": 3 }), json!({ "settings": { "mode": "4" } })] {
        let status = admin.post(&path(DEVICE), &input).await.status;
        assert!([400, 422].contains(&status), "{input}: {status}");
    }
}

#[tokio::test]
async fn other_scopes_are_hidden_and_only_editors_try_values() {
    let world = World::start_with(reads_devices).await;
    let input = json!({ "settings": { "mode": 1 } });
    for (email, dsn, get, post) in [
        (NORTH_TECH, NORTH, 200, 200),
        (NORTH_OBSERVER, NORTH, 200, 403),
        (OBSERVER, NORTH, 200, 403),
        (NORTH_TECH, SOUTH, 404, 404),
        (END_USER, OWNED, 404, 404),
        (ADMIN, STOCK, 404, 404),
        (ADMIN, "SC-NONE", 404, 404),
    ] {
        let mut browser = world.signed_in(email).await;
        assert_eq!(browser.get(&path(dsn)).await.status, get, "{email} {dsn}");
        assert_eq!(browser.post(&path(dsn), &input).await.status, post, "{email} {dsn}");
    }
}

#[tokio::test]
async fn previews_of_one_person_are_limited() {
    let few = RateLimit { per_address: Rate::per_minute(100), per_account: Rate::per_minute(2) };
    let world = World::start_with(|config| {
        config.rate_limits.forecasts = few;
        reads_devices(config);
    })
    .await;
    let (mut tech, input) = (world.signed_in(NORTH_TECH).await, json!({ "settings": { "mode": 1 } }));
    for _ in 0..2 {
        assert_eq!(tech.post(&path(NORTH), &input).await.status, 200);
    }
    let refused = tech.post(&path(NORTH), &input).await;
    assert_eq!((refused.status, refused.code()), (429, "too_many_requests"));
    assert_eq!(tech.get(&path(NORTH)).await.status, 200, "the page is not limited");
    assert_eq!(world.signed_in(NORTH_ADMIN).await.post(&path(NORTH), &input).await.status, 200, "somebody else");
}
