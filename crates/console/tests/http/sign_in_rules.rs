//! The roles that need a second factor, and the reset of a person's second factor.

use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::authorisation::{call, operations};
use crate::browser::Browser;
use crate::disconnects::Write;
use crate::scene::answer;
use crate::second_factor::{FACTOR, SECOND_STEP, TOTP_PATH, add_app, none};
use crate::world::*;

const RULES: &str = "/api/sign-in-rules";
const TECH: &str = "OEM::ProlitecCommercial::CspTech";

/// The operations of a user whose role needs a second factor that is not set up.
const OPEN: [&str; 16] = [
    "create_session",
    "get_session",
    "delete_session",
    "check_second_factor",
    "update_jwt",
    "ping_jwt",
    "request_password_reset",
    "set_password",
    "confirm_account",
    "confirm_email_change",
    "cancel_email_change",
    "get_second_factor",
    "begin_totp",
    "begin_passkey",
    "begin_passkey_check",
    "check_passkey",
];

async fn need(admin: &mut Browser, role: &str) {
    let saved = admin.put(RULES, &json!({ "role": role, "needsSecondFactor": true })).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
}

async fn needs(browser: &mut Browser) -> Value {
    browser.get("/api/session").await.body["needsSecondFactor"].clone()
}

async fn role_that_needs_a_factor_reaches_nothing_without_one(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let mut tech = world.signed_in(NORTH_TECH).await;
    let written = Write {
        method: reqwest::Method::PUT,
        path: format!("/api/devices/dsns/{NORTH}/settings"),
        body: json!({ "fan": 5 }),
        key: "written".to_owned(),
    };
    assert_eq!(written.send(&tech).await.status, 200);
    let mut stream = tech.follow(&[NORTH]).await;
    assert_eq!(needs(&mut tech).await, false);
    need(&mut admin, TECH).await;

    assert_eq!(needs(&mut tech).await, true, "an open session");
    for _ in 0..2 {
        let refused = written.send(&tech).await;
        assert_eq!((refused.status, refused.code()), (403, "second_factor_required"), "an answer is not repeated");
    }
    admin.put(&format!("/api/devices/dsns/{NORTH}/settings"), &json!({ "fan": 4 })).await;
    while let Some((event, _)) = stream.next().await {
        assert_ne!(event, "device", "the stream ends before its next event");
    }
    let mut fresh = world.signed_in(NORTH_TECH).await;
    assert_eq!(needs(&mut fresh).await, true);
    let person = world.user_id(NORTH_GUEST).await;
    for operation in operations() {
        if OPEN.contains(&operation.id.as_str()) || ["confirm_totp", "add_passkey"].contains(&operation.id.as_str()) {
            continue;
        }
        let request = call(&mut fresh.clone(), &operation.about(&person), NORTH, STOCK, NORTH_TECH).await;
        let refused = answer(request).await;
        assert_eq!((refused.status, refused.code()), (403, "second_factor_required"), "{}", operation.id);
    }
    let keyed = fresh.request(reqwest::Method::POST, TOTP_PATH).header("idempotency-key", "k");
    assert_eq!(answer(keyed.json(&json!({ "current": PASSWORD }))).await.status, 200, "also with a key");
    assert_eq!(needs(&mut world.signed_in(NORTH_ADMIN).await).await, false, "another role");

    let (app, _) = add_app(&world, &mut fresh).await;
    assert_eq!((needs(&mut fresh).await, needs(&mut tech).await), (json!(false), json!(false)), "all sessions");
    assert_eq!(fresh.get("/api/devices").await.status, 200);
    let mut next = world.browser();
    assert_eq!(next.sign_in(NORTH_TECH, PASSWORD).await.status, 202);
    assert_eq!(next.post(SECOND_STEP, &json!({ "code": app.code(&world, 0) })).await.status, 200);
    assert_eq!(needs(&mut next).await, false);
}

async fn administrator_resets_a_factor_within_the_own_scope(database: TestDb) {
    let world = World::start_on(&database).await;
    let (mut admin, mut north) = (world.signed_in(ADMIN).await, world.signed_in(NORTH_ADMIN).await);
    let mut tech = world.signed_in(NORTH_TECH).await;
    let path = format!("/api/users/{}/second-factor", world.user_id(NORTH_TECH).await);
    let refused = north.delete(&path).await;
    assert_eq!((refused.status, refused.code()), (409, "conflict"), "none is set up");
    add_app(&world, &mut tech).await;
    for (email, status) in [(SOUTH_ADMIN, 404), (NORTH_OBSERVER, 403), (OBSERVER, 403), (NORTH_TECH, 403)] {
        let mut other = if email == NORTH_TECH { tech.clone() } else { world.signed_in(email).await };
        assert_eq!(other.delete(&path).await.status, status, "{email}");
    }
    assert_eq!(tech.get(FACTOR).await.body["recoveryCodes"], 10);
    assert_eq!(north.delete(&path).await.status, 204);
    assert_eq!(world.browser().sign_in(NORTH_TECH, PASSWORD).await.status, 200, "the password is enough");
    assert_eq!(tech.get(FACTOR).await.body, none());
    let own = format!("/api/users/{}/second-factor", world.user_id(ADMIN).await);
    assert_eq!(admin.delete(&own).await.status, 403, "not the own one");

    let entries = admin.get("/api/audit?operation=reset_second_factor").await.body;
    let [entry] = entries["entries"].as_array().unwrap().as_slice() else { panic!("{entries}") };
    assert_eq!((&entry["actor"]["email"], &entry["result"]), (&json!(NORTH_ADMIN), &json!("done")));
}

on_both_databases!(
    role_that_needs_a_factor_reaches_nothing_without_one,
    administrator_resets_a_factor_within_the_own_scope,
);

#[tokio::test]
async fn rules_are_changed_for_one_known_role_and_audited() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    for role in [json!("Owner"), json!(""), json!("x".repeat(100_000)), json!([TECH]), json!(null)] {
        let refused = admin.put(RULES, &json!({ "role": role, "needsSecondFactor": true })).await;
        assert_eq!(refused.status, 422, "{:.50}", role.to_string());
    }
    for form in [json!({}), json!({ "role": TECH }), json!({ "role": TECH, "needsSecondFactor": "yes" })] {
        assert_eq!(admin.put(RULES, &form).await.status, 422, "{form}");
    }
    // The second time changes nothing.
    need(&mut admin, TECH).await;
    need(&mut admin, TECH).await;
    let rules = admin.get(RULES).await.body;
    let needing: Vec<_> = rules["roles"].as_array().unwrap().iter().map(|it| &it["needsSecondFactor"]).collect();
    assert_eq!(needing, [false, false, false, false, true]);
    let entries = admin.get("/api/audit?operation=update_sign_in_rules").await.body;
    let [entry] = entries["entries"].as_array().unwrap().as_slice() else { panic!("{entries}") };
    let change = json!({ "field": "secondFactorRoles", "before": null, "after": "CSP Technician", "saved": true });
    assert_eq!(entry["changes"], json!([change]));
}

#[tokio::test]
async fn administrator_who_needs_a_factor_can_set_one_up() {
    let world = World::start().await;
    let mut admin = world.signed_in(ADMIN).await;
    need(&mut admin, "OEM::Admin").await;
    assert_eq!(admin.get(RULES).await.status, 403);
    add_app(&world, &mut admin).await;
    assert_eq!(admin.get(RULES).await.status, 200);
}
