//! The names of the CSPs that forms offer.

use serde_json::{Value, json};

use crate::world::*;

/// The names in a response of `GET /api/csps/all`.
fn names(body: &Value) -> Vec<&str> {
    body.as_array().unwrap().iter().map(|csp| csp["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn each_role_gets_its_visible_csps() {
    let world = World::start().await;
    let rows = [
        (ADMIN, vec!["North", "South"]),
        (OBSERVER, vec!["North", "South"]),
        (NORTH_ADMIN, vec!["North"]),
        (NORTH_OBSERVER, vec!["North"]),
        (NORTH_TECH, vec!["North"]),
        (SOUTH_ADMIN, vec!["South"]),
    ];
    for (email, expected) in rows {
        let answer = world.signed_in(email).await.get("/api/csps/all").await;
        assert_eq!((answer.status, names(&answer.body)), (200, expected), "{email}");
        for csp in answer.body.as_array().unwrap() {
            let members: Vec<&String> = csp.as_object().unwrap().keys().collect();
            assert_eq!(members, ["id", "name"]);
        }
    }
    for email in [NO_ROLE, END_USER] {
        let answer = world.signed_in(email).await.get("/api/csps/all").await;
        assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{email}");
    }
    let answer = world.browser().get("/api/csps/all").await;
    assert_eq!((answer.status, answer.code()), (401, "not_signed_in"));
}

#[tokio::test]
async fn pass_adopts_the_partner_of_a_device() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let before = browser.get("/api/csps/all").await.body;
    world.add_device("SC-E1", "East").await;
    world.console.resync().await;
    let after = browser.get("/api/csps/all").await.body;
    assert_eq!(names(&after), ["East", "North", "South"]);
    world.console.resync().await;
    assert_eq!(browser.get("/api/csps/all").await.body, after, "once");
    assert_eq!(json!(after.as_array().unwrap()[1..]), before, "those that were there stay as they were");
}
