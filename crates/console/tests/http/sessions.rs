use cloud::testing::Fault;
use console::Rate;
use jiff::SignedDuration;
use platform::db::{Db, params};
use reqwest::Method;
use serde_json::{Value, json};

use crate::world::*;

#[tokio::test]
async fn sign_in_sets_the_cookie_and_returns_the_user() {
    let world = World::start().await;
    let mut browser = world.browser();
    let answer = browser.sign_in(&format!("  {}  ", NORTH_TECH.to_uppercase()), PASSWORD).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("sillage="), "{cookie}");
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800"] {
        assert!(cookie.contains(attribute), "{attribute} in {cookie}");
    }
    assert_eq!(answer.headers["cache-control"], "no-store");
    let session = answer.body;
    assert_eq!(session["role"], "OEM::ProlitecCommercial::CspTech");
    assert_eq!(session["roleName"], "CSP Technician");
    assert_eq!(session["csp"], "North");
    assert_eq!(session["can"], json!(["devices.view", "devices.add", "attention.view", "attention.edit", "jobs.view"]));
    assert_eq!(session["user"]["email"], NORTH_TECH);
    assert_eq!(session["user"]["firstname"], "Tess");
    assert_eq!(session["expiresAt"], "2026-11-20T22:00:00Z");
    assert_eq!(browser.get("/api/session").await.body, session);
}

#[tokio::test]
async fn each_role_gets_its_permissions() {
    let world = World::start().await;
    let rows = [
        (
            ADMIN,
            Some("Admin"),
            json!([
                "devices.view",
                "devices.add",
                "devices.bulk_edit",
                "users.view",
                "users.invite",
                "csps.view",
                "csps.edit",
                "fragrances.edit",
                "audit.view",
                "attention.view",
                "attention.edit",
                "attention.settings",
                "jobs.view",
                "sign_in_rules.edit"
            ]),
        ),
        (
            OBSERVER,
            Some("Observer"),
            json!(["devices.view", "users.view", "csps.view", "audit.view", "attention.view"]),
        ),
        (
            NORTH_ADMIN,
            Some("CSP Admin"),
            json!([
                "devices.view",
                "devices.add",
                "users.view",
                "users.invite",
                "audit.view",
                "attention.view",
                "attention.edit",
                "attention.settings",
                "jobs.view"
            ]),
        ),
        (NORTH_OBSERVER, Some("CSP Observer"), json!(["devices.view", "users.view", "attention.view"])),
        (NO_ROLE, None, json!([])),
        (END_USER, None, json!([])),
    ];
    for (email, role_name, can) in rows {
        let session = world.signed_in(email).await.get("/api/session").await.body;
        assert_eq!((&session["roleName"], &session["can"]), (&json!(role_name), &can), "{email}");
    }
}

#[tokio::test]
async fn signed_out_browser_gets_null_and_401() {
    let world = World::start().await;
    let mut browser = world.browser();
    for cookie in [None, Some("sillage=x".to_owned()), Some(format!("sillage={}", "0".repeat(64)))] {
        browser.cookie = cookie;
        let session = browser.get("/api/session").await;
        assert_eq!((session.status, session.body), (200, Value::Null));
        for path in ["/api/devices", "/api/devices/dsns/SC-N1", "/api/events", "/api/jwt/ping"] {
            let answer = browser.get(path).await;
            assert_eq!((answer.status, answer.code()), (401, "not_signed_in"), "{path}");
            assert_eq!(answer.headers["content-type"], "application/problem+json");
        }
    }
}

#[tokio::test]
async fn refused_sign_in_does_not_reveal_the_reason() {
    let world = World::start().await;
    let mut browser = world.browser();
    let service = "Service@Example.com";
    for (email, password) in [(ADMIN, "Wrong-Horse-1"), ("stranger@example.com", PASSWORD), (service, PASSWORD)] {
        let answer = browser.sign_in(email, password).await;
        assert_eq!((answer.status, answer.code()), (401, "sign_in_failed"), "{email}");
        assert_eq!(answer.body["detail"], "Incorrect email or password");
        assert!(!answer.headers.contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn sign_in_without_fields_names_them() {
    let world = World::start().await;
    let mut browser = world.browser();
    let long = "x".repeat(2000);
    let rows = [
        (json!({}), 422, vec!["email"]),
        (json!({ "email": "", "password": "" }), 422, vec!["email", "password"]),
        (json!({ "email": ADMIN }), 422, vec!["password"]),
        (json!({ "email": 1, "password": PASSWORD }), 422, vec!["email"]),
        (json!({ "email": long, "password": long }), 422, vec!["email", "password"]),
        (json!([]), 400, vec![]),
    ];
    for (body, status, fields) in rows {
        let answer = browser.post("/api/session", &body).await;
        assert_eq!((answer.status, answer.fields()), (status, fields), "{body}");
    }
}

#[tokio::test]
async fn sign_ins_above_the_limit_are_refused_until_it_resets() {
    let world = World::start_with(|config| config.rate_limits.sign_in.per_account = Rate::per_minute(2)).await;
    let mut browser = world.browser();
    for _ in 0..2 {
        assert_eq!(browser.sign_in(ADMIN, "Wrong-Horse-1").await.status, 401);
    }
    let answer = browser.sign_in(ADMIN, PASSWORD).await;
    assert_eq!((answer.status, answer.code()), (429, "too_many_requests"));
    let wait: i64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert_eq!(browser.sign_in(OBSERVER, PASSWORD).await.status, 200, "another account is free");
    world.pass_seconds(wait);
    assert_eq!(browser.sign_in(ADMIN, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn sign_out_invalidates_the_cookie_even_if_the_cloud_fails() {
    let world = World::start().await;
    for cloud_fails in [false, true] {
        let mut browser = world.signed_in(ADMIN).await;
        let old = browser.cookie.clone();
        if cloud_fails {
            world.cloud.faults().push(Fault::InternalServerError);
        }
        let answer = browser.delete("/api/session").await;
        assert_eq!(answer.status, 204);
        assert!(answer.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
        browser.cookie = old;
        assert_eq!(browser.get("/api/devices").await.status, 401);
        assert_eq!(browser.get("/api/session").await.body, Value::Null);
        let again = browser.delete("/api/session").await;
        assert_eq!(again.status, 204, "signing out twice is no error");
    }
}

#[tokio::test]
async fn signing_in_again_ends_the_session_before() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let mut old = browser.clone();
    assert_eq!(browser.sign_in(NORTH_TECH, PASSWORD).await.status, 200);
    assert_ne!(browser.cookie, old.cookie);
    assert_eq!(old.get("/api/devices").await.status, 401);
    assert_eq!(browser.get("/api/devices").await.status, 200);
}

#[tokio::test]
async fn session_ends_when_idle_and_a_week_after_sign_in() {
    let world = World::start().await;
    let (mut idle, mut busy) = (world.signed_in(ADMIN).await, world.signed_in(ADMIN).await);
    for _ in 0..13 {
        assert_eq!(busy.get("/api/session").await.body["roleName"], "Admin");
        world.clock.advance(SignedDuration::from_hours(11));
    }
    assert_eq!(idle.get("/api/session").await.body, Value::Null);
    assert_eq!(idle.get("/api/devices").await.status, 401);
    assert_eq!(busy.get("/api/session").await.body["roleName"], "Admin");
    world.clock.advance(SignedDuration::from_hours(11));
    busy.get("/api/session").await;
    world.clock.advance(SignedDuration::from_hours(11));
    busy.get("/api/session").await;
    world.clock.advance(SignedDuration::from_hours(11));
    assert_eq!(busy.get("/api/session").await.body, Value::Null, "176 hours after sign-in");
}

#[tokio::test]
async fn open_list_without_a_person_does_not_keep_its_session() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    for _ in 0..12 {
        world.clock.advance(SignedDuration::from_mins(59));
        for path in ["/api/devices", "/api/session", "/api/devices/counts"] {
            let request = browser.request(Method::GET, path).header("sillage-background", "1");
            assert_eq!(browser.send(request).await.status, 200, "{path}");
        }
        let renewal = browser.request(Method::POST, "/api/jwt/update").header("sillage-background", "1");
        assert_eq!(browser.send(renewal).await.status, 200);
        browser.follow(&[NORTH]).await;
    }
    world.clock.advance(SignedDuration::from_mins(12));
    assert_eq!(browser.get("/api/session").await.body, Value::Null, "12 hours after the sign-in");

    let mut browser = world.signed_in(NORTH_TECH).await;
    for _ in 0..12 {
        world.clock.advance(SignedDuration::from_mins(59));
        assert_eq!(browser.get("/api/devices").await.status, 200);
    }
    world.clock.advance(SignedDuration::from_mins(12));
    assert_eq!(browser.get("/api/devices").await.status, 200, "the session is in use");
}

#[tokio::test]
async fn renewing_extends_a_session_and_reading_does_not() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    assert_eq!(browser.get("/api/jwt/ping").await.body, json!({ "expiresIn": 43_200 }));
    world.pass_seconds(3600);
    assert_eq!(browser.get("/api/jwt/ping").await.body, json!({ "expiresIn": 39_600 }));
    let renewed = browser.post("/api/jwt/update", &json!({})).await;
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    assert_eq!(renewed.body["roleName"], "Admin");
    assert!(renewed.headers["set-cookie"].to_str().unwrap().contains(&format!("Max-Age={}", 7 * 86_400 - 3600)));
    assert_eq!(browser.get("/api/jwt/ping").await.body, json!({ "expiresIn": 43_200 }));

    browser.cookie = Some(format!("sillage={}", "1".repeat(64)));
    let refused = browser.post("/api/jwt/update", &json!({})).await;
    assert_eq!((refused.status, refused.code()), (401, "not_signed_in"));
    assert!(refused.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
}

#[tokio::test]
async fn expired_access_token_is_renewed_transparently() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.cloud.expire_access_tokens().await;
    assert_eq!(browser.get(&format!("/api/devices/dsns/{NORTH}")).await.status, 200);
    world.console.resync().await;
    assert_eq!(browser.dsns("").await, [NORTH, NORTH_AQ290]);
}

#[tokio::test]
async fn requests_at_the_same_time_share_one_refresh() {
    let world = World::start().await;
    let browser = world.signed_in(NORTH_TECH).await;
    for _ in 0..3 {
        world.cloud.expire_access_tokens().await;
        world.pass_seconds(61);
        let requests = (0..8).map(|number| {
            let mut browser = browser.clone();
            async move {
                let path =
                    if number % 2 == 0 { "/api/devices".to_owned() } else { format!("/api/devices/dsns/{NORTH}") };
                browser.get(&path).await.status
            }
        });
        assert_eq!(futures::future::join_all(requests).await, [200; 8]);
    }
}

#[tokio::test]
async fn changed_role_takes_effect_within_a_minute() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.cloud.revoke_roles(NORTH_TECH).await;
    world.pass_seconds(60);
    assert_eq!(browser.dsns("").await, [NORTH, NORTH_AQ290], "a minute is still allowed");
    world.pass_seconds(1);
    assert!(browser.dsns("").await.is_empty());
    assert_eq!(browser.get(&format!("/api/devices/dsns/{NORTH}")).await.status, 404);
    assert_eq!(browser.get("/api/session").await.body["can"], json!([]));
}

#[tokio::test]
async fn revoked_role_grants_nothing() {
    let world = World::start().await;
    let mut browsers = Vec::new();
    for _ in 0..5 {
        browsers.push(world.signed_in(NORTH_TECH).await);
    }
    world.cloud.revoke_roles(NORTH_TECH).await;
    world.pass_seconds(61);
    // Each request is the first of its session, so each reads the role itself.
    let mut browsers = browsers.into_iter();
    let settings = format!("/api/devices/dsns/{NORTH}/settings");
    assert!(browsers.next().unwrap().dsns("").await.is_empty());
    assert_eq!(browsers.next().unwrap().get("/api/csps/all").await.status, 403);
    assert_eq!(browsers.next().unwrap().get("/api/events").await.status, 403);
    assert_eq!(browsers.next().unwrap().put(&settings, &json!({ "fan": 1 })).await.status, 404);
    assert_eq!(browsers.next().unwrap().get("/api/session").await.body["can"], json!([]));
}

#[tokio::test]
async fn renewing_reads_the_role_at_once_and_ends_the_streams() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut stream = browser.follow(&[NORTH]).await;
    world.cloud.revoke_roles(NORTH_TECH).await;
    let renewed = browser.post("/api/jwt/update", &json!({})).await;
    assert_eq!((renewed.status, &renewed.body["can"]), (200, &json!([])));
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "access_changed" }))));
    assert!(browser.dsns("").await.is_empty());
}

#[tokio::test]
async fn session_is_returned_while_the_cloud_is_unreachable() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.pass_seconds(61);
    for _ in 0..3 {
        world.cloud.faults().push(Fault::Drop);
    }
    let session = browser.get("/api/session").await;
    assert_eq!((session.status, &session.body["roleName"]), (200, &json!("CSP Technician")));
    assert_eq!(world.cloud.faults().waiting(), 0, "the cloud was asked");
}

#[tokio::test]
async fn unused_sessions_are_deleted_by_the_next_pass_of_retention() {
    let world = World::start().await;
    let database = Db::connect(&world.database).await.unwrap();
    let count = async || database.fetch_one::<(i64,)>("select count(*) from sessions", params![]).await.unwrap().0;
    for _ in 0..3 {
        world.signed_in(ADMIN).await;
    }
    world.clock.advance(SignedDuration::from_hours(13));
    assert_eq!(count().await, 3);
    world.console.delete_expired().await;
    assert_eq!(count().await, 0);
}

#[tokio::test]
async fn stale_role_grants_nothing_while_the_cloud_is_unreachable() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    world.pass_seconds(61);
    for _ in 0..3 {
        world.cloud.faults().push(Fault::Drop);
    }
    let answer = browser.get("/api/devices").await;
    assert_eq!((answer.status, answer.code()), (502, "cloud_failed"));
    assert_eq!(browser.dsns("").await, [NORTH, NORTH_AQ290], "nothing is lost");
}

/// All tabs of a browser have the cookie of the last sign-in.
#[tokio::test]
async fn write_of_a_page_that_shows_another_user_is_refused() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let path = format!("/api/devices/dsns/{NORTH}");
    for (user, expected) in [(NORTH_ADMIN, (403, "other_user")), (NORTH_TECH, (200, ""))] {
        let request = browser.request(Method::PUT, &path).header("sillage-user", world.user_id(user).await);
        let answer = browser.send(request.header("idempotency-key", "k").json(&json!({ "serviceArea": "Spa" }))).await;
        assert_eq!((answer.status, answer.code()), expected, "{}", answer.body);
    }
    assert_eq!(browser.get(&path).await.body["serviceArea"], "Spa");
}
