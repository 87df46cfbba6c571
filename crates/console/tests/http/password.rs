//! Actions without a sign-in: requesting and setting a new password, and confirming an account.

use std::sync::Arc;

use cloud::testing::{Fault, TestCloud, TestMessage};
use console::{CloudConfig, RateLimits};
use devicecloud::{Client, MemoryTokenStore, NewUser};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser};
use crate::world::*;

const RESET: &str = "/api/password/reset";
const SET: &str = "/api/password/set";
const CONFIRM: &str = "/api/account/confirm";
const CONFIRM_EMAIL: &str = "/api/account/email/confirm";
const CANCEL: &str = "/api/account/email/cancel";
const NEW: &str = "Other-Horse-2";
const INVITED: &str = "invited@example.com";

async fn forget(world: &World, email: &str) -> Answer {
    world.browser().post(RESET, &json!({ "email": email })).await
}

async fn set(world: &World, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "newPassword": password, "confirmNewPassword": password });
    world.browser().post(SET, &body).await
}

async fn confirm(world: &World, token: &str) -> Answer {
    world.browser().post(CONFIRM, &json!({ "token": token })).await
}

/// The messages to this address, oldest first.
async fn mails(world: &World, email: &str) -> Vec<TestMessage> {
    world.cloud.outbox().await.into_iter().filter(|mail| mail.recipient == email).collect()
}

/// The token in the last mail of this kind to this address.
async fn token(world: &World, email: &str, kind: &str) -> String {
    let mail = mails(world, email).await.into_iter().rfind(|mail| mail.kind == kind).expect("a mail");
    mail.token().to_owned()
}

async fn reset_token(world: &World, email: &str) -> String {
    assert_eq!(forget(world, email).await.status, 204);
    token(world, email, "password_reset").await
}

/// Adds a user with an unconfirmed address.
async fn invite(world: &World) {
    let config = CloudConfig::local(&world.cloud.url(), APP_ID, APP_SECRET).unwrap();
    let admin = Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap();
    admin.sign_in(ADMIN, &PASSWORD.into()).await.unwrap();
    let user = NewUser::new(INVITED, PASSWORD).firstname("Ina").lastname("Invited").city("Oslo").country("Norway");
    let role = diffuser::Role::CspTech.name();
    admin.roles().create_associated_user(user, role).label(diffuser::PARTNER_LABEL_KEY, "North").send().await.unwrap();
}

async fn signs_in(world: &World, email: &str, password: &str) -> bool {
    world.browser().sign_in(email, password).await.status == 200
}

#[tokio::test]
async fn forgotten_password_is_replaced_with_the_token_of_the_mail() {
    let world = World::start().await;
    let token = reset_token(&world, NORTH_TECH).await;
    let answer = set(&world, &token, NEW).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
    assert!(!signs_in(&world, NORTH_TECH, PASSWORD).await);
    assert!(signs_in(&world, NORTH_TECH, NEW).await);
    let kinds: Vec<_> = mails(&world, NORTH_TECH).await.into_iter().map(|mail| mail.kind).collect();
    assert_eq!(kinds, ["password_reset", "password_changed"]);
}

#[tokio::test]
async fn change_by_mail_token_is_audited_without_a_name() {
    let world = World::start().await;
    invite(&world).await;
    let (reset, invitation) = (reset_token(&world, NORTH_TECH).await, token(&world, INVITED, "invitation").await);
    assert_eq!(set(&world, "unknown", NEW).await.status, 422, "a failure changes nothing");
    assert_eq!(set(&world, &reset, NEW).await.status, 204);
    assert_eq!(confirm(&world, &invitation).await.status, 204);
    let mut witness = world.signed_in(OBSERVER).await;
    for (operation, email) in [("set_password", NORTH_TECH), ("confirm_account", INVITED)] {
        let entries = witness.get(&format!("/api/audit?operation={operation}")).await.body["entries"].clone();
        let [entry] = entries.as_array().unwrap().as_slice() else { panic!("{operation}: {entries}") };
        let unknown = json!({ "userId": null, "email": null, "roleName": null, "csp": null,
                             "address": "127.0.0.1", "browser": null });
        assert_eq!(entry["actor"], unknown, "{operation}");
        let id = world.user_id(email).await;
        assert_eq!(entry["target"], json!({ "kind": "user", "id": id, "csp": null }), "{operation}");
        assert_eq!((&entry["result"], &entry["changes"]), (&json!("done"), &json!([])), "{operation}");
    }
    let all = witness.get("/api/audit").await.body.to_string();
    assert!(!all.contains(&reset) && !all.contains(&invitation));
    let of_a_csp = world.signed_in(NORTH_ADMIN).await.get("/api/audit?operation=set_password").await.body;
    assert_eq!(of_a_csp["entries"], json!([]), "the entry belongs to no CSP");
}

#[tokio::test]
async fn new_password_ends_every_session_of_the_account_at_once() {
    let world = World::start().await;
    let (mut left, mut other) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let token = reset_token(&world, NORTH_TECH).await;
    assert_eq!(left.dsns("").await, [NORTH, NORTH_AQ290]);
    assert_eq!(set(&world, &token, NEW).await.status, 204);
    assert_eq!(left.get("/api/devices").await.status, 401);
    assert_eq!(left.get("/api/session").await.body, Value::Null);
    assert_eq!(other.dsns("").await, [NORTH, NORTH_AQ290]);
}

#[tokio::test]
async fn new_password_makes_only_sessions_of_its_user_ask_the_cloud() {
    const PROFILE: &str = "/user/users/get_user_profile.json";
    let world = World::start().await;
    let (mut left, mut other) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let token = reset_token(&world, NORTH_TECH).await;
    let profiles = || world.cloud.faults().carried_out(PROFILE);
    let before = profiles();
    assert_eq!(set(&world, &token, NEW).await.status, 204);
    assert_eq!(other.get("/api/devices").await.status, 200);
    assert_eq!(profiles(), before, "the session of another user");
    assert_eq!(left.get("/api/devices").await.status, 401);
}

#[tokio::test]
async fn new_password_at_a_cloud_that_does_not_name_the_user_makes_every_session_ask() {
    let world = World::start_before(TestCloud::start_plain().await, |_| {}).await;
    let (mut left, mut other) = (world.signed_in(NORTH_TECH).await, world.signed_in(NORTH_ADMIN).await);
    let token = reset_token(&world, NORTH_TECH).await;
    assert_eq!(set(&world, &token, NEW).await.status, 204);
    assert_eq!(left.get("/api/devices").await.status, 401);
    assert_eq!(other.get("/api/devices").await.status, 200);
}

#[tokio::test]
async fn token_is_valid_once_for_its_purpose() {
    let world = World::start().await;
    invite(&world).await;
    let (reset, invitation) = (reset_token(&world, NORTH_TECH).await, token(&world, INVITED, "invitation").await);
    assert_eq!(confirm(&world, &reset).await.fields(), ["confirmation_token"]);
    assert_eq!(set(&world, &reset, NEW).await.status, 204);
    assert_eq!(confirm(&world, &invitation).await.status, 204);
    assert_eq!(set(&world, &invitation, NEW).await.status, 204, "an invitation sets the first password");
    assert_eq!(set(&world, &invitation, NEW).await.fields(), ["reset_password_token"], "once");
    let again = set(&world, &reset, "Third-Horse-3").await;
    assert_eq!((again.status, again.code()), (422, "invalid"));
    assert!(!again.body.to_string().contains(&reset));
    let again = confirm(&world, &invitation).await;
    assert_eq!((again.status, again.code()), (409, "conflict"));
    assert_eq!(again.body["detail"], "Your account is confirmed already.");
    assert!(!again.body.to_string().contains(&invitation));
    assert!(signs_in(&world, NORTH_TECH, NEW).await, "the second password was not set");
}

#[tokio::test]
async fn changed_address_is_confirmed_and_cancelled_by_mail_and_the_sessions_end() {
    const ADDRESS: &str = "tech.new@example.com";
    let world = World::start().await;
    let mut left = world.signed_in(NORTH_TECH).await;
    let mut stranger = world.signed_in(OBSERVER).await;
    let config = CloudConfig::local(&world.cloud.url(), APP_ID, APP_SECRET).unwrap();
    let client = Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap();
    client.sign_in(NORTH_TECH, &PASSWORD.into()).await.unwrap();
    client.users().update_email(ADDRESS).send().await.unwrap();
    let confirmation = token(&world, ADDRESS, "email_confirmation").await;
    let cancellation = token(&world, NORTH_TECH, "email_change_requested").await;
    let cancel = async |token: &str| world.browser().post(CANCEL, &json!({ "token": token })).await;
    for (token, text) in [(" ", "Required"), ("unknown", "is invalid"), (&confirmation, "is invalid")] {
        let refused = cancel(token).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["cancellation_token"]));
        assert_eq!(refused.body["errors"]["cancellation_token"][0], text);
    }
    assert_eq!(left.dsns("").await, [NORTH, NORTH_AQ290], "an unconfirmed address changes nothing");
    // The address may be a stranger's by mistake, who has the link, and perhaps another account.
    assert_eq!(confirm(&world, &confirmation).await.body["errors"], json!({ "confirmation_token": ["is invalid"] }));
    for (browser, current, text) in [
        (&mut world.browser(), None, "Required"),
        (&mut world.browser(), Some(""), "Required"),
        (&mut world.browser(), Some("Wrong-Horse-1"), "is invalid"),
        (&mut world.browser(), Some(&*"p".repeat(129)), "Must not have more than 128 characters"),
        (&mut stranger, None, "Required"),
        (&mut left, Some("Wrong-Horse-1"), "is invalid"),
    ] {
        let refused = browser.post(CONFIRM_EMAIL, &json!({ "token": confirmation, "current": current })).await;
        assert_eq!((refused.status, &refused.body["errors"]), (422, &json!({ "current": [text] })));
    }
    for token in ["", "unknown", &cancellation] {
        let refused = left.post(CONFIRM_EMAIL, &json!({ "token": token })).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["confirmation_token"]));
    }
    assert_eq!(left.dsns("").await, [NORTH, NORTH_AQ290]);
    let body = json!({ "token": confirmation, "current": PASSWORD });
    assert_eq!(world.browser().post(CONFIRM_EMAIL, &body).await.status, 204);
    assert!(signs_in(&world, ADDRESS, PASSWORD).await);
    assert_eq!(left.get("/api/devices").await.status, 401);
    assert_eq!(cancel(&cancellation).await.status, 204);
    assert!(!signs_in(&world, ADDRESS, PASSWORD).await);
    assert!(signs_in(&world, NORTH_TECH, PASSWORD).await);
    for operation in ["confirm_email_change", "cancel_email_change"] {
        let entries = stranger.get(&format!("/api/audit?operation={operation}")).await.body;
        assert_eq!(entries["entries"].as_array().map(Vec::len), Some(1), "{operation}");
        assert!(!entries.to_string().contains(&cancellation) && !entries.to_string().contains(&confirmation));
    }
    // An open session is as good as the password, and ends.
    let mut again = world.signed_in(NORTH_TECH).await;
    client.sign_in(NORTH_TECH, &PASSWORD.into()).await.unwrap();
    client.users().update_email(ADDRESS).send().await.unwrap();
    let confirmation = token(&world, ADDRESS, "email_confirmation").await;
    assert_eq!(again.post(CONFIRM_EMAIL, &json!({ "token": confirmation })).await.status, 204);
    assert_eq!(again.get("/api/devices").await.status, 401);
    assert!(signs_in(&world, ADDRESS, PASSWORD).await);
}

#[tokio::test]
async fn response_does_not_reveal_whether_an_account_exists() {
    let world = World::start().await;
    let mut answers = Vec::new();
    for email in [NORTH_TECH, "stranger@example.com", "service@example.com"] {
        answers.push(forget(&world, email).await);
    }
    world.cloud.faults().push(Fault::InternalServerError);
    answers.push(forget(&world, NORTH_TECH).await);
    world.cloud.faults().push(Fault::Drop);
    answers.push(forget(&world, NORTH_TECH).await);
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (204, &Value::Null));
        let named = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(named(answer), named(&answers[0]));
    }
    let recipients: Vec<_> = world.cloud.outbox().await.into_iter().map(|mail| mail.recipient).collect();
    assert_eq!(recipients, [NORTH_TECH], "one mail per request that reached the cloud");
}

#[tokio::test]
async fn mail_requests_are_limited_with_or_without_an_account() {
    let world = World::start_with(|config| config.rate_limits = RateLimits::default()).await;
    for email in [NORTH_TECH, "stranger@example.com"] {
        for _ in 0..5 {
            assert_eq!(forget(&world, email).await.status, 204);
        }
        let answer = forget(&world, &email.to_uppercase()).await;
        assert_eq!((answer.status, answer.code()), (429, "too_many_requests"), "{email}");
        let wait: i64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((1..=721).contains(&wait), "{wait}");
    }
    assert_eq!(mails(&world, NORTH_TECH).await.len(), 5);
    world.pass_seconds(721);
    assert_eq!(forget(&world, NORTH_TECH).await.status, 204);
}

#[tokio::test]
async fn attempts_with_mail_tokens_are_limited() {
    let world = World::start_with(|config| config.rate_limits = RateLimits::default()).await;
    let mut refused = 0;
    for number in 0..40 {
        let guess = format!("{number:032x}");
        let answer = if number % 2 == 0 { set(&world, &guess, NEW).await } else { confirm(&world, &guess).await };
        if answer.status == 429 {
            refused += 1;
            assert!(answer.headers.contains_key("retry-after"));
        }
    }
    assert_eq!(refused, 20);
}

#[tokio::test]
async fn form_with_missing_fields_names_them_without_calling_the_cloud() {
    let world = World::start().await;
    let token = reset_token(&world, NORTH_TECH).await;
    let long = "x".repeat(300);
    let new = |token: &str, password: &str, confirmation: &str| json!({ "token": token, "newPassword": password, "confirmNewPassword": confirmation });
    let rows = [
        (RESET, json!({}), 422, vec!["email"]),
        (RESET, json!({ "email": " " }), 422, vec!["email"]),
        (RESET, json!({ "email": "nobody" }), 422, vec!["email"]),
        (RESET, json!({ "email": format!("{long}@example.com") }), 422, vec!["email"]),
        (RESET, json!({ "email": [NORTH_TECH] }), 422, vec!["email"]),
        (RESET, json!(null), 400, vec![]),
        (SET, json!({ "token": token }), 422, vec!["newPassword"]),
        (SET, new("", "", ""), 422, vec!["password", "reset_password_token"]),
        (SET, new(&token, NEW, ""), 422, vec!["password_confirmation"]),
        (SET, new(&token, "Short-1", "Short-1"), 422, vec!["password"]),
        (SET, new(&token, &long, &long), 422, vec!["password"]),
        (SET, new(&long, NEW, NEW), 422, vec!["reset_password_token"]),
        (SET, json!([]), 400, vec![]),
        (CONFIRM, json!({}), 422, vec!["token"]),
        (CONFIRM, json!({ "token": "\t" }), 422, vec!["confirmation_token"]),
        (CONFIRM, json!({ "token": long }), 422, vec!["confirmation_token"]),
        (CONFIRM, json!({ "token": 7 }), 422, vec!["token"]),
    ];
    for (path, body, status, fields) in rows {
        let answer = world.browser().post(path, &body).await;
        assert_eq!((answer.status, answer.fields()), (status, fields), "{path} {:.80}", body.to_string());
    }
    assert_eq!(set(&world, &token, NEW).await.status, 204, "the token is as good as it was");
}

#[tokio::test]
async fn new_password_must_satisfy_the_four_rules() {
    let world = World::start().await;
    let token = reset_token(&world, NORTH_TECH).await;
    let answer = set(&world, &token, "1").await;
    let expected =
        ["Must be 8 to 128 characters", "Must contain an uppercase letter", "Must contain a lowercase letter"];
    assert_eq!(answer.body["errors"]["password"], json!(expected));
    let answer = set(&world, &token, &"a".repeat(129)).await;
    let expected = [
        "Must be 8 to 128 characters",
        "Must contain a number or special character",
        "Must contain an uppercase letter",
    ];
    assert_eq!(answer.body["errors"]["password"], json!(expected));
    for (length, status) in [(7, 422), (8, 204), (128, 204), (129, 422)] {
        let token = reset_token(&world, NORTH_TECH).await;
        let password = format!("Aa-{}", "é".repeat(length - 3));
        assert_eq!(set(&world, &token, &password).await.status, status, "{length}");
    }
}

#[tokio::test]
async fn cloud_errors_about_the_token_are_returned_by_field() {
    let world = World::start().await;
    world.cloud.faults().push(Fault::UnprocessableEntity);
    let answer = set(&world, "0a1b", NEW).await;
    assert_eq!((answer.status, &answer.body["errors"]["reset_password_token"]), (422, &json!(["An injected fault"])));
    world.cloud.faults().push(Fault::UnprocessableEntity);
    let answer = confirm(&world, "0a1b").await;
    assert_eq!((answer.status, answer.fields()), (422, vec![]), "the page has its own words");
    let answer = confirm(&world, "0a1b").await;
    assert_eq!((answer.status, &answer.body["errors"]["confirmation_token"]), (422, &json!(["is invalid"])));
}

#[tokio::test]
async fn cloud_failure_is_not_reported_as_a_wrong_token() {
    let world = World::start().await;
    let token = reset_token(&world, NORTH_TECH).await;
    for (fault, status) in [(Fault::InternalServerError, 502), (Fault::Drop, 502), (Fault::TooManyRequests, 429)] {
        world.cloud.faults().push(fault);
        let answer = set(&world, &token, NEW).await;
        assert_eq!((answer.status, answer.fields()), (status, vec![]), "{fault:?}");
        world.cloud.faults().push(fault);
        assert_eq!(confirm(&world, &token).await.status, status, "{fault:?}");
    }
    assert_eq!(set(&world, &token, NEW).await.status, 204);
}

#[tokio::test]
async fn invited_user_confirms_and_signs_in() {
    let world = World::start().await;
    invite(&world).await;
    let refused = world.browser().sign_in(INVITED, PASSWORD).await;
    assert_eq!((refused.status, &refused.body["detail"]), (401, &json!("Incorrect email or password")));
    let token = token(&world, INVITED, "invitation").await;
    assert_eq!(confirm(&world, &token).await.status, 204);
    assert!(signs_in(&world, INVITED, PASSWORD).await);
}

#[tokio::test]
async fn expired_token_is_reported_as_invalid() {
    let world = World::start().await;
    let token = reset_token(&world, NORTH_TECH).await;
    world.pass_seconds(8 * 24 * 3600);
    let answer = set(&world, &token, NEW).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["reset_password_token"]));
}

#[tokio::test]
async fn signed_in_user_may_request_a_reset_and_another_site_may_not() {
    let world = World::start().await;
    let mut browser = world.signed_in(NORTH_ADMIN).await;
    assert_eq!(browser.post(RESET, &json!({ "email": NORTH_TECH })).await.status, 204);
    assert_eq!(browser.get("/api/session").await.body["user"]["email"], NORTH_ADMIN);
    for path in [RESET, SET, CONFIRM] {
        let foreign = world.browser().request(reqwest::Method::POST, path).header("origin", "https://evil.example");
        let answer = Browser::new(world.console.addr()).send(foreign.json(&json!({}))).await;
        assert_eq!((answer.status, answer.code()), (403, "foreign_origin"), "{path}");
    }
}

#[tokio::test]
async fn hundred_wrong_passwords_fail_and_hit_the_limit() {
    let world = World::start_with(|config| config.rate_limits = RateLimits::default()).await;
    let (mut waits, mut thief) = (0, world.browser());
    for number in 0..100 {
        let answer = thief.sign_in(NORTH_TECH, &format!("Wrong-Horse-{number}")).await;
        match answer.status {
            401 => assert_eq!(answer.body["detail"], "Incorrect email or password"),
            429 => {
                waits += 1;
                assert!(answer.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(waits, 90);
    world.pass_seconds(60);
    assert!(signs_in(&world, NORTH_ADMIN, PASSWORD).await, "others are held up for a minute at most");
}
