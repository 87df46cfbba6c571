use cloud::testing::Fault;
use serde_json::{Value, json};
use std::time::Duration;

use crate::browser::Browser;
use crate::world::*;

fn path(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}/settings")
}

async fn put_settings(browser: &mut Browser, dsn: &str, settings: Value) -> Value {
    let answer = browser.put(&path(dsn), &settings).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

#[tokio::test]
async fn command_is_pending_until_the_device_acknowledges() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    device.connect().await;

    let answer = put_settings(&mut browser, NORTH, json!({ "mode": 4, "intensity": 35, "fan": 2 })).await;
    assert_eq!((&answer["mode"], &answer["intensity"], &answer["fan"]), (&json!(4), &json!(35), &json!(2)));
    let command = &answer["commands"]["intensity"];
    assert_eq!(
        (&command["value"], &command["state"], &command["reported"]),
        (&json!(35), &json!("pending"), &json!(20))
    );
    assert_eq!(command["answeredAt"], Value::Null);
    assert_eq!(answer["commands"]["fan"], Value::Null, "an equal value is not written");
    assert_eq!(browser.listed(NORTH).await["intensity"], 35, "the list knows it before the answer");

    let pending = device.pending().await;
    assert_eq!(pending.iter().map(|(_, name, _)| name.as_str()).collect::<Vec<_>>(), ["current_state", "intensity"]);
    for (id, name, value) in pending {
        device.report(&[(&name, value)]).await;
        device.ack(&id, 200, 0).await;
    }
    let page = browser.device(NORTH).await;
    let command = &page["commands"]["intensity"];
    assert_eq!((&command["state"], &command["reported"]), (&json!("acknowledged"), &json!(35)));
    assert_eq!(command["answeredAt"], "2026-11-20T10:00:00Z");
}

/// H-05. A device acknowledges a command and then reports the value.
#[tokio::test]
async fn changing_one_setting_takes_at_most_six_requests_to_the_cloud_and_three_events_that_carry_the_page() {
    const UNUSED: usize = 100;
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    let mut stream = browser.follow_page(NORTH).await;
    // Two open pages of one device take no more requests than one.
    let mut other_page = world.signed_in(NORTH_ADMIN).await.follow_page(NORTH).await;
    device.connect().await;
    for page in [&mut stream, &mut other_page] {
        assert_eq!(page.next_detail().await.0, "connection");
    }
    let settings = [("mode", 1), ("cycle", 2), ("intensity", 30), ("fan", 5)];
    for (field, value) in settings {
        for _ in world.cloud.faults().waiting()..UNUSED {
            world.cloud.faults().push(Fault::Delay(Duration::ZERO));
        }
        put_settings(&mut browser, NORTH, json!({ field: value })).await;
        let (kind, detail) = stream.next_detail().await;
        assert_eq!((kind.as_str(), &detail[field]), ("commanded", &json!(value)));
        assert_eq!(detail["commands"][field]["state"], "pending");

        let (id, name, number) = device.pending().await.remove(0);
        device.ack(&id, 200, 0).await;
        let (kind, detail) = stream.next_detail().await;
        assert_eq!((kind.as_str(), &detail["commands"][field]["state"]), ("acknowledged", &json!("acknowledged")));

        device.report(&[(&name, number)]).await;
        let (kind, reported) = stream.next_detail().await;
        assert_eq!((kind.as_str(), &reported["commands"][field]["reported"]), ("reported", &json!(value)));
        assert!(reported["asOf"].as_str() >= detail["asOf"].as_str(), "{reported}");
        for expected in ["commanded", "acknowledged", "reported"] {
            assert_eq!(other_page.next_detail().await.0, expected);
        }
        let requests = UNUSED - world.cloud.faults().waiting();
        assert!(requests <= 6, "{requests} requests for {field}");
        let mut page = browser.device(NORTH).await;
        page["asOf"] = reported["asOf"].clone();
        assert_eq!(reported, page, "the event equals the page");
    }
}

#[tokio::test]
async fn command_of_another_client_is_published() {
    let world = World::start().await;
    let browser = world.signed_in(NORTH_TECH).await;
    let mut stream = browser.follow_page(NORTH).await;
    world.cloud_as(ADMIN).await.datapoints().create(NORTH, "fan", 4).send().await.unwrap();
    let (kind, detail) = stream.next_detail().await;
    assert_eq!((kind.as_str(), &detail["fan"]), ("commanded", &json!(4)));
    assert_eq!(detail["commands"]["fan"]["state"], "pending");
}

#[tokio::test]
async fn command_of_another_client_is_published_after_the_same_command_failed_here() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut stream = browser.follow_page(NORTH).await;
    for fault in [Fault::Delay(Duration::ZERO), Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    assert_eq!(browser.put(&path(NORTH), &json!({ "fan": 4 })).await.status, 502);
    assert_eq!(stream.next_detail().await.0, "commanded", "a failed write is published, because a part may be saved");
    world.cloud_as(ADMIN).await.datapoints().create(NORTH, "fan", 4).send().await.unwrap();
    let (kind, detail) = stream.next_detail().await;
    assert_eq!((kind.as_str(), &detail["fan"]), ("commanded", &json!(4)));
}

#[tokio::test]
async fn events_of_devices_without_an_open_page_have_no_detail() {
    let world = World::start().await;
    let mut stream = world.signed_in(NORTH_TECH).await.follow(&[NORTH]).await;
    world.cloud.device(NORTH).await.report(&[("fan", json!(1))]).await;
    assert_eq!(stream.next_detail().await, ("reported".to_owned(), Value::Null));
}

#[tokio::test]
async fn event_without_an_answer_of_the_cloud_has_no_detail() {
    let world = World::start().await;
    let mut stream = world.signed_in(NORTH_TECH).await.follow_page(NORTH).await;
    world.cloud.faults().push(Fault::UnprocessableEntity);
    world.cloud.device(NORTH).await.report(&[("fan", json!(1))]).await;
    assert_eq!(stream.next_detail().await, ("reported".to_owned(), Value::Null));
}

#[tokio::test]
async fn shown_intensity_of_an_offline_device_is_the_reported_one_until_it_reconnects() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    let shown = |page: &Value| page["shownIntensity"].clone();
    let by_itself = |value: Value| json!({ "value": value, "schedule": null });

    let answer = put_settings(&mut browser, NORTH, json!({ "intensity": 35 })).await;
    assert_eq!((&answer["connectionStatus"], &answer["intensity"]), (&json!("Offline"), &json!(35)));
    assert_eq!(shown(&answer), by_itself(json!(20)), "{answer}");
    // Like a requested intensity, a requested schedule or mode has no effect on an offline device.
    let noon = crate::schedule::running_at_noon();
    assert_eq!(browser.put(&format!("/api/devices/dsns/{NORTH}/schedule"), &noon).await.status, 200);
    put_settings(&mut browser, NORTH, json!({ "mode": 4 })).await;
    assert_eq!(shown(&browser.device(NORTH).await), by_itself(json!(20)));

    device.connect().await;
    assert_eq!(shown(&browser.device(NORTH).await), by_itself(json!(35)), "as of every online device");
}

#[tokio::test]
async fn all_four_settings_reach_the_device_in_the_order_it_checks_them() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let input = json!({ "fan": 5, "intensity": 35, "cycle": 1, "mode": 4 });
    let answer = put_settings(&mut browser, NORTH, input.clone()).await;
    for (name, value) in input.as_object().unwrap() {
        assert_eq!(&answer[name], value, "{name}");
    }
    let pending = world.cloud.device(NORTH).await.pending().await;
    let sent: Vec<(&str, i64)> = pending.iter().map(|(_, name, value)| (&**name, value.as_i64().unwrap())).collect();
    assert_eq!(sent, [("current_state", 4), ("cycle", 1), ("intensity", 35), ("fan", 5)]);
}

#[tokio::test]
async fn rejected_setting_falls_back_to_the_reported_value() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut stream = browser.follow(&[NORTH]).await;
    let device = world.cloud.device(NORTH).await;
    put_settings(&mut browser, NORTH, json!({ "intensity": 35 })).await;
    let (id, ..) = device.pending().await.remove(0);
    device.ack(&id, 500, 7).await;
    assert_eq!(stream.until("acknowledged", NORTH).await["intensity"], 20);
    let command = &browser.device(NORTH).await["commands"]["intensity"];
    assert_eq!((&command["state"], &command["answeredAt"]), (&json!("failed"), &json!("2026-11-20T10:00:00Z")));
    assert_eq!(browser.listed(NORTH).await["intensity"], 20);
}

#[tokio::test]
async fn values_out_of_range_are_named_by_field() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let rows = [
        (NORTH, json!({}), 422, vec!["mode"]),
        (
            NORTH,
            json!({ "mode": 5, "cycle": 0, "intensity": 51, "fan": 6 }),
            422,
            vec!["cycle", "fan", "intensity", "mode"],
        ),
        (NORTH, json!({ "mode": 2 }), 422, vec!["mode"]),
        (NORTH, json!({ "intensity": -1 }), 422, vec!["intensity"]),
        (NORTH, json!({ "intensity": "20" }), 422, vec!["intensity"]),
        (NORTH, json!({ "intensity": 20.5 }), 422, vec!["intensity"]),
        (NORTH, json!({ "intensity": 1e300 }), 422, vec!["intensity"]),
        (NORTH_AQ290, json!({ "intensity": 41 }), 422, vec!["intensity"]),
        (NORTH_AQ290, json!({ "cycle": 1, "intensity": 50 }), 422, vec!["intensity"]),
        (NORTH, json!("fan"), 400, vec![]),
    ];
    for (dsn, body, status, fields) in rows {
        let answer = browser.put(&path(dsn), &body).await;
        assert_eq!((answer.status, answer.fields()), (status, fields), "{dsn} {body}");
    }
    for dsn in [NORTH, NORTH_AQ290] {
        assert!(world.cloud.device(dsn).await.pending().await.is_empty(), "nothing was written");
    }
    put_settings(&mut browser, NORTH_AQ290, json!({ "cycle": 1, "intensity": 49 })).await;
}

#[tokio::test]
async fn scope_comes_before_role_and_role_before_values() {
    let world = World::start().await;
    let bad = json!({ "intensity": 999 });
    let rows = [
        (NORTH_OBSERVER, NORTH, 403),
        (NORTH_OBSERVER, SOUTH, 404),
        (OBSERVER, SOUTH, 403),
        (NORTH_TECH, SOUTH, 404),
        (END_USER, OWNED, 404),
        (NORTH_TECH, NORTH, 422),
    ];
    for (email, dsn, status) in rows {
        let answer = world.signed_in(email).await.put(&path(dsn), &bad).await;
        assert_eq!(answer.status, status, "{email} {dsn}");
        assert!(world.cloud.device(dsn).await.pending().await.is_empty(), "{email} {dsn}");
    }
}

#[tokio::test]
async fn interrupted_settings_write_reports_the_saved_settings() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let pass = Fault::Delay(Duration::ZERO);
    // Requests: the read, the mode. The intensity fails.
    for fault in [pass, pass, Fault::Drop] {
        world.cloud.faults().push(fault);
    }
    let answer = browser.put(&path(NORTH), &json!({ "mode": 4, "intensity": 35, "fan": 5 })).await;
    assert_eq!((answer.status, answer.code(), answer.fields()), (502, "cloud_failed", vec!["intensity"]));
    let detail = answer.body["detail"].as_str().unwrap();
    assert_eq!(detail, "Intensity was not saved: The device cloud cannot be reached. Already saved: Mode.");
    let listed = browser.listed(NORTH).await;
    assert_eq!((&listed["mode"], &listed["intensity"], &listed["fan"]), (&json!(4), &json!(20), &json!(2)));
}
