//! The caller's own sessions and preferences: time format and list appearance.

use reqwest::Method;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::world::*;

const SESSIONS: &str = "/api/account/sessions";
const PREFERENCES: &str = "/api/account/preferences";

async fn sessions(browser: &mut Browser) -> Vec<Value> {
    let answer = browser.get(SESSIONS).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body.as_array().unwrap().clone()
}

async fn is_signed_in(browser: &mut Browser) -> bool {
    browser.get("/api/jwt/ping").await.status == 200
}

/// The id of this browser's session.
async fn id(browser: &mut Browser) -> String {
    let own = sessions(browser).await.into_iter().find(|it| it["current"] == true).unwrap();
    own["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn users_see_their_sessions_and_client_origins() {
    let world = World::start().await;
    let _stranger = world.signed_in(ADMIN).await;
    let mut phone = world.signed_in(NORTH_TECH).await;
    world.pass_seconds(3600);
    let safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1";
    let request = phone.request(Method::GET, "/api/session").header("user-agent", safari);
    phone.send(request).await;
    let mut desk = world.signed_in(NORTH_TECH).await;
    world.pass_seconds(60);

    let found = sessions(&mut desk).await;
    let actual = |it: &Value| json!([it["current"], it["createdAt"], it["lastUsedAt"], it["address"], it["browser"]]);
    let expected = [
        json!([true, "2026-11-20T11:00:00Z", "2026-11-20T11:01:00Z", "127.0.0.1", null]),
        json!([false, "2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", "127.0.0.1", "Safari on iPhone"]),
    ];
    assert_eq!(found.iter().map(actual).collect::<Vec<_>>(), expected);
    let secrets = [phone.cookie.clone().unwrap(), desk.cookie.clone().unwrap()];
    for secret in secrets.iter().map(|cookie| cookie.split('=').next_back().unwrap()) {
        assert!(!json!(found).to_string().contains(secret));
    }
}

#[tokio::test]
async fn ended_session_leaves_other_sessions_open() {
    let world = World::start().await;
    let mut here = world.signed_in(NORTH_TECH).await;
    let (mut lost, mut other) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_TECH).await);
    let mut stream = lost.follow(&[NORTH]).await;
    let lost_id = id(&mut lost).await;
    assert_eq!(here.delete(&format!("{SESSIONS}/{lost_id}")).await.status, 204);
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "signed_out" }))));
    assert_eq!(
        [is_signed_in(&mut lost).await, is_signed_in(&mut other).await, is_signed_in(&mut here).await],
        [false, true, true]
    );
    assert_eq!(sessions(&mut here).await.len(), 2);
    let again = here.delete(&format!("{SESSIONS}/{lost_id}")).await;
    assert_eq!((again.status, again.code()), (404, "not_found"));

    let entries = world.signed_in(ADMIN).await.get("/api/audit?operation=delete_account_session").await.body;
    let [entry] = entries["entries"].as_array().unwrap().as_slice() else { panic!("{entries}") };
    let change = json!({ "field": "session", "before": "127.0.0.1", "after": null, "saved": true });
    assert_eq!((&entry["actor"]["email"], &entry["changes"]), (&json!(NORTH_TECH), &json!([change])));
}

#[tokio::test]
async fn session_of_another_user_cannot_be_ended() {
    let world = World::start().await;
    let (mut victim, mut stranger) = (world.signed_in(NORTH_TECH).await, world.signed_in(ADMIN).await);
    let target = id(&mut victim).await;
    for path in [target.as_str(), "none", "%00", "..", &"a".repeat(4000)] {
        let answer = stranger.delete(&format!("{SESSIONS}/{path}")).await;
        assert!([404, 405].contains(&answer.status), "{path}: {}", answer.status);
    }
    assert!(is_signed_in(&mut victim).await);
    assert_eq!(stranger.delete(SESSIONS).await.status, 204, "all others of the own, and no more");
    assert!(is_signed_in(&mut victim).await);
    assert_eq!(world.browser().delete(&format!("{SESSIONS}/{target}")).await.status, 401);
    let foreign = victim.request(Method::DELETE, SESSIONS).header("origin", "https://evil.example");
    assert_eq!(victim.send(foreign).await.status, 403);
}

#[tokio::test]
async fn all_other_sessions_can_be_ended_at_once() {
    let world = World::start().await;
    let mut here = world.signed_in(NORTH_TECH).await;
    let (mut first, mut second) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_TECH).await);
    let mut stranger = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(here.delete(SESSIONS).await.status, 204);
    assert_eq!([is_signed_in(&mut first).await, is_signed_in(&mut second).await], [false, false]);
    assert_eq!([is_signed_in(&mut here).await, is_signed_in(&mut stranger).await], [true, true]);
    assert_eq!(here.delete(SESSIONS).await.status, 204, "none is left, which is no error");
}

#[tokio::test]
async fn expired_sessions_are_not_listed() {
    let world = World::start().await;
    let _idle = world.signed_in(NORTH_TECH).await;
    let mut busy = world.signed_in(NORTH_TECH).await;
    world.pass_seconds(11 * 3600);
    assert_eq!(sessions(&mut busy).await.len(), 2);
    world.pass_seconds(2 * 3600);
    assert_eq!(sessions(&mut busy).await.len(), 1);
}

#[tokio::test]
async fn time_format_is_stored_per_user_and_survives_sign_in() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    assert_eq!(browser.get(PREFERENCES).await.body, json!({ "timeFormat": null }));
    assert_eq!(browser.get("/api/session").await.body["timeFormat"], json!(null));
    let input = json!({ "timeFormat": "24hour" });
    let answer = browser.put(PREFERENCES, &input).await;
    assert_eq!((answer.status, answer.body), (200, input.clone()));
    assert_eq!(browser.get("/api/session").await.body["timeFormat"], "24hour");
    browser.delete("/api/session").await;

    let mut again = world.browser();
    assert_eq!(again.sign_in(NORTH_TECH, PASSWORD).await.body["timeFormat"], "24hour");
    assert_eq!(again.get(PREFERENCES).await.body, input);
    assert_eq!(again.post("/api/jwt/update", &json!({})).await.body["timeFormat"], "24hour");
    let other = world.signed_in(NORTH_ADMIN).await.get(PREFERENCES).await;
    assert_eq!(other.body, json!({ "timeFormat": null }), "another's is another's");
    assert_eq!(again.put(PREFERENCES, &json!({ "timeFormat": "12hour" })).await.status, 200);
    assert_eq!(again.get(PREFERENCES).await.body, json!({ "timeFormat": "12hour" }));
}

#[tokio::test]
async fn invalid_time_format_is_named() {
    let world = World::start().await;
    let mut browser = world.signed_in(NO_ROLE).await;
    let rows = [
        (json!({}), 422, vec!["timeFormat"]),
        (json!({ "timeFormat": "24" }), 422, vec!["timeFormat"]),
        (json!({ "timeFormat": 24 }), 400, vec![]),
        (json!({ "timeFormat": null }), 400, vec![]),
        (json!({ "timeFormat": "x".repeat(100_000) }), 422, vec!["timeFormat"]),
        (json!([]), 400, vec![]),
    ];
    for (body, status, fields) in rows {
        let answer = browser.put(PREFERENCES, &body).await;
        assert_eq!((answer.status, answer.fields()), (status, fields), "{:.80}", body.to_string());
    }
    assert_eq!(browser.get(PREFERENCES).await.body, json!({ "timeFormat": null }));
    assert_eq!(world.browser().put(PREFERENCES, &json!({ "timeFormat": "24hour" })).await.status, 401);
}

const LISTS: &str = "/api/account/list-preferences";

#[tokio::test]
async fn list_preferences_follow_their_user_from_browser_to_browser() {
    let world = World::start().await;
    let mut desk = world.signed_in(NORTH_TECH).await;
    let none = json!({ "pageSizes": {}, "density": "comfortable" });
    assert_eq!(desk.get("/api/session").await.body["listPreferences"], none);
    let rows = [
        (
            json!({ "pageSizes": { "devices": 50 } }),
            json!({ "pageSizes": { "devices": 50 }, "density": "comfortable" }),
        ),
        (json!({ "density": "compact" }), json!({ "pageSizes": { "devices": 50 }, "density": "compact" })),
        (
            json!({ "pageSizes": { "users": 5, "csps": 25, "copyTargets": 50 } }),
            json!({ "pageSizes": { "devices": 50, "users": 5, "csps": 25, "copyTargets": 50 }, "density": "compact" }),
        ),
        (
            json!({ "pageSizes": { "devices": 25, "users": null }, "density": null }),
            json!({ "pageSizes": { "devices": 25, "users": 5, "csps": 25, "copyTargets": 50 }, "density": "compact" }),
        ),
        (
            json!({}),
            json!({ "pageSizes": { "devices": 25, "users": 5, "csps": 25, "copyTargets": 50 }, "density": "compact" }),
        ),
        (
            json!({ "csvSeparator": "semicolon", "csvDecimalSign": "comma" }),
            json!({
                "pageSizes": { "devices": 25, "users": 5, "csps": 25, "copyTargets": 50 }, "density": "compact",
                "csvSeparator": "semicolon", "csvDecimalSign": "comma",
            }),
        ),
    ];
    let mut last = none.clone();
    for (change, expected) in rows {
        let answer = desk.put(LISTS, &change).await;
        assert_eq!((answer.status, &answer.body), (200, &expected), "{change}");
        last = expected;
    }
    assert_eq!(desk.get("/api/session").await.body["listPreferences"], last);

    let mut phone = world.browser();
    assert_eq!(phone.sign_in(NORTH_TECH, PASSWORD).await.body["listPreferences"], last, "in another browser");
    assert_eq!(phone.post("/api/jwt/update", &json!({})).await.body["listPreferences"], last);
    let other = world.signed_in(NORTH_ADMIN).await.get("/api/session").await.body;
    assert_eq!(other["listPreferences"], none, "another's are another's");
    // Saving the time format keeps the list preferences.
    assert_eq!(desk.put(PREFERENCES, &json!({ "timeFormat": "24hour" })).await.status, 200);
    let session = phone.get("/api/session").await.body;
    assert_eq!((&session["timeFormat"], &session["listPreferences"]), (&json!("24hour"), &last));
}

#[tokio::test]
async fn invalid_list_preferences_are_named_and_change_nothing() {
    let world = World::start().await;
    let mut browser = world.signed_in(NO_ROLE).await;
    let rows = [
        (json!({ "pageSizes": { "devices": 6 } }), 422, vec!["pageSizes.devices"]),
        (json!({ "pageSizes": { "devices": 0, "csps": 5000 } }), 422, vec!["pageSizes.csps", "pageSizes.devices"]),
        (json!({ "pageSizes": { "users": -5, "devices": 5 } }), 422, vec!["pageSizes.users"]),
        (json!({ "pageSizes": { "copyTargets": "25" } }), 422, vec!["pageSizes.copyTargets"]),
        (json!({ "pageSizes": { "devices": 25.5 } }), 422, vec!["pageSizes.devices"]),
        (json!({ "pageSizes": { "devices": 1e300 } }), 422, vec!["pageSizes.devices"]),
        (json!({ "pageSizes": { "jobs": 25 } }), 422, vec!["pageSizes.jobs"]),
        (json!({ "pageSizes": 25 }), 422, vec!["pageSizes"]),
        (json!({ "density": "dense" }), 422, vec!["density"]),
        (json!({ "csvSeparator": "|" }), 422, vec!["csvSeparator"]),
        (json!({ "csvDecimalSign": "semicolon" }), 422, vec!["csvDecimalSign"]),
        (json!({ "density": "Compact", "pageSizes": { "devices": 5 } }), 422, vec!["density"]),
        (json!({ "density": "x".repeat(100_000) }), 422, vec!["density"]),
        (json!({ "theme": "dark" }), 200, vec![]),
        (json!([]), 400, vec![]),
        (json!(null), 400, vec![]),
    ];
    for (body, status, fields) in rows {
        let answer = browser.put(LISTS, &body).await;
        assert_eq!((answer.status, answer.fields()), (status, fields), "{:.80}", body.to_string());
    }
    let twice = r#"{"density": "compact", "density": "compact"}"#;
    let request = browser.request(Method::PUT, LISTS).header("content-type", "application/json").body(twice);
    assert_eq!(browser.send(request).await.fields(), ["density"]);
    let session = browser.get("/api/session").await.body;
    assert_eq!(session["listPreferences"], json!({ "pageSizes": {}, "density": "comfortable" }));
    assert_eq!(world.browser().put(LISTS, &json!({ "density": "compact" })).await.status, 401);
    let foreign = browser.request(Method::PUT, LISTS).header("origin", "https://evil.example").json(&json!({}));
    assert_eq!(browser.send(foreign).await.status, 403);
}
