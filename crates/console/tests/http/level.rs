use std::time::Duration;

use cloud::testing::Fault;
use diffuser::Fragrance;
use serde_json::json;

use crate::world::*;

fn white_tea() -> Fragrance {
    let flow = [Some(0.5), Some(0.25), None, Some(1.0), Some(1.1), Some(1.9), Some(2.0)];
    Fragrance { name: "White Tea".to_owned(), sku: "WT".to_owned(), density: 1.0, flow }
}

fn reset(dsn: &str) -> String {
    format!("/api/devices/dsns/{dsn}/fragrance-level/reset")
}

/// Only the page computes the level; until a pass, the index contains the value that the device stores (64).
#[tokio::test]
async fn device_page_computes_the_remaining_level() {
    let world = World::start().await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let device = world.cloud.device(NORTH_AQ290).await;
    // After 500 hours: (500 mL - 500 h * 0.5 g/h / 1 g/mL) / 500 mL = 50 percent.
    for (hours, percent) in [(json!(0), 100), (json!(500), 50), (json!(747.5), 25), (json!(1000), 0), (json!(9000), 0)]
    {
        device.report(&[("cartridge_life", hours.clone())]).await;
        assert_eq!(browser.device(NORTH_AQ290).await["fragranceRemaining"], percent, "{hours}");
    }
    let command = &browser.device(NORTH_AQ290).await["commands"]["fragranceRemaining"];
    assert!(command.is_null(), "reading the page writes no level: {command}");
    let list = browser.get(&format!("/api/devices?dsn={NORTH_AQ290}")).await.body;
    assert_eq!(list["devices"][0]["fragranceRemaining"], 64, "what the device stores, until a pass");
}

#[tokio::test]
async fn device_without_hours_or_fragrance_shows_the_stored_level() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let device = world.cloud.device(NORTH).await;
    assert_eq!(browser.device(NORTH).await["fragranceRemaining"], 64, "no hours");
    device.report(&[("cartridge_life", json!(500))]).await;
    assert_eq!(browser.device(NORTH).await["fragranceRemaining"], 64, "no fragrance of that name");
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    assert_eq!(browser.device(NORTH).await["fragranceRemaining"], 75);
}

#[tokio::test]
async fn reset_sets_the_hours_to_0_and_the_level_to_100() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let device = world.cloud.device(NORTH).await;
    device.report(&[("cartridge_life", json!(412.5))]).await;

    let answer = browser.post(&reset(NORTH), &json!(null)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!((&answer.body["cartridgeLife"], &answer.body["fragranceRemaining"]), (&json!(0.0), &json!(100)));
    let command = &answer.body["commands"]["fragranceRemaining"];
    assert_eq!((&command["state"], &command["reported"]), (&json!("pending"), &json!(64)));
    let hours = &answer.body["commands"]["cartridgeLife"];
    assert_eq!((&hours["state"], &hours["sentAt"]), (&json!("pending"), &json!("2026-11-20T10:00:00Z")));
    assert_eq!(browser.listed(NORTH).await["fragranceRemaining"], 100, "the list knows it before the answer");

    let pending = device.pending().await;
    let sent: Vec<_> = pending.iter().map(|(_, name, value)| (name.as_str(), value.as_f64())).collect();
    assert_eq!(sent, [("cartridge_life", Some(0.0)), ("fragrance_remaining", Some(100.0))]);
    for (id, name, value) in pending {
        device.report(&[(&name, value)]).await;
        device.ack(&id, 200, 0).await;
    }
    let page = browser.device(NORTH).await;
    assert_eq!((&page["cartridgeLife"], &page["fragranceRemaining"]), (&json!(0.0), &json!(100)));
    for value in ["fragranceRemaining", "cartridgeLife"] {
        assert_eq!(page["commands"][value]["state"], "acknowledged", "{value}");
        assert_eq!(page["commands"][value]["answeredAt"], "2026-11-20T10:00:00Z", "{value}");
    }
}

#[tokio::test]
async fn interrupted_reset_is_reported_and_can_be_repeated() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let pass = Fault::Delay(Duration::ZERO);
    // Requests: the read, the hours. The level fails.
    for fault in [pass, pass, Fault::Drop] {
        world.cloud.faults().push(fault);
    }
    let answer = browser.post(&reset(NORTH), &json!(null)).await;
    assert_eq!((answer.status, answer.fields()), (502, vec!["fragranceRemaining"]));
    assert_eq!(
        answer.body["detail"],
        "Fragrance remaining was not saved: The device cloud cannot be reached. Already saved: Cartridge life."
    );
    assert_eq!(browser.post(&reset(NORTH), &json!(null)).await.body["fragranceRemaining"], 100);
}

#[tokio::test]
async fn level_reset_requires_the_right_to_edit_the_device() {
    let world = World::start().await;
    for (email, dsn, status) in [
        (NORTH_OBSERVER, NORTH, 403),
        (OBSERVER, NORTH, 403),
        (NORTH_TECH, SOUTH, 404),
        (END_USER, OWNED, 404),
        (ADMIN, STOCK, 404),
        (ADMIN, "SC-NONE", 404),
    ] {
        let answer = world.signed_in(email).await.post(&reset(dsn), &json!(null)).await;
        assert_eq!(answer.status, status, "{email} {dsn}");
    }
    for dsn in [NORTH, SOUTH, OWNED] {
        assert!(world.cloud.device(dsn).await.pending().await.is_empty(), "{dsn}");
    }
    for (email, can) in [(NORTH_TECH, true), (NORTH_ADMIN, true), (ADMIN, true), (NORTH_OBSERVER, false)] {
        let page = world.signed_in(email).await.device(NORTH).await;
        assert_eq!(page["can"], json!({ "edit": can, "copy": can, "resetLevel": can }), "{email}");
    }
}

#[tokio::test]
async fn refresh_reads_the_device_and_updates_the_list() {
    let world = World::start().await;
    world.add_device("SC-E1", "East").await;
    let mut browser = world.signed_in(ADMIN).await;
    assert!(!browser.dsns("&dsn=SC-E1").await.contains(&"SC-E1".to_owned()), "no pass has seen it");
    let answer = browser.post("/api/devices/dsns/SC-E1", &json!(null)).await;
    assert_eq!((answer.status, &answer.body["csp"]), (200, &json!("East")));
    assert_eq!(browser.dsns("&dsn=SC-E1").await, ["SC-E1"]);
    for (email, dsn, status) in [(NORTH_OBSERVER, NORTH, 200), (NORTH_OBSERVER, SOUTH, 404), (ADMIN, STOCK, 404)] {
        let path = format!("/api/devices/dsns/{dsn}");
        assert_eq!(world.signed_in(email).await.post(&path, &json!(null)).await.status, status, "{email} {dsn}");
    }
}

/// Lists and warnings use the stored level.
#[tokio::test]
async fn level_job_stores_the_computed_level() {
    let world = World::start_with(reads_devices).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let mut stream = browser.follow(&[NORTH, NORTH_AQ290]).await;
    world.cloud.device(NORTH_AQ290).await.report(&[("cartridge_life", json!(300))]).await;
    world.console.resync().await;
    assert_eq!(stream.until("commanded", NORTH_AQ290).await["fragranceRemaining"], 70);
    assert_eq!(browser.listed(NORTH_AQ290).await["fragranceRemaining"], 70);
    let pending = world.cloud.device(NORTH_AQ290).await.pending().await;
    let written: Vec<_> = pending.iter().map(|(_, name, value)| (name.as_str(), value)).collect();
    assert_eq!(written, [("fragrance_remaining", &json!(70))]);
    assert!(world.cloud.device(NORTH).await.pending().await.is_empty(), "of this one nothing can be computed");
}

/// The two writes of a reset must not have the level of half a reset between them.
#[tokio::test]
async fn level_job_waits_for_a_request_that_writes_the_device() {
    let world = World::start_with(reads_devices).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    let browser = world.signed_in(NORTH_TECH).await;
    let mut stream = browser.follow(&[NORTH, NORTH_AQ290]).await;
    let level = format!("/device/apiv1/dsns/{NORTH}/properties/fragrance_remaining/datapoints");
    world.cloud.faults().push_for(level, Fault::Hold);
    let reset = {
        let mut browser = browser.clone();
        tokio::spawn(async move { browser.post(&reset(NORTH), &json!(null)).await.status })
    };
    world.cloud.faults().held().await;
    for dsn in [NORTH, NORTH_AQ290] {
        world.cloud.device(dsn).await.report(&[("cartridge_life", json!(300))]).await;
    }
    world.console.resync().await;
    stream.until("commanded", NORTH_AQ290).await;
    let pending = world.cloud.device(NORTH).await.pending().await;
    let written: Vec<_> = pending.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(written, ["cartridge_life"], "the reset has the device");
    world.cloud.faults().release();
    assert_eq!(reset.await.unwrap(), 200);
    let written = world.cloud.device(NORTH).await.pending().await;
    let written: Vec<_> = written.iter().map(|(_, name, value)| (name.as_str(), value)).collect();
    assert_eq!(written, [("cartridge_life", &json!(0.0)), ("fragrance_remaining", &json!(100))]);
}

#[tokio::test]
async fn changed_catalogue_updates_levels_of_idle_devices() {
    let world = World::start_with(reads_devices).await;
    let browser = world.signed_in(NORTH_OBSERVER).await;
    world.cloud.device(NORTH).await.report(&[("cartridge_life", json!(400))]).await;
    world.console.resync().await;
    assert!(world.cloud.device(NORTH).await.pending().await.is_empty(), "no such fragrance yet");
    let mut stream = browser.follow(&[NORTH]).await;
    world.console.add_missing_fragrances(&[white_tea()]).await.unwrap();
    world.console.resync().await;
    assert_eq!(stream.until("commanded", NORTH).await["fragranceRemaining"], 80);
}
