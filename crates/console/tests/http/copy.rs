//! Copying stored values of one device to others (A-67).

use std::time::Duration;

use cloud::operator::NewDevice;
use cloud::testing::Fault;
use diffuser::properties;
use platform::db::{Db, params};
use platform::testing::pause;
use serde_json::{Value, json};

use crate::authorisation::fragrance;
use crate::browser::{Answer, Browser};
use crate::jobs::ended;
use crate::notifications::{add, form, notification_rows, rows};
use crate::world::*;

pub(crate) const SOURCE: &str = "SC-A1";
/// Has the system configuration AQ380 like the source; both belong to CSP North.
pub(crate) const TARGET: &str = "SC-A2";
pub(crate) const AQ290: &str = "SC-A3";
const PASS: Fault = Fault::Delay(Duration::ZERO);

pub(crate) const OPTIONS: [&str; 5] = ["copyName", "copyId", "schedules", "settings", "location"];

/// A world in which the source has every value and two targets differ from it in each.
pub(crate) async fn start() -> World {
    let world = World::start().await;
    world.console.add_missing_fragrances(&[fragrance()]).await.unwrap();
    let mut source = like(SOURCE, "AQ380");
    source.data.push(("store_number".to_owned(), "7".to_owned()));
    source.addr.state = Some("Viken".to_owned());
    source.values.push((properties::SCHEDULE_BLOB.to_owned(), json!(week(50))));
    set(&mut source, [(properties::CURRENT_STATE, 4), (properties::CYCLE, 1), (properties::INTENSITY, 50)]);
    let targets = [(TARGET, "AQ380"), (AQ290, "AQ290")].map(|(dsn, model)| other(dsn, model));
    let devices = [vec![source], targets.to_vec()].concat();
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.resync().await;
    world
}

fn like(dsn: &str, model: &str) -> NewDevice {
    device(dsn, Some("North"), model)
}

fn other(dsn: &str, model: &str) -> NewDevice {
    let mut other = like(dsn, model);
    other.product_name = "Door".to_owned();
    for (key, value) in &mut other.data {
        match key.as_str() {
            "serial_number" => *value = format!("S-{dsn}"),
            "cart_name" => {}
            "time_zone" => *value = "America/Chicago".to_owned(),
            _ => *value = format!("Other {key}"),
        }
    }
    other.tz_id = Some("America/Chicago".to_owned());
    (other.lat, other.lng) = (Some(41.878_1), Some(-87.629_8));
    let text = |text: &str| Some(text.to_owned());
    (other.addr.street, other.addr.zip) = (text("State Street 1"), text("60602"));
    (other.addr.city, other.addr.state, other.addr.country) =
        (text("Chicago"), text("Illinois"), text("United States"));
    other.values.push((properties::SCHEDULE_BLOB.to_owned(), json!(week(9))));
    set(&mut other, [(properties::INTENSITY, 9), (properties::FAN, 5), (properties::FRAGRANCE_REMAINING, 12)]);
    other
}

fn set<const N: usize>(device: &mut NewDevice, values: [(&str, i64); N]) {
    for (name, value) in values {
        let known = device.values.iter_mut().find(|(known, _)| known == name).unwrap();
        known.1 = json!(value);
    }
}

/// One active frame of this intensity, and twenty that are not.
fn week(intensity: u8) -> String {
    let mut week = format!("1,1,0,{intensity},8,0,18,0");
    for number in 2..=21 {
        week.push_str(&format!(",{number},0,0,1,0,0,0,0"));
    }
    week
}

async fn send(browser: &mut Browser, source: &str, body: &Value) -> Answer {
    browser.post(&format!("/api/devices/dsns/{source}/copy"), body).await
}

/// Starts a copy and returns its job once it has ended.
pub(crate) async fn copy(browser: &mut Browser, options: &[&str], targets: &[&str]) -> Value {
    let answer = send(browser, SOURCE, &body(options, targets)).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    ended(browser, &answer.body).await
}

pub(crate) fn body(options: &[&str], targets: &[&str]) -> Value {
    let mut body = json!({ "targets": targets });
    for option in options {
        body[*option] = json!(true);
    }
    body
}

fn done(count: u64) -> Value {
    json!({ "total": count, "waiting": 0, "done": count, "failed": 0, "left": 0, "cancelled": 0 })
}

/// The fields of the device page that each option copies.
fn fields(option: &str) -> &'static [&'static str] {
    match option {
        "copyName" => &["serviceArea", "productName", "customer", "customerId", "storeNumber"],
        "copyId" => &["fragrance"],
        "schedules" => &["schedule", "scheduleBlob"],
        // The current intensity is missing: the target is offline and still has its own.
        "settings" => &["mode", "cycle", "intensity", "fan"],
        "location" => &["lat", "lng", "timeZone", "city", "state", "country"],
        unknown => panic!("{unknown}"),
    }
}

/// The stored values of a device: without its last commands, and without what follows from its fragrance.
pub(crate) fn stored_values(mut device: Value) -> Value {
    let members = device.as_object_mut().unwrap();
    for derived in ["commands", "fragranceRemaining", "fragranceSku", "forecastObstacle"] {
        members.remove(derived);
    }
    device
}

#[tokio::test]
async fn each_option_copies_its_values_and_no_others() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // No option of this test copies notifications.
    add(&mut browser, SOURCE, &form("email", "jo@example.com", &["connected", "lowProductLevel"])).await;
    add(&mut browser, TARGET, &form("email", "kim@example.com", &["disconnected"])).await;
    let source = stored_values(browser.device(SOURCE).await);
    for option in OPTIONS {
        let mut expected = stored_values(browser.device(TARGET).await);
        for field in fields(option) {
            assert_ne!(expected[field], source[field], "{option}: source and target must differ");
            expected[*field] = source[field].clone();
        }
        let job = copy(&mut browser, &[option], &[TARGET]).await;
        assert_eq!((&job["state"], &job["counts"]), (&json!("done"), &done(1)), "{option}");
        assert_eq!(stored_values(browser.device(TARGET).await), expected, "{option}");
        let listed = browser.listed(TARGET).await;
        for field in fields(option).iter().filter(|field| !listed[**field].is_null()) {
            assert_eq!(listed[field], expected[field], "{option}: the list knows it");
        }
    }
    let copied = browser.device(TARGET).await;
    let own = ["dsn", "serialNumber", "systemConfiguration", "csp", "street", "zip", "roleLabels", "ssid"];
    let before = browser.device(AQ290).await;
    assert_eq!((&copied["serialNumber"], &before["serialNumber"]), (&json!("S-SC-A2"), &json!("S-SC-A3")));
    for field in own.iter().filter(|field| !["dsn", "serialNumber", "systemConfiguration"].contains(field)) {
        assert_eq!(copied[*field], before[*field], "{field}");
    }
    assert_eq!(notification_lines(&browser.notifications(TARGET).await), [r#"email kim@example.com ["disconnected"]"#]);
    assert_eq!(stored_values(browser.device(SOURCE).await), source, "the source is unchanged");
}

#[tokio::test]
async fn all_options_at_once_reach_all_targets_and_no_other_device() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_ADMIN).await;
    add(&mut browser, SOURCE, &form("email", "jo@example.com", &["connected", "lowProductLevel"])).await;
    add(&mut browser, TARGET, &form("email", "jo@example.com", &["disconnected"])).await;
    let bystander = browser.device(NORTH).await;
    let job = copy(&mut browser, &OPTIONS, &[TARGET, AQ290]).await;
    assert_eq!(job["counts"], done(2));
    // The chosen options do not include notifications.
    assert_eq!(notification_lines(&browser.notifications(TARGET).await), [r#"email jo@example.com ["disconnected"]"#]);
    assert_eq!(rows(&browser.notifications(AQ290).await), [json!(null); 0]);
    let source = browser.device(SOURCE).await;
    for dsn in [TARGET, AQ290] {
        let target = browser.device(dsn).await;
        for field in OPTIONS.iter().flat_map(|option| fields(option)) {
            let fits = dsn == TARGET || !["intensity", "schedule", "scheduleBlob"].contains(field);
            assert_eq!(target[field] == source[field], fits, "{dsn} {field}");
        }
    }
    assert_eq!(browser.device(NORTH).await, bystander);
    // In the order in which a device must apply them.
    let pending = world.cloud.device(TARGET).await.pending().await;
    let names: Vec<&str> = pending
        .iter()
        .map(|(_, name, _)| name.as_str())
        .filter(|name| *name != properties::FRAGRANCE_REMAINING)
        .collect();
    assert_eq!(names, ["current_state", "cycle", "intensity", "fan", "schedule_blob"]);
}

#[tokio::test]
async fn copied_intensity_is_limited_by_the_cycle_of_the_target() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // Its off-cycle is still 3.
    copy(&mut browser, &["schedules"], &[AQ290]).await;
    assert_eq!(browser.device(AQ290).await["scheduleBlob"], week(40));
    copy(&mut browser, &["settings", "schedules"], &[AQ290]).await;
    let target = browser.device(AQ290).await;
    assert_eq!((&target["cycle"], &target["intensity"]), (&json!(1), &json!(49)));
    assert_eq!(target["scheduleBlob"], week(49));
}

#[tokio::test]
async fn copy_clears_optional_values_that_the_source_lacks_but_not_the_location() {
    let world = start().await;
    let mut bare = like("SC-B1", "AQ380");
    bare.data.retain(|(key, _)| key != "customer_id");
    (bare.lat, bare.lng) = (None, None);
    let mut full = other("SC-B2", "AQ380");
    full.data.push(("store_number".to_owned(), "9".to_owned()));
    world.cloud.operator().add_devices(&world.oem, &[bare, full]).await.unwrap();
    world.console.resync().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let answer = send(&mut browser, "SC-B1", &body(&["copyName", "location"], &["SC-B2"])).await;
    assert_eq!(ended(&mut browser, &answer.body).await["counts"], done(1));
    let target = browser.device("SC-B2").await;
    for field in ["customerId", "storeNumber", "state"] {
        assert_eq!(target[field], Value::Null, "{field}");
    }
    assert_eq!((&target["customer"], &target["city"]), (&json!("Hotel Aurora"), &json!("Oslo")));
    assert_eq!((&target["lat"], &target["lng"]), (&json!(41.878_1), &json!(-87.629_8)));
}

#[tokio::test]
async fn copy_uses_the_values_of_the_source_at_the_request() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut bystander = browser.clone();
    let answer = send(&mut browser, SOURCE, &body(&["settings"], &[TARGET])).await;
    let changed = bystander.put(&format!("/api/devices/dsns/{SOURCE}/settings"), &json!({ "fan": 0 })).await;
    assert_eq!(changed.status, 200);
    ended(&mut browser, &answer.body).await;
    assert_eq!(browser.device(TARGET).await["fan"], 2);
}

#[tokio::test]
async fn repeated_copy_writes_nothing() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    copy(&mut browser, &OPTIONS, &[TARGET, AQ290]).await;
    let mut witness = world.signed_in(NORTH_ADMIN).await;
    let entry = witness.get("/api/audit?limit=1").await.body["entries"][0]["id"].clone();
    assert!(entry.is_string(), "{entry}");
    let before = world.cloud.device(TARGET).await.pending().await.len();
    let job = copy(&mut browser, &OPTIONS, &[TARGET, AQ290]).await;
    assert_eq!(job["counts"], done(2));
    assert_eq!(world.cloud.device(TARGET).await.pending().await.len(), before);
    assert_eq!(witness.get("/api/audit?limit=1").await.body["entries"][0]["id"], entry);
}

#[tokio::test]
async fn new_fragrance_changes_the_level() {
    let world = start().await;
    let mut used = other("SC-B3", "AQ380");
    used.values.push((properties::CARTRIDGE_LIFE.to_owned(), json!(100)));
    world.cloud.operator().add_devices(&world.oem, &[used]).await.unwrap();
    world.console.resync().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    copy(&mut browser, &["copyId"], &["SC-B3"]).await;
    let pending = world.cloud.device("SC-B3").await.pending().await;
    let (_, name, level) = &pending[0];
    assert_eq!(name, properties::FRAGRANCE_REMAINING);
    assert_eq!(browser.device("SC-B3").await["fragranceRemaining"], *level);
}

#[tokio::test]
async fn failed_copy_reports_the_saved_values_and_does_not_stop_other_targets() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    // Requests: the source, the target, its name. The customer is refused.
    for fault in [PASS, PASS, PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let job = copy(&mut browser, &["copyName"], &[TARGET]).await;
    let reason = "Customer was not saved: An injected fault. Already saved: Service area.";
    assert_eq!(job["unfinished"], json!([{ "dsn": TARGET, "state": "failed", "reason": reason }]));
    assert_eq!(browser.listed(TARGET).await["serviceArea"], "Lobby", "the saved value is listed");

    let mut admin = world.signed_in(ADMIN).await;
    let job = copy(&mut admin, &["copyName"], &["SC-NONE", STOCK, TARGET]).await;
    let gone = |dsn: &str| json!({ "dsn": dsn, "state": "failed", "reason": "There is no such thing here." });
    assert_eq!(job["unfinished"], json!([gone("SC-NONE"), gone(STOCK)]));
    assert_eq!(browser.device(TARGET).await["customer"], "Hotel Aurora");
}

#[tokio::test]
async fn start_and_each_changed_device_are_audited() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let job = copy(&mut browser, &["copyName", "settings"], &[TARGET]).await;
    let mut admin = world.signed_in(ADMIN).await;
    let started =
        admin.get(&format!("/api/audit?target={}", job["id"].as_str().unwrap())).await.body["entries"][0].clone();
    assert_eq!((&started["operation"], &started["result"]), (&json!("copy_device"), &json!("done")));
    let expected = json!([
        { "field": "source", "before": null, "after": SOURCE, "saved": true },
        { "field": "copied", "before": null, "after": "name, settings", "saved": true },
        { "field": "devices", "before": null, "after": 1, "saved": true },
    ]);
    assert_eq!(started["changes"], expected);
    let mut north = world.signed_in(NORTH_ADMIN).await;
    let change = north.get(&format!("/api/audit?target={TARGET}")).await.body["entries"][0].clone();
    assert_eq!((&change["operation"], &change["actor"]["email"]), (&json!("copy_device"), &json!(NORTH_TECH)));
    let changed: Vec<&str> =
        change["changes"].as_array().unwrap().iter().map(|it| it["field"].as_str().unwrap()).collect();
    let expected = ["serviceArea", "customer", "customerId", "storeNumber", "mode", "cycle", "intensity", "fan"];
    assert_eq!(changed, expected);
}

#[tokio::test]
async fn copy_requires_an_option_and_another_device() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let many: Vec<String> = (0..=5000).map(|number| format!("SC-{number}")).collect();
    let rows = [
        (json!({}), vec!["options", "targets"]),
        (json!({ "targets": [TARGET] }), vec!["options"]),
        (json!({ "targets": [TARGET], "copyName": false }), vec!["options"]),
        // There are six options; the browser may not send a list of notifications.
        (json!({ "targets": [TARGET], "notificationList": [{ "method": "email" }] }), vec!["options"]),
        (json!({ "copyId": true }), vec!["targets"]),
        (json!({ "copyId": true, "targets": null }), vec!["targets"]),
        (json!({ "copyId": true, "targets": [] }), vec!["targets"]),
        (json!({ "copyId": true, "targets": TARGET }), vec!["targets"]),
        (json!({ "copyId": true, "targets": [TARGET, "../x"] }), vec!["targets"]),
        (json!({ "copyId": true, "targets": many }), vec!["targets"]),
        (json!({ "copyId": true, "targets": [TARGET, SOURCE] }), vec!["targets"]),
        (json!({ "copyId": "yes", "targets": [TARGET] }), vec!["copyId"]),
        (json!({ "location": null, "targets": [TARGET] }), vec!["location"]),
    ];
    for (body, fields) in rows {
        let answer = send(&mut browser, SOURCE, &body).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{body:.100}");
    }
    assert_eq!(send(&mut browser, SOURCE, &json!([])).await.status, 400);
    assert!(world.cloud.device(TARGET).await.pending().await.is_empty());
    // A target that is named twice counts once.
    assert_eq!(copy(&mut browser, &["copyId"], &[TARGET, TARGET]).await["counts"], done(1));
}

#[tokio::test]
async fn scope_comes_before_role_and_role_before_values() {
    let world = start().await;
    let rows = [
        (NORTH_OBSERVER, SOURCE, 403),
        (NORTH_OBSERVER, SOUTH, 404),
        (OBSERVER, SOURCE, 403),
        (NORTH_TECH, SOUTH, 404),
        (NORTH_TECH, STOCK, 404),
        (END_USER, OWNED, 404),
        (NO_ROLE, SOURCE, 404),
        (NORTH_TECH, SOURCE, 422),
    ];
    for (email, source, status) in rows {
        let answer = send(&mut world.signed_in(email).await, source, &json!({ "targets": [] })).await;
        assert_eq!(answer.status, status, "{email} {source}");
    }
    for (email, can) in [(ADMIN, true), (OBSERVER, false), (NORTH_TECH, true), (NORTH_OBSERVER, false)] {
        assert_eq!(world.signed_in(email).await.device(SOURCE).await["can"]["copy"], can, "{email}");
    }
}

#[tokio::test]
async fn administrator_copies_from_one_csp_to_another_and_the_csp_stays() {
    let world = start().await;
    let mut admin = world.signed_in(ADMIN).await;
    copy(&mut admin, &OPTIONS, &[SOUTH]).await;
    let target = admin.device(SOUTH).await;
    assert_eq!((&target["csp"], &target["storeNumber"]), (&json!("South"), &json!("7")));
}

#[tokio::test]
async fn copy_adds_recipients_of_the_source_and_keeps_those_of_the_target() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    add(&mut browser, SOURCE, &form("email", "jo@example.com", &["connected", "lowProductLevel"])).await;
    add(&mut browser, SOURCE, &form("sms", "+14145550100", &["disconnected", "lowProductLevel"])).await;
    add(&mut browser, TARGET, &form("email", "Jo@Example.com", &["connected", "disconnected"])).await;
    add(&mut browser, TARGET, &form("email", "kim@example.com", &["lowProductLevel"])).await;
    let before = browser.device(TARGET).await;

    // Recipients come from the source, not from the request.
    let mut input = body(&["notifications"], &[TARGET, AQ290]);
    input["notificationList"] = json!([{ "method": "email", "recipient": "eve@example.com" }]);
    let answer = send(&mut browser, SOURCE, &input).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    assert_eq!(ended(&mut browser, &answer.body).await["counts"], done(2));

    let mut rows_of_target = notification_lines(&browser.notifications(TARGET).await);
    rows_of_target.sort();
    assert_eq!(
        rows_of_target,
        [
            r#"email jo@example.com ["connected", "disconnected", "lowProductLevel"]"#,
            r#"email kim@example.com ["lowProductLevel"]"#,
            r#"sms +14145550100 ["disconnected", "lowProductLevel"]"#,
        ]
    );
    let source = notification_lines(&browser.notifications(SOURCE).await);
    assert_eq!(
        notification_lines(&browser.notifications(AQ290).await),
        source,
        "a target without notifications gets those of the source"
    );
    assert_eq!(browser.device(TARGET).await, before, "nothing else is copied");

    let again = copy(&mut browser, &["notifications"], &[TARGET]).await;
    assert_eq!(again["counts"], done(1));
    let mut rows_again = notification_lines(&browser.notifications(TARGET).await);
    rows_again.sort();
    assert_eq!(rows_again, rows_of_target, "no recipient is added twice");
}

#[tokio::test]
async fn recipient_refused_by_the_cloud_fails_the_target_with_the_saved_values() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    add(&mut browser, SOURCE, &form("email", "jo@example.com", &["connected"])).await;
    // Requests: the source, its notifications, their apps and its triggers; the target, its notifications and triggers;
    // the fragrance.
    for fault in [PASS; 8] {
        world.cloud.faults().push(fault);
    }
    world.cloud.faults().push(Fault::UnprocessableEntity);
    let job = copy(&mut browser, &["copyId", "notifications"], &[TARGET]).await;
    let reason = "Connected was not saved: An injected fault. Already saved: Fragrance.";
    assert_eq!(job["unfinished"][0]["reason"], reason);
}

#[tokio::test]
async fn recipients_are_stored_with_the_job_until_all_targets_end() {
    let world = start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    add(&mut browser, SOURCE, &form("email", "jo@example.com", &["connected"])).await;
    for fault in [PASS, PASS, PASS, PASS, Fault::NotFound] {
        world.cloud.faults().push(fault);
    }
    let job = copy(&mut browser, &["notifications"], &[TARGET]).await;
    assert_eq!(job["can"]["retry"], true, "{job}");
    let database = Db::connect(&world.database).await.unwrap();
    let stored_work = async || database.fetch_one::<(String,)>("select work from jobs", params![]).await.unwrap().0;
    assert!(stored_work().await.contains("jo@example.com"));
    let answer = browser.post(&format!("/api/jobs/{}/retry", job["id"].as_str().unwrap()), &Value::Null).await;
    assert_eq!(ended(&mut browser, &answer.body).await["counts"], done(1));
    while !stored_work().await.is_empty() {
        pause().await;
    }
}

/// Method, recipient in lower case, and events of each row of a device page.
pub(crate) fn notification_lines(device: &Value) -> Vec<String> {
    let rows = rows(device);
    let line = |(method, recipient, events): &(&str, &str, Vec<&str>)| {
        format!("{method} {} {events:?}", recipient.to_lowercase())
    };
    notification_rows(&rows).iter().map(line).collect()
}
