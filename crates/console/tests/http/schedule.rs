//! Editing a device's weekly schedule.

use cloud::testing::Fault;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::world::*;

fn path(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}/schedule")
}

/// 21 frames, inactive except for these changes.
fn frames(changes: &Changes) -> Value {
    let mut frames: Vec<Value> = (1..=21)
        .map(|number| {
            json!({
                "number": number, "active": false, "dayOfTheWeek": 0, "intensity": 1,
                "startHour": 0, "startMinute": 0, "stopHour": 0, "stopMinute": 0,
            })
        })
        .collect();
    for (number, changed) in changes {
        frames[number - 1].as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
    }
    Value::Array(frames)
}

/// The body that stores these frames.
fn form(frames: &Value) -> Value {
    json!({ "frames": frames })
}

/// The body that stores a schedule that no test device has.
pub(crate) fn running_at_noon() -> Value {
    running_until(13)
}

pub(crate) fn running_until(hour: i64) -> Value {
    form(&frames(&[(1, span((12, 0), (hour, 0)))]))
}

/// For each changed frame its number and the replaced members.
type Changes = [(usize, Value)];

fn span(start: (i64, i64), stop: (i64, i64)) -> Value {
    json!({
        "active": true, "intensity": 25,
        "startHour": start.0, "startMinute": start.1, "stopHour": stop.0, "stopMinute": stop.1,
    })
}

async fn refused(browser: &mut Browser, dsn: &str, frames: &Value) -> Vec<String> {
    let answer = browser.put(&path(dsn), &form(frames)).await;
    assert_eq!(answer.status, 422, "{}", answer.body);
    let errors = answer.body["errors"].as_object().unwrap();
    errors.iter().map(|(field, texts)| format!("{field}: {}", texts[0].as_str().unwrap())).collect()
}

#[tokio::test]
async fn schedule_is_stored_as_one_text_and_applied() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    device.connect().await;
    let input = frames(&[(1, span((9, 0), (17, 30))), (21, span((17, 31), (23, 59)))]);
    let answer = browser.put(&path(NORTH), &form(&input)).await;
    assert_eq!((answer.status, &answer.body["schedule"]), (200, &input), "{}", answer.body);

    let (id, name, blob) = device.pending().await.remove(0);
    let text = blob.as_str().unwrap();
    assert_eq!((name.as_str(), text.split(',').count()), ("schedule_blob", 168));
    assert!(text.starts_with("1,1,0,25,9,0,17,30,2,0,0,1,0,0,0,0,3,"), "{text}");
    assert!(text.ends_with(",21,1,0,25,17,31,23,59"), "{text}");
    device.report(&[(&name, blob.clone())]).await;
    device.ack(&id, 200, 0).await;
    assert_eq!(browser.device(NORTH).await["schedule"], input);

    let again = browser.put(&path(NORTH), &form(&input)).await;
    assert_eq!((again.status, &again.body["schedule"]), (200, &input));
    assert!(device.pending().await.is_empty(), "an unchanged schedule is not written");
}

#[tokio::test]
async fn every_schedule_error_is_named_by_frame_and_field() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let rows: [(&Changes, &[&str]); 9] = [
        (&[(3, span((25, 0), (9, 0)))], &["3.start: Invalid Time"]),
        (&[(3, span((9, 0), (9, 60)))], &["3.stop: Invalid Time"]),
        (&[(3, span((-1, 0), (24, 0)))], &["3.start: Invalid Time", "3.stop: Invalid Time"]),
        (
            &[(3, span((9, 1), (9, 0)))],
            &["3.start: Start Time must preceed End Time", "3.stop: Start Time must preceed End Time"],
        ),
        (
            &[(1, span((8, 0), (9, 0))), (2, span((9, 0), (10, 0)))],
            &["1.start: Time Conflicts", "1.stop: Time Conflicts", "2.start: Time Conflicts", "2.stop: Time Conflicts"],
        ),
        // An invalid frame has no conflicts.
        (&[(1, span((8, 0), (9, 0))), (2, span((0, 0), (9, 99)))], &["2.stop: Invalid Time"]),
        (&[(4, json!({ "dayOfTheWeek": 10 }))], &["4.dayOfTheWeek: Is not one of the choices"]),
        (&[(5, json!({ "number": 6 }))], &["6.number: Must be given once"]),
        (&[(6, json!({ "intensity": 51 }))], &["6.intensity: Intensity must be between 1 and 50"]),
    ];
    for (changes, expected) in rows {
        assert_eq!(refused(&mut browser, NORTH, &frames(changes)).await, expected, "{changes:?}");
    }
    let of_the_model = refused(&mut browser, NORTH_AQ290, &frames(&[(1, json!({ "intensity": 41 }))])).await;
    assert_eq!(of_the_model, ["1.intensity: Intensity must be between 1 and 40"]);
    for number in [0, 22, -1, 300] {
        let frame = frames(&[(1, json!({ "number": number }))])[0].clone();
        let expected = [format!("{number}.number: Must be between 1 and 21")];
        assert_eq!(refused(&mut browser, NORTH, &json!([frame])).await, expected);
    }
    let malformed = [
        (json!([]), 400),
        (json!("1,1,0"), 400),
        (json!({ "frames": null }), 422),
        (json!({ "frames": {} }), 422),
        (form(&frames(&[(2, json!({ "intensity": "25" }))])), 422),
        (form(&frames(&[(2, json!({ "intensity": null }))])), 422),
        (form(&frames(&[(2, json!({ "startHour": 1.5 }))])), 422),
    ];
    for (body, status) in malformed {
        assert_eq!(browser.put(&path(NORTH), &body).await.status, status, "{body}");
    }
    for dsn in [NORTH, NORTH_AQ290] {
        assert!(world.cloud.device(dsn).await.pending().await.is_empty(), "nothing was written");
    }
}

#[tokio::test]
async fn omitted_frames_are_not_changed() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let stored = frames(&[(1, span((9, 0), (17, 0))), (2, span((18, 0), (19, 0)))]);
    assert_eq!(browser.put(&path(NORTH), &form(&stored)).await.status, 200);
    let third = frames(&[(3, span((20, 0), (21, 0)))])[2].clone();
    let answer = browser.put(&path(NORTH), &form(&json!([third]))).await;
    let all = frames(&[(1, span((9, 0), (17, 0))), (2, span((18, 0), (19, 0))), (3, span((20, 0), (21, 0)))]);
    assert_eq!((answer.status, &answer.body["schedule"]), (200, &all), "{}", answer.body);
    let entry = world.signed_in(ADMIN).await.get("/api/audit?limit=1&operation=update_device_schedule").await;
    let changes = entry.body["entries"][0]["changes"].as_array().unwrap().clone();
    assert_eq!(changes.iter().map(|change| &change["field"]).collect::<Vec<_>>(), ["schedule.3"]);

    // Omitted frames are checked for conflicts, but errors name only the frame that was sent.
    let late = frames(&[(3, span((18, 30), (21, 0)))])[2].clone();
    let conflicts = ["3.start: Time Conflicts", "3.stop: Time Conflicts"];
    assert_eq!(refused(&mut browser, NORTH, &json!([late])).await, conflicts);
    for nothing in [form(&json!([])), json!({})] {
        assert_eq!(browser.put(&path(NORTH), &nothing).await.body["schedule"], all);
    }
}

#[tokio::test]
async fn scope_comes_before_role_and_role_before_the_frames() {
    let world = World::start().await;
    let bad = form(&frames(&[(1, json!({ "intensity": 99 }))]));
    let rows = [
        (NORTH_OBSERVER, NORTH, 403),
        (NORTH_OBSERVER, SOUTH, 404),
        (OBSERVER, SOUTH, 403),
        (NORTH_TECH, SOUTH, 404),
        (NORTH_TECH, NORTH, 422),
        (ADMIN, SOUTH, 422),
    ];
    for (email, dsn, status) in rows {
        let answer = world.signed_in(email).await.put(&path(dsn), &bad).await;
        assert_eq!(answer.status, status, "{email} {dsn}");
    }
}

#[tokio::test]
async fn refused_schedule_returns_the_message_of_the_cloud() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    for fault in [Fault::Delay(std::time::Duration::ZERO), Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let answer = browser.put(&path(NORTH), &running_at_noon()).await;
    assert_eq!((answer.status, answer.fields()), (502, vec!["schedule"]));
    assert_eq!(answer.body["detail"], "Schedule was not saved: An injected fault.");
}
