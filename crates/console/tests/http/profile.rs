//! Changes of the caller's own profile and password.

use std::time::Duration;

use cloud::testing::Fault;
use console::RateLimits;
use devicecloud::UserChanges;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::world::*;

const PROFILE: &str = "/api/account";
const PASSWORDS: &str = "/api/account/password";
const NEW: &str = "Other-Horse-2";
/// Lets one request to the cloud through.
const PASS: Fault = Fault::Delay(Duration::ZERO);

fn profile(firstname: &str) -> Value {
    json!({ "firstname": firstname, "lastname": "Tester", "city": "Oslo", "state": null, "country": "Norway" })
}

async fn change(browser: &mut Browser, current: &str, new: &str) -> Answer {
    browser.put(PASSWORDS, &json!({ "current": current, "new": new })).await
}

async fn entries(world: &World, operation: &str) -> Vec<Value> {
    let answer = world.signed_in(OBSERVER).await.get(&format!("/api/audit?operation={operation}")).await;
    answer.body["entries"].as_array().unwrap().clone()
}

#[tokio::test]
async fn profile_changes_five_fields_and_no_others() {
    let world = World::start().await;
    let own = world.cloud_as(NORTH_TECH).await;
    let rest =
        UserChanges::new().company(r#"{"company": "Aurora", "businessRole": "Porter"}"#).street("Karl Johans gate");
    own.users().update_profile(rest.zip("0154").phone("22 00 00 00").phone_country_code("47")).await.unwrap();
    let before = own.users().profile().await.unwrap();

    let mut browser = world.signed_in(NORTH_TECH).await;
    let empty = json!({ "email": NORTH_TECH, "firstname": "Tess", "lastname": "Tester", "city": null, "state": null, "country": null });
    assert_eq!(browser.get(PROFILE).await.body, empty);
    let input =
        json!({ "firstname": " Tuva ", "lastname": "Tester", "city": "Oslo", "state": "Oslo", "country": "Norway" });
    let saved = json!({ "email": NORTH_TECH, "firstname": "Tuva", "lastname": "Tester", "city": "Oslo", "state": "Oslo", "country": "Norway" });
    let answer = browser.put(PROFILE, &input).await;
    assert_eq!((answer.status, &answer.body), (200, &saved));
    assert_eq!(browser.get(PROFILE).await.body, saved);
    let session = browser.get("/api/session").await.body;
    assert_eq!(session["user"]["firstname"], "Tuva", "the session has the new name at once");
    let list = world.signed_in(ADMIN).await.get("/api/users?firstname=Tuva").await.body;
    assert_eq!(list["users"][0]["email"], NORTH_TECH, "and in the list of people: {list}");

    let after = own.users().profile().await.unwrap();
    let mut expected = before;
    for (field, text) in [
        (&mut expected.firstname, "Tuva"),
        (&mut expected.city, "Oslo"),
        (&mut expected.state, "Oslo"),
        (&mut expected.country, "Norway"),
    ] {
        *field = Some(text.to_owned());
    }
    expected.updated_at = after.updated_at;
    assert_eq!(after, expected);
    let cleared = browser.put(PROFILE, &profile("Tuva")).await;
    assert_eq!((cleared.status, &cleared.body["state"]), (200, &Value::Null));
}

#[tokio::test]
async fn audit_of_a_profile_lists_only_changed_fields() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let input = json!({ "firstname": "Tuva", "lastname": "Tester", "city": "Oslo", "country": "Norway" });
    assert_eq!(browser.put(PROFILE, &input).await.status, 200);
    assert_eq!(browser.put(PROFILE, &input).await.status, 200);
    let entries = entries(&world, "update_account").await;
    let [entry] = entries.as_slice() else { panic!("{entries:?}") };
    let fields: Vec<_> = entry["changes"].as_array().unwrap().iter().map(|it| it["field"].as_str().unwrap()).collect();
    assert_eq!((&entry["result"], fields), (&json!("done"), vec!["firstname", "city", "country"]));
    assert_eq!(entry["changes"][0], json!({ "field": "firstname", "before": "Tess", "after": "Tuva", "saved": true }));
    assert_eq!(entry["target"]["kind"], "user");
}

#[tokio::test]
async fn omitted_fields_of_a_profile_are_not_changed() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let mut expected = json!({ "email": NORTH_TECH, "firstname": "Tess", "lastname": "Tester", "city": null, "state": null, "country": null });
    for change in [json!({ "city": "Oslo" }), json!({ "state": "Viken" }), json!({ "state": "" }), json!({})] {
        let answer = browser.put(PROFILE, &change).await;
        expected.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        if expected["state"] == "" {
            expected["state"] = Value::Null;
        }
        assert_eq!((answer.status, &answer.body), (200, &expected), "{change}");
    }
    let fields: Vec<Value> =
        entries(&world, "update_account").await.iter().map(|it| it["changes"][0]["field"].clone()).collect();
    assert_eq!(fields, ["state", "state", "city"]);
}

#[tokio::test]
async fn invalid_profile_is_not_saved() {
    let world = World::start().await;
    let mut browser = world.signed_in(NO_ROLE).await;
    let with = |field: &str, value: Value| {
        let mut input = profile("Tess");
        input[field] = value;
        input
    };
    let rows = [
        (
            json!({ "firstname": null, "lastname": "", "city": null, "country": " " }),
            422,
            vec!["city", "country", "firstname", "lastname"],
        ),
        (with("firstname", json!("  ")), 422, vec!["firstname"]),
        (with("lastname", json!("x".repeat(256))), 422, vec!["lastname"]),
        (with("city", json!("Os\nlo")), 422, vec!["city"]),
        (with("state", json!("x".repeat(100_000))), 422, vec!["state"]),
        (with("country", json!("\u{0}")), 422, vec!["country"]),
        (with("country", json!(47)), 422, vec!["country"]),
        (json!("profile"), 400, vec![]),
    ];
    for (body, status, fields) in rows {
        let answer = browser.put(PROFILE, &body).await;
        assert_eq!((answer.status, answer.fields()), (status, fields), "{:.80}", body.to_string());
    }
    assert_eq!(browser.get(PROFILE).await.body["city"], Value::Null);
    assert!(entries(&world, "update_account").await.is_empty());
    let email = with("email", json!("other@example.com"));
    assert_eq!(browser.put(PROFILE, &email).await.body["email"], NO_ROLE, "members outside the form are ignored");
}

#[tokio::test]
async fn cloud_failure_is_reported_and_audited() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    for fault in [PASS, Fault::UnprocessableEntity] {
        world.cloud.faults().push(fault);
    }
    let answer = browser.put(PROFILE, &profile("Tuva")).await;
    assert_eq!((answer.status, answer.code()), (502, "cloud_failed"));
    assert_eq!(entries(&world, "update_account").await[0]["result"], "failed");
    assert_eq!(browser.get(PROFILE).await.body["firstname"], "Tess");
}

#[tokio::test]
async fn changed_password_keeps_this_session_and_ends_the_others() {
    let world = World::start().await;
    let mut here = world.signed_in(NORTH_TECH).await;
    let (mut other, mut stranger) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let mut stream = other.follow(&[NORTH]).await;
    let stolen = here.clone();
    let answer = change(&mut here, PASSWORD, NEW).await;
    assert_eq!((answer.status, &answer.body["user"]["email"]), (200, &json!(NORTH_TECH)), "{}", answer.body);
    assert!(!answer.body.to_string().contains(NEW));

    assert_ne!(here.cookie, stolen.cookie);
    assert_eq!(stolen.clone().get("/api/devices").await.status, 401, "the cookie from before");
    assert_eq!(other.get("/api/devices").await.status, 401);
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "signed_out" }))));
    assert_eq!(here.dsns("").await, [NORTH, NORTH_AQ290]);
    assert_eq!(here.device(NORTH).await["dsn"], NORTH, "its tokens are good");
    assert_eq!(here.get("/api/account/sessions").await.body.as_array().unwrap().len(), 1);
    assert_eq!(stranger.dsns("").await, [NORTH, NORTH_AQ290]);

    assert_eq!(world.browser().sign_in(NORTH_TECH, PASSWORD).await.status, 401);
    assert_eq!(world.browser().sign_in(NORTH_TECH, NEW).await.status, 200);
    let written = entries(&world, "update_account_password").await;
    assert_eq!((written.len(), &written[0]["result"], &written[0]["changes"]), (1, &json!("done"), &json!([])));
}

#[tokio::test]
async fn stream_of_the_replaced_session_sends_nothing_more() {
    let world = World::start().await;
    let mut here = world.signed_in(NORTH_TECH).await;
    let mut stream = here.follow(&[NORTH]).await;
    assert_eq!(change(&mut here, PASSWORD, NEW).await.status, 200);
    let (mut admin, settings) = (world.signed_in(ADMIN).await, format!("/api/devices/dsns/{NORTH}/settings"));
    assert_eq!(admin.put(&settings, &json!({ "fan": 5 })).await.status, 200);
    assert_eq!(stream.next().await, Some(("end".to_owned(), json!({ "reason": "signed_out" }))));
}

#[tokio::test]
async fn failed_password_change_names_the_field() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_TECH).await;
    let long = format!("Aa1{}", "x".repeat(126));
    let rows = [
        (json!({}), 422, vec!["current"]),
        (json!({ "current": PASSWORD }), 422, vec!["new"]),
        (json!({ "current": "", "new": "" }), 422, vec!["current", "new"]),
        (json!({ "current": "Wrong-Horse-1", "new": NEW }), 422, vec!["current"]),
        (json!({ "current": PASSWORD, "new": "short" }), 422, vec!["new"]),
        (json!({ "current": PASSWORD, "new": long }), 422, vec!["new"]),
        (json!({ "current": PASSWORD, "new": PASSWORD }), 422, vec!["new"]),
        (json!({ "current": "x".repeat(2000), "new": NEW }), 422, vec!["current"]),
        (json!({ "current": PASSWORD, "new": [NEW] }), 422, vec!["new"]),
        (json!(NEW), 400, vec![]),
    ];
    for (body, status, fields) in rows {
        let answer = browser.put(PASSWORDS, &body).await;
        assert_eq!((answer.status, answer.fields()), (status, fields), "{:.80}", body.to_string());
    }
    assert_eq!(world.browser().sign_in(NORTH_TECH, PASSWORD).await.status, 200);
    assert_eq!(browser.dsns("").await, [NORTH, NORTH_AQ290], "the session goes on");
}

#[tokio::test]
async fn session_that_cannot_be_replaced_ends_with_an_error() {
    let world = World::start().await;
    let mut here = world.signed_in(NORTH_TECH).await;
    let mut old = here.clone();
    for fault in [PASS, Fault::InternalServerError] {
        world.cloud.faults().push(fault);
    }
    let answer = change(&mut here, PASSWORD, NEW).await;
    assert_eq!((answer.status, answer.code()), (502, "not_signed_in_anew"));
    assert_eq!(here.cookie, None);
    assert_eq!(old.get("/api/devices").await.status, 401);
    assert_eq!(world.browser().sign_in(NORTH_TECH, NEW).await.status, 200, "the password is changed all the same");
    assert_eq!(entries(&world, "update_account_password").await[0]["result"], "done");
}

#[tokio::test]
async fn password_refused_by_the_cloud_is_kept() {
    let world = World::start().await;
    let mut here = world.signed_in(NORTH_TECH).await;
    let mut other = world.signed_in(NORTH_TECH).await;
    world.cloud.faults().push(Fault::InternalServerError);
    let answer = change(&mut here, PASSWORD, NEW).await;
    assert_eq!((answer.status, answer.code()), (502, "cloud_failed"));
    assert_eq!([here.get("/api/devices").await.status, other.get("/api/devices").await.status], [200, 200]);
    assert_eq!(entries(&world, "update_account_password").await[0]["result"], "failed");
}

#[tokio::test]
async fn password_guesses_of_a_signed_in_user_count_against_the_sign_in_limit() {
    let world = World::start_with(|config| config.rate_limits = RateLimits::default()).await;
    let mut thief = world.signed_in(NORTH_TECH).await;
    let mut statuses = Vec::new();
    for number in 0..12 {
        statuses.push(change(&mut thief, &format!("Wrong-Horse-{number}"), NEW).await.status);
    }
    let expected: Vec<_> = (0..12).map(|number| if number < 9 { 422 } else { 429 }).collect();
    assert_eq!(statuses, expected, "signing in was one attempt");
}
