use diffuser::Fragrance;
use serde_json::json;

use crate::world::*;

fn fragrance(name: &str) -> Fragrance {
    let flow = [Some(0.5), Some(0.25), None, Some(1.0), Some(1.1), Some(1.9), Some(2.0)];
    Fragrance { name: name.to_owned(), sku: format!("SKU {name}"), density: 1.0, flow }
}

#[tokio::test]
async fn the_five_roles_get_the_catalogue_by_name() {
    let world = World::start().await;
    world.console.add_missing_fragrances(&["White Tea", "fig", "Amber"].map(fragrance)).await.unwrap();
    let flow = json!({
        "AQ200w500": 0.5, "AQ300w500": 0.25, "AQ800w1250": 1.0, "AQ800w2500": 1.1, "AQ1200w1250": 1.9, "AQ1200w2500": 2.0,
    });
    let expected = ["Amber", "fig", "White Tea"]
        .map(|name| json!({ "name": name, "sku": format!("SKU {name}"), "density": 1.0, "flow": flow }));
    for email in [ADMIN, OBSERVER, NORTH_ADMIN, NORTH_OBSERVER, NORTH_TECH] {
        let answer = world.signed_in(email).await.get("/api/fragrances").await;
        assert_eq!((answer.status, answer.body), (200, json!(expected)), "{email}");
    }
    for email in [NO_ROLE, END_USER] {
        let answer = world.signed_in(email).await.get("/api/fragrances").await;
        assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{email}");
    }
}

/// What the page shows; the index keeps what the device stores, here 64.
#[tokio::test]
async fn a_devices_page_computes_what_is_left() {
    let world = World::start().await;
    world.console.add_missing_fragrances(&[fragrance("White Tea")]).await.unwrap();
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let device = world.cloud.device(NORTH_AQ290).await;
    // (500 mL - 500 h * 0.5 g/h / 1 g/mL) / 500 mL, and so on.
    for (hours, percent) in [(json!(0), 100), (json!(500), 50), (json!(747.5), 25), (json!(1000), 0), (json!(9000), 0)]
    {
        device.report(&[("cartridge_life", hours.clone())]).await;
        assert_eq!(browser.device(NORTH_AQ290).await["fragranceRemaining"], percent, "{hours}");
    }
    world.console.resync().await;
    let list = browser.get(&format!("/api/devices?dsn={NORTH_AQ290}")).await.body;
    assert_eq!(list["devices"][0]["fragranceRemaining"], 64, "nobody writes because somebody looks");
}

#[tokio::test]
async fn without_hours_or_fragrance_the_page_shows_what_the_device_stores() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    let device = world.cloud.device(NORTH).await;
    assert_eq!(browser.device(NORTH).await["fragranceRemaining"], 64, "no hours");
    device.report(&[("cartridge_life", json!(500))]).await;
    assert_eq!(browser.device(NORTH).await["fragranceRemaining"], 64, "no fragrance of that name");
    world.console.add_missing_fragrances(&[fragrance("White Tea")]).await.unwrap();
    assert_eq!(browser.device(NORTH).await["fragranceRemaining"], 75);
}

#[tokio::test]
async fn whoever_is_signed_in_gets_the_time_zones() {
    let world = World::start().await;
    for email in [ADMIN, NORTH_TECH, NO_ROLE] {
        let answer = world.signed_in(email).await.get("/api/time-zones").await;
        let names: Vec<&str> = answer.body.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(answer.status, 200);
        assert!(names.len() > 400 && names.is_sorted(), "{email}: {}", names.len());
        for name in ["America/Chicago", "Europe/Oslo", "Asia/Kolkata", "UTC"] {
            assert!(names.contains(&name), "{name}");
        }
    }
    assert_eq!(world.browser().get("/api/time-zones").await.status, 401);
}
