//! Two people who edit the same record.

use std::time::Duration;

use cloud::testing::Fault;
use devicecloud::NewNotificationApp;
use diffuser::Role;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::authorisation::invitation;
use crate::browser::Answer;
use crate::world::*;

fn device(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}")
}

/// The fields that were changed in the meantime, with value and author. Every author has a time.
fn changed(answer: &Answer) -> Value {
    assert_eq!((answer.status, answer.code()), (409, "changed"), "{}", answer.body);
    let fields = answer.body["changed"].as_object().unwrap().iter();
    let field = |(name, field): (&String, &Value)| {
        assert!(field["by"].is_null() || field["at"].is_string(), "{field}");
        (name.clone(), json!([field["value"], field["by"]]))
    };
    fields.map(field).collect::<serde_json::Map<_, _>>().into()
}

#[tokio::test]
async fn device_field_that_was_changed_meanwhile_is_refused_with_its_author() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let start = json!({
        "customer": "Aurora", "serviceArea": "Lobby", "city": "Oslo", "country": "Norway", "storeNumber": null,
        "timeZone": "Europe/Oslo", "latitude": 59.9, "longitude": 10.7,
    });
    assert_eq!(tech.put(&device(NORTH), &start).await.status, 200);
    let meanwhile = json!({ "customer": "Harbor Inns", "storeNumber": "B-1", "latitude": 60.4, "longitude": 5.3 });
    assert_eq!(tech.put(&device(NORTH), &meanwhile).await.status, 200);
    let before = admin.get(&device(NORTH)).await.body;

    let form = json!({
        "customer": "Grand Hotel", "serviceArea": "Spa", "storeNumber": "A-1", "timeZone": "UTC",
        "latitude": 61.0, "longitude": 5.3,
        "seen": {
            "customer": "Aurora", "serviceArea": "Lobby", "storeNumber": "", "timeZone": "Europe/Oslo",
            "latitude": "59.9", "longitude": "10.7", "city": "elsewhere", "unknown": "x",
        },
    });
    let refused = admin.put(&device(NORTH), &form).await;
    let expected = json!({
        "customer": ["Harbor Inns", NORTH_TECH], "storeNumber": ["B-1", NORTH_TECH], "latitude": ["60.4", NORTH_TECH],
    });
    assert_eq!(changed(&refused), expected);
    let after = admin.get(&device(NORTH)).await.body;
    for name in ["customer", "serviceArea", "storeNumber", "timeZone", "lat"] {
        assert_eq!(after[name], before[name], "{name}: nothing else is saved");
    }

    // The form now contains the current values as seen.
    let mut decided = form.clone();
    for (name, value) in [("customer", "Harbor Inns"), ("storeNumber", "B-1"), ("latitude", "60.4")] {
        decided["seen"][name] = json!(value);
    }
    let saved = admin.put(&device(NORTH), &decided).await;
    assert_eq!((saved.status, &saved.body["customer"]), (200, &json!("Grand Hotel")), "{}", saved.body);
    assert_eq!((&saved.body["storeNumber"], &saved.body["lat"]), (&json!("A-1"), &json!(61.0)));
    // A value that is already stored is no conflict, even with outdated seen values.
    assert_eq!(admin.put(&device(NORTH), &form).await.status, 200);
    // Without seen values the last write wins.
    assert_eq!(tech.put(&device(NORTH), &json!({ "customer": "Inn" })).await.status, 200);
}

#[tokio::test]
async fn setting_that_was_changed_meanwhile_is_refused_with_its_author() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let path = format!("{}/settings", device(NORTH));
    let start = json!({ "mode": 3, "intensity": 20, "cycle": 1, "fan": 2 });
    assert_eq!(tech.put(&path, &start).await.status, 200);
    assert_eq!(tech.put(&path, &json!({ "intensity": 25, "fan": 3 })).await.status, 200);

    let seen = json!({ "mode": "3", "intensity": "20", "cycle": "1", "fan": "2" });
    let refused = admin.put(&path, &json!({ "mode": 1, "intensity": 30, "seen": seen })).await;
    assert_eq!(changed(&refused), json!({ "intensity": ["25", NORTH_TECH] }), "the fan speed is not to be written");
    let after = admin.get(&device(NORTH)).await.body;
    assert_eq!((&after["mode"], &after["intensity"]), (&json!(3), &json!(25)), "nothing else is saved");

    let mut decided = json!({ "mode": 1, "intensity": 30, "seen": seen });
    decided["seen"]["intensity"] = json!("25");
    let saved = admin.put(&path, &decided).await.body;
    assert_eq!([&saved["mode"], &saved["intensity"], &saved["fan"]], [&json!(1), &json!(30), &json!(3)]);
    // An own change is none, what is stored already neither, and without seen values the last write wins.
    assert_eq!(admin.put(&path, &json!({ "intensity": 31, "seen": seen })).await.status, 200);
    assert_eq!(tech.put(&path, &json!({ "intensity": 31, "seen": seen })).await.status, 200);
    assert_eq!(tech.put(&path, &json!({ "intensity": 22 })).await.body["intensity"], 22);
}

/// The first write is held between its check and its call of the cloud; the second one must not be checked until then.
async fn second_of_two_racing_writes_is_refused(database: TestDb) {
    let world = World::start_without_background_reads_on(&database).await;
    let other_node = world.another_console(|_| {}).await;
    let tech = world.signed_in(NORTH_TECH).await;
    let mut admin = world.signed_in(ADMIN).await;
    for second_at in [world.console.addr(), other_node.addr()] {
        let before = admin.get(&device(NORTH)).await.body["customer"].clone();
        let form = |customer: &str| json!({ "customer": customer, "seen": { "customer": before } });
        let faults = world.cloud.faults();
        [Fault::Delay(Duration::ZERO), Fault::Hold].into_iter().for_each(|fault| faults.push(fault));
        let (mut first, mut second) = (tech.clone(), admin.at(second_at));
        let (one, two) = (form(&format!("First at {second_at}")), form(&format!("Second at {second_at}")));
        let first = tokio::spawn(async move { first.put(&device(NORTH), &one).await });
        faults.held().await;
        faults.push(Fault::Hold);
        let second = tokio::spawn(async move { second.put(&device(NORTH), &two).await });
        // Time for the second write to reach the cloud, if it could.
        for _ in 0..20 {
            admin.get("/api/csps").await;
        }
        assert_eq!(faults.waiting(), 1, "the second write has not read the device");
        faults.clear();
        faults.release();
        assert_eq!(first.await.unwrap().status, 200);
        let expected = json!({ "customer": [format!("First at {second_at}"), NORTH_TECH] });
        assert_eq!(changed(&second.await.unwrap()), expected);
    }
}

/// Thresholds are kept by the console: only the first of two writes that begin at the same time is saved.
async fn threshold_that_somebody_else_changed_meanwhile_is_refused(database: TestDb) {
    let world = World::start_without_background_reads_on(&database).await;
    let (mut north, mut admin) = (world.signed_in(NORTH_ADMIN).await, world.signed_in(ADMIN).await);
    let (path, of_north) = ("/api/attention/settings", "/api/attention/settings?csp=North");
    let seen = json!({ "runsDryDays": "7", "offlineMinutes": "60", "disabled": "[]" });
    let form = |days: i64| json!({ "runsDryDays": days, "seen": seen });
    let (one, other) = (form(14), form(21));
    let (first, second) = tokio::join!(north.put(path, &one), admin.put(of_north, &other));
    let (saved, refused) = if first.status == 200 { (first, second) } else { (second, first) };
    assert_eq!((saved.status, refused.code()), (200, "changed"), "{} {}", saved.body, refused.body);
    let days = saved.body["settings"]["runsDryDays"].clone();
    assert_eq!(refused.body["changed"]["runsDryDays"]["value"], days.to_string());

    // What is not sent keeps its value, whoever changed it. A list is seen as its JSON text.
    let disabled = json!({ "disabled": ["offline", "no_use"], "runsDryDays": null, "seen": seen });
    let saved = admin.put(of_north, &disabled).await.body["settings"].clone();
    let before = north.get(path).await.body["settings"].clone();
    assert_eq!((&saved, &saved["runsDryDays"], &saved["offlineMinutes"]), (&before, &days, &json!(60)));
    let both = json!({ "disabled": [], "offlineMinutes": 90, "seen": seen });
    let kinds = before["disabled"].to_string();
    assert_eq!(changed(&north.put(path, &both).await), json!({ "disabled": [kinds, null] }), "of the manufacturer");
    assert_eq!(north.get(path).await.body["settings"], before, "nothing else is saved");

    let mut decided = both.clone();
    decided["seen"]["disabled"] = json!(before["disabled"].to_string());
    let saved = north.put(path, &decided).await.body["settings"].clone();
    assert_eq!((&saved["disabled"], &saved["offlineMinutes"], &saved["runsDryDays"]), (&json!([]), &json!(90), &days));
    // The author is named to those who may know, own changes are none, and the last write wins without seen values.
    let outdated = json!({ "offlineMinutes": 120, "seen": { "offlineMinutes": "60" } });
    assert_eq!(changed(&admin.put(of_north, &outdated).await), json!({ "offlineMinutes": ["90", NORTH_ADMIN] }));
    assert_eq!(north.put(path, &outdated).await.body["settings"]["offlineMinutes"], 120);
    assert_eq!(admin.put(of_north, &json!({ "offlineMinutes": 75 })).await.body["settings"]["offlineMinutes"], 75);
    // Those of the devices without a CSP are another record.
    assert_eq!(admin.put(path, &form(10)).await.status, 200);
}

on_both_databases!(second_of_two_racing_writes_is_refused, threshold_that_somebody_else_changed_meanwhile_is_refused,);

#[tokio::test]
async fn own_earlier_change_is_no_conflict() {
    let world = World::start().await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    assert_eq!(tech.put(&device(NORTH), &json!({ "serviceArea": "Spa" })).await.status, 200);
    let saved = tech.put(&device(NORTH), &json!({ "serviceArea": "Bar", "seen": { "serviceArea": "Gym" } })).await;
    assert_eq!((saved.status, &saved.body["serviceArea"]), (200, &json!("Bar")));
}

#[tokio::test]
async fn interrupted_role_change_can_be_repeated_with_the_same_seen_values() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let invited = admin.post("/api/users", &invitation("bob@example.com", json!({}))).await;
    let page = format!("/api/users/{}", invited.body["id"].as_str().unwrap());
    let seen = json!({ "role": Role::CspTech.name(), "csp": "North" });
    let form = json!({ "role": Role::CspObserver.name(), "csp": "South", "seen": seen });
    let mut calls = 0;
    loop {
        for _ in 0..calls {
            world.cloud.faults().push(Fault::Delay(Duration::ZERO));
        }
        world.cloud.faults().push(Fault::UnprocessableEntity);
        calls += 1;
        let answer = admin.put(&page, &form).await;
        if answer.status == 200 {
            assert_eq!(answer.body["csp"], "South");
            break;
        }
        assert_ne!(answer.code(), "changed", "after {calls} calls: {}", answer.body);
    }
    assert!(calls > 4, "the change has several steps");
}

#[tokio::test]
async fn author_outside_the_own_csp_is_not_named() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    assert_eq!(admin.put(&device(NORTH), &json!({ "serviceArea": "Spa" })).await.status, 200);
    let refused = tech.put(&device(NORTH), &json!({ "serviceArea": "Bar", "seen": { "serviceArea": "Gym" } })).await;
    assert_eq!(changed(&refused), json!({ "serviceArea": ["Spa", null] }));
    assert!(refused.body["changed"]["serviceArea"]["at"].is_string());
}

#[tokio::test]
async fn user_field_that_was_changed_meanwhile_is_refused_with_its_author() {
    let world = World::start().await;
    let (mut admin, mut partner) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_ADMIN).await);
    let invited = admin.post("/api/users", &invitation("bob@example.com", json!({ "phone": "1" }))).await;
    let page = format!("/api/users/{}", invited.body["id"].as_str().unwrap());
    let demotion = json!({ "role": Role::CspObserver.name(), "phone": "2" });
    assert_eq!(partner.put(&page, &demotion).await.status, 200);

    let seen = json!({ "role": Role::CspTech.name(), "phone": "1", "lastname": "Tester" });
    let refused = admin.put(&page, &json!({ "role": Role::CspAdmin.name(), "phone": "3", "seen": seen })).await;
    let expected = json!({ "phone": ["2", NORTH_ADMIN], "role": [Role::CspObserver.name(), NORTH_ADMIN] });
    assert_eq!(changed(&refused), expected);
    let saved = admin.put(&page, &json!({ "lastname": "Miller", "seen": seen })).await;
    assert_eq!((saved.status, &saved.body["phone"]), (200, &json!("2")));
    assert_eq!(saved.body["role"], Role::CspObserver.name());
}

#[tokio::test]
async fn malformed_seen_values_are_refused() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let notifications = format!("{}/notifications", device(NORTH));
    let added = admin.post(&notifications, &notification("jo@example.com", &["connected"])).await.body;
    let forms = [
        (device(NORTH), json!({ "customer": "Inn" })),
        (format!("{}/schedule", device(NORTH)), json!({ "frames": [frame(1, 12)] })),
        (
            format!("{notifications}/{}", added["notifications"][0]["id"].as_str().unwrap()),
            json!({ "events": { "disconnected": true } }),
        ),
    ];
    for (path, mut form) in forms {
        for seen in [json!("x"), json!(null), json!(["1"]), json!({ "1": 7 }), json!({ "1": {} })] {
            form["seen"] = seen.clone();
            let refused = admin.put(&path, &form).await;
            assert_eq!(refused.status, 422, "{path} {seen}: {}", refused.body);
            assert!(refused.fields().iter().all(|field| field.starts_with("seen")), "{path} {seen}: {}", refused.body);
        }
    }
}

#[tokio::test]
async fn own_profile_field_that_an_administrator_changed_meanwhile_is_refused() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let before = tech.get("/api/account").await.body;
    let user = format!("/api/users/{}", world.user_id(NORTH_TECH).await);
    let saved = admin.put(&user, &json!({ "city": "Bergen" })).await;
    assert_eq!(saved.status, 200, "{}", saved.body);

    let form = json!({ "city": "Tromsø", "firstname": "Tessa", "seen": { "city": before["city"], "firstname": before["firstname"] } });
    let refused = tech.put("/api/account", &form).await;
    assert_eq!(changed(&refused), json!({ "city": ["Bergen", NORTH_ADMIN] }));
    assert_eq!(tech.get("/api/account").await.body["firstname"], before["firstname"], "nothing else is saved");

    let decided = json!({ "city": "Tromsø", "seen": { "city": "Bergen" } });
    assert_eq!(tech.put("/api/account", &decided).await.body["city"], "Tromsø");
    assert_eq!(tech.put("/api/account", &json!({ "city": "Oslo" })).await.status, 200, "without seen values");
}

#[tokio::test]
async fn csp_that_was_renamed_meanwhile_is_refused() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    let promoted = format!("/api/users/{}", world.user_id(NO_ROLE).await);
    assert_eq!(admin.put(&promoted, &json!({ "role": Role::Admin.name() })).await.status, 200);
    let mut other = world.signed_in(NO_ROLE).await;
    let csp = admin.post("/api/csps", &json!({ "name": "Fjord" })).await.body;
    let path = format!("/api/csps/{}", csp["id"].as_str().unwrap());
    assert_eq!(other.put(&path, &json!({ "name": "Fjell" })).await.status, 200);
    let form = json!({ "name": "Vik", "seen": { "name": "Fjord" } });
    assert_eq!(changed(&admin.put(&path, &form).await), json!({ "name": ["Fjell", NO_ROLE] }));
    assert_eq!(admin.get(&path).await.body["name"], "Fjell");
    let decided = json!({ "name": "Vik", "seen": { "name": "Fjell" } });
    assert_eq!(admin.put(&path, &decided).await.body["name"], "Vik");
}

fn frame(number: i64, intensity: i64) -> Value {
    json!({
        "number": number, "active": true, "dayOfTheWeek": number, "intensity": intensity,
        "startHour": 9, "startMinute": 0, "stopHour": 17, "stopMinute": 30,
    })
}

/// The frame in the device's storage format.
fn entry(number: i64, intensity: i64) -> String {
    format!("{number},1,{number},{intensity},9,0,17,30")
}

#[tokio::test]
async fn schedule_frame_that_was_changed_meanwhile_is_refused_with_its_author() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let path = format!("{}/schedule", device(NORTH));
    let start = json!({ "frames": [frame(1, 10), frame(2, 10), frame(3, 10)] });
    assert_eq!(tech.put(&path, &start).await.status, 200);
    let meanwhile = json!({ "frames": [frame(1, 11), frame(3, 11)], "seen": { "1": entry(1, 10), "3": entry(3, 10) } });
    assert_eq!(tech.put(&path, &meanwhile).await.status, 200);
    let before = admin.get(&device(NORTH)).await.body["schedule"].clone();

    let seen = json!({ "1": entry(1, 10), "2": entry(2, 10), "3": entry(3, 10), "4": "elsewhere", "x": "y" });
    let form = json!({ "frames": [frame(1, 12), frame(2, 12), frame(3, 11)], "seen": seen });
    let refused = admin.put(&path, &form).await;
    assert_eq!(changed(&refused), json!({ "1": [entry(1, 11), NORTH_TECH] }), "frame 3 has the requested value");
    assert_eq!(admin.get(&device(NORTH)).await.body["schedule"], before, "nothing else is saved");

    // The form now contains the current frame as seen.
    let mut decided = form.clone();
    decided["seen"]["1"] = json!(entry(1, 11));
    let saved = admin.put(&path, &decided).await;
    assert_eq!((saved.status, &saved.body["schedule"][0]), (200, &frame(1, 12)), "{}", saved.body);
    assert_eq!((&saved.body["schedule"][1], &saved.body["schedule"][2]), (&frame(2, 12), &frame(3, 11)));
    assert_eq!(admin.put(&path, &form).await.status, 200, "the stored schedule is no conflict");
    // An own change is no conflict, and without seen values the last write wins.
    let own = json!({ "frames": [frame(2, 13)], "seen": { "2": entry(2, 10) } });
    assert_eq!(admin.put(&path, &own).await.status, 200);
    assert_eq!(tech.put(&path, &json!({ "frames": [frame(1, 14), frame(2, 14)] })).await.status, 200);
}

#[tokio::test]
async fn frame_that_the_device_changed_is_refused_without_an_author() {
    let world = World::start().await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let device_link = world.cloud.device(NORTH).await;
    device_link.connect().await;
    device_link.report(&[("schedule_blob", json!(entry(1, 20)))]).await;
    let unset = "1,0,0,1,0,0,0,0";
    let form = json!({ "frames": [frame(1, 30)], "seen": { "1": unset } });
    let refused = tech.put(&format!("{}/schedule", device(NORTH)), &form).await;
    assert_eq!(changed(&refused), json!({ "1": [entry(1, 20), null] }));
}

fn notification(recipient: &str, events: &[&str]) -> Value {
    let events: serde_json::Map<_, _> = events.iter().map(|event| ((*event).to_owned(), json!(true))).collect();
    json!({ "method": "email", "recipient": recipient, "events": events })
}

/// The values that a person sees of a notification.
fn seen(row: &Value) -> Value {
    let mut seen = row["events"].clone();
    seen["recipient"] = row["recipient"].clone();
    seen
}

#[tokio::test]
async fn notification_that_got_another_recipient_meanwhile_is_refused_with_its_author() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let path = format!("{}/notifications", device(NORTH));
    let added = tech.post(&path, &notification("jo@example.com", &["connected", "lowProductLevel"])).await.body;
    let jo = added["notifications"][0].clone();
    let of_jo = format!("{path}/{}", jo["id"].as_str().unwrap());
    // A later change of another notification must not be taken for this one.
    assert_eq!(admin.post(&path, &notification("lee@example.com", &["connected"])).await.status, 200);
    assert_eq!(tech.put(&of_jo, &json!({ "recipient": "kim@example.com", "seen": seen(&jo) })).await.status, 200);
    let rows = admin.get(&path).await.body;
    let lee = rows.as_array().unwrap().iter().find(|row| row["recipient"] == "lee@example.com").unwrap();
    let of_lee = format!("{path}/{}", lee["id"].as_str().unwrap());
    assert_eq!(admin.put(&of_lee, &json!({ "recipient": "ida@example.com" })).await.status, 200);

    let forms = [json!({ "events": { "disconnected": true } }), json!({ "recipient": "eve@example.com" })];
    for mut form in forms {
        form["seen"] = seen(&jo);
        let before = admin.get(&path).await.body;
        let refused = admin.put(&of_jo, &form).await;
        assert_eq!(changed(&refused), json!({ "recipient": ["kim@example.com", NORTH_TECH] }), "{form}");
        assert_eq!(admin.get(&path).await.body, before, "nothing is saved");
        // The person decides with the current recipient as seen.
        form["seen"]["recipient"] = json!("kim@example.com");
        let saved = admin.put(&of_jo, &form).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
        let rows = saved.body["notifications"].as_array().unwrap();
        let expected = form["recipient"].as_str().unwrap_or("kim@example.com");
        let row = rows.iter().find(|row| row["recipient"] == expected).unwrap();
        assert!(row["events"]["disconnected"].is_string(), "{row}");
        let again = admin.put(&of_jo, &form).await;
        assert_eq!((again.status, &again.body["notifications"]), (200, &saved.body["notifications"]), "repeated");
    }
}

#[tokio::test]
async fn notification_that_another_application_gave_another_recipient_is_refused_without_an_author() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let path = format!("{}/notifications", device(NORTH));
    let jo = tech.post(&path, &notification("jo@example.com", &["connected"])).await.body["notifications"][0].clone();
    let of_jo = format!("{path}/{}", jo["id"].as_str().unwrap());
    let client = world.cloud_as(ADMIN).await;
    let key = client.devices().get(NORTH).send().await.unwrap().key;
    let found = client.notifications().list(&key).await.unwrap().remove(0).id;
    let app = client.notifications().apps(&found).await.unwrap().remove(0).id;
    client.notifications().update_app(&found, &app, &NewNotificationApp::email("kim@example.com")).await.unwrap();

    let mut form = json!({ "recipient": "eve@example.com", "seen": seen(&jo) });
    assert_eq!(changed(&admin.put(&of_jo, &form).await), json!({ "recipient": ["kim@example.com", null] }));
    form["seen"]["recipient"] = json!("kim@example.com");
    let saved = admin.put(&of_jo, &form).await;
    assert_eq!((saved.status, &saved.body["notifications"][0]["recipient"]), (200, &json!("eve@example.com")));
}

#[tokio::test]
async fn removed_notification_is_not_found() {
    let world = World::start().await;
    let (mut tech, mut admin) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let path = format!("{}/notifications", device(NORTH));
    let jo = tech.post(&path, &notification("jo@example.com", &["connected"])).await.body["notifications"][0].clone();
    let of_jo = format!("{path}/{}", jo["id"].as_str().unwrap());
    assert_eq!(tech.delete(&of_jo).await.status, 200);
    assert_eq!(tech.post(&path, &notification("kim@example.com", &["connected"])).await.status, 200);
    let form = json!({ "events": { "disconnected": true }, "seen": seen(&jo) });
    assert_eq!(admin.put(&of_jo, &form).await.status, 404);
}
