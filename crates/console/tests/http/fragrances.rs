use diffuser::Fragrance;
use jiff::tz::TimeZoneDatabase;
use serde_json::json;

use crate::world::*;

fn fragrance(name: &str) -> Fragrance {
    let flow = [Some(0.5), Some(0.25), None, Some(1.0), Some(1.1), Some(1.9), Some(2.0)];
    Fragrance { name: name.to_owned(), sku: format!("SKU {name}"), density: 1.0, flow }
}

#[tokio::test]
async fn five_roles_get_the_catalogue_by_name() {
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

#[tokio::test]
async fn every_signed_in_user_gets_the_time_zones() {
    let world = World::start().await;
    for email in [ADMIN, NORTH_TECH, NO_ROLE] {
        let answer = world.signed_in(email).await.get("/api/time-zones").await;
        let names: Vec<&str> = answer.body.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert!(answer.status == 200 && names.len() > 400 && names.is_sorted(), "{email}: {}", answer.body);
        let all = TimeZoneDatabase::bundled();
        assert!(names.iter().all(|name| all.get(name).is_ok()), "{}", answer.body);
        for name in ["America/Chicago", "Europe/Oslo", "Asia/Kolkata", "Europe/Kyiv", "UTC"] {
            assert!(names.contains(&name), "{name}");
        }
        for name in ["Asia/Calcutta", "Europe/Kiev", "EST", "EST5EDT", "Etc/GMT+5", "Etc/UTC", "Factory"] {
            assert!(!names.contains(&name), "{name}");
        }
    }
    assert_eq!(world.browser().get("/api/time-zones").await.status, 401);
}
